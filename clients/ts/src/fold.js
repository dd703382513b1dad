/** @import { ApprovalRequest, ApprovalResolved, ApprovalUpdated, Mode, Subject, UserInputRequest, UserInputSettledEvent } from "./types.js" */

/** How many settled approvals and prompts are remembered, each. */
const remembered = 10_000;

/**
 * Whether a subject is of a kind, which also tells TypeScript what it holds. What is of none of the
 * kinds that are known must be shown as it is.
 *
 * @template {"shell" | "fileAccess" | "network" | "process" | "tool"} K
 * @param {Subject} subject
 * @param {K} kind
 * @returns {subject is Extract<Subject, { kind: K }>}
 */
export function isSubject(subject, kind) {
  return subject.kind === kind;
}

/**
 * What the events of a view come to: what waits, what became of what does not, and the session's mode.
 * Events that are not known change nothing.
 */
export class SessionFold {
  /**
   * Approvals that wait, by their id, in opening order. Each is the request as it stands: after a stage
   * it has the next requirement and its menu.
   *
   * @readonly
   * @type {Map<string, ApprovalRequest>}
   */
  pending = new Map();

  /**
   * The last approvals that were settled, by their id.
   *
   * @readonly
   * @type {Map<string, ApprovalResolved>}
   */
  resolved = new Map();

  /**
   * Prompts that wait for a person, by their id.
   *
   * @readonly
   * @type {Map<string, UserInputRequest>}
   */
  prompts = new Map();

  /**
   * The last prompts that were settled, by their id.
   *
   * @readonly
   * @type {Map<string, UserInputSettledEvent>}
   */
  settled = new Map();

  /**
   * The mode since it was last changed; undefined where that was before the first event.
   *
   * @type {Mode | undefined}
   */
  mode = undefined;

  /**
   * Why the session was closed; undefined while it is not.
   *
   * @type {string | undefined}
   */
  closed = undefined;

  /**
   * Takes the next event.
   *
   * @param {{ method: string, params: object }} event
   */
  apply({ method, params }) {
    const of = /** @type {any} */ (params);
    switch (method) {
      case "approval/requested":
        this.#requested(of);
        break;
      case "approval/updated":
        this.#updated(of);
        break;
      case "approval/resolved":
        this.pending.delete(of.approvalId);
        remember(this.resolved, of.approvalId, of);
        break;
      case "userInput/requested":
        if (!this.settled.has(of.userInputId)) {
          this.prompts.set(of.userInputId, of);
        }
        break;
      case "userInput/settled":
        this.prompts.delete(of.userInputId);
        remember(this.settled, of.userInputId, of);
        break;
      case "session/approvalModeChanged":
        this.mode = of.mode;
        break;
      case "session/closed":
        this.closed = of.reason;
        break;
    }
  }

  /** @param {ApprovalRequest} request */
  #requested(request) {
    if (!this.resolved.has(request.approvalId)) {
      this.pending.set(request.approvalId, request);
    }
  }

  /** @param {ApprovalUpdated} update */
  #updated(update) {
    const request = this.pending.get(update.approvalId);
    if (request) {
      this.pending.set(update.approvalId, updated(request, update));
    }
  }
}

/**
 * A request as an update leaves it.
 *
 * @param {ApprovalRequest} request
 * @param {ApprovalUpdated} update
 * @returns {ApprovalRequest}
 */
export function updated(request, { subject, currentRequirementId, availableChoices, viewCursor, sourceRange }) {
  return { ...request, subject, currentRequirementId, availableChoices, viewCursor, sourceRange };
}

/**
 * Notes the first value of a key, and forgets the oldest beyond the bound.
 *
 * @template V
 * @param {Map<string, V>} map
 * @param {string} key
 * @param {V} value
 */
export function remember(map, key, value) {
  if (map.has(key)) {
    return;
  }
  map.set(key, value);
  for (const oldest of map.keys()) {
    if (map.size <= remembered) {
      break;
    }
    map.delete(oldest);
  }
}
