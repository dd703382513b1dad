import { ApprovaldError, isRefusal, SettledError } from "./errors.js";
import { remember, updated } from "./fold.js";

/** @import { ApprovalReadResult, ApprovalRequest, ApprovalUpdated, Refusal } from "./types.js" */

/**
 * Shows a request to a person and gives what they chose; nothing where they chose nothing. The signal is
 * aborted when there is nothing left to choose: take it from the screen.
 *
 * @typedef {(request: ApprovalRequest, context: { signal: AbortSignal }) => Choice | void | Promise<Choice | void>} RequestHandler
 */

/**
 * @typedef {object} Choice
 * @property {string} choiceId of the request's menu
 * @property {string} [feedback] for the agent, where the choice takes any
 */

/**
 * @typedef {object} Shown
 * @property {ApprovalRequest} request
 * @property {AbortController} controller
 */

/**
 * What is on the screen of a reviewer. Each requirement of each approval is shown once, however often the
 * daemon asks: after an update, behind a reconnect, by several ways. It decides nothing of its own: what
 * nobody chose waits on.
 */
export class Inbox {
  /** @type {RequestHandler | undefined} */
  #handler;
  /** @type {(request: ApprovalRequest, choice: Choice, signal: AbortSignal) => Promise<unknown>} */
  #decide;
  /** @type {(error: unknown) => void} */
  #failed;
  /** @type {Map<string, Shown>} by approvalId */
  #shown = new Map();
  /** @type {Map<string, true>} approvals that are settled */
  #settled = new Map();

  /**
   * @param {(request: ApprovalRequest, choice: Choice, signal: AbortSignal) => Promise<unknown>} decide
   * @param {(error: unknown) => void} failed
   */
  constructor(decide, failed) {
    this.#decide = decide;
    this.#failed = failed;
  }

  /**
   * @param {RequestHandler} handler
   * @returns {() => void} takes it away again
   */
  open(handler) {
    if (this.#handler) {
      throw new Error("requests have a handler already; take it away first, or call both from one");
    }
    this.#handler = handler;
    return () => {
      if (this.#handler === handler) {
        this.#handler = undefined;
      }
    };
  }

  /**
   * Takes approval/request and gives the receipt. An error says that nobody here is shown it: the daemon
   * then knows, and asks others.
   *
   * @param {Record<string, unknown>} params
   * @returns {{} | Refusal}
   */
  asked(params) {
    if (!this.#handler) {
      return { code: -32601, message: "nobody is shown requests here", data: { kind: "methodNotFound", retryable: false } };
    }
    if (!showable(params)) {
      return { code: -32602, message: "this is no request for an approval", data: { kind: "invalidParams", retryable: false } };
    }
    this.#show(params);
    return {};
  }

  /**
   * Takes a notification.
   *
   * @param {string} method
   * @param {Record<string, any>} params
   */
  notified(method, params) {
    const shown = this.#shown.get(params["approvalId"]);
    if (method === "approval/resolved") {
      this.#settle(params["approvalId"], /** @type {any} */ (params));
    } else if (method === "approval/updated" && shown) {
      const update = /** @type {ApprovalUpdated} */ (/** @type {unknown} */ (params));
      const next = update.currentRequirementId?.sourceIndex;
      if (typeof next === "number" && next !== shown.request.currentRequirementId.sourceIndex && update.availableChoices?.length > 0) {
        this.#show(updated(shown.request, update));
      }
    }
  }

  /**
   * Finds out what became of what is on the screen while nobody was connected.
   *
   * @param {(sessionId: string, approvalId: string) => Promise<ApprovalReadResult>} read
   */
  async reconcile(read) {
    for (const { request } of [...this.#shown.values()]) {
      try {
        const { resolution } = await read(request.sessionId, request.approvalId);
        if (resolution) {
          this.#settle(request.approvalId, resolution);
        }
      } catch (error) {
        if (!(error instanceof ApprovaldError) || error.retryable) {
          throw error;
        }
        this.#settle(request.approvalId); // it does not know it, or does not say
      }
    }
  }

  /**
   * Takes everything from the screen.
   *
   * @param {Error} cause
   */
  close(cause) {
    this.#handler = undefined;
    for (const { controller } of this.#shown.values()) {
      controller.abort(cause);
    }
    this.#shown.clear();
  }

  /** @param {ApprovalRequest} request */
  #show(request) {
    const { approvalId, currentRequirementId } = request;
    const handler = this.#handler;
    if (!handler || this.#settled.has(approvalId)) {
      return;
    }
    const before = this.#shown.get(approvalId);
    if (before?.request.currentRequirementId.sourceIndex === currentRequirementId.sourceIndex) {
      return;
    }
    before?.controller.abort(new SettledError(`another part of approval ${approvalId} waits`));
    const controller = new AbortController();
    this.#shown.set(approvalId, { request, controller });
    void this.#ask(handler, request, controller.signal);
  }

  /**
   * @param {string} approvalId
   * @param {ConstructorParameters<typeof SettledError>[1]} [resolution]
   */
  #settle(approvalId, resolution) {
    remember(this.#settled, approvalId, true);
    const shown = this.#shown.get(approvalId);
    this.#shown.delete(approvalId);
    shown?.controller.abort(
      new SettledError(`approval ${approvalId} is settled: ${resolution?.outcome ?? "the daemon does not know it any more"}`, resolution),
    );
  }

  /**
   * @param {RequestHandler} handler
   * @param {ApprovalRequest} request
   * @param {AbortSignal} signal
   */
  async #ask(handler, request, signal) {
    try {
      const choice = await handler(request, { signal });
      if (choice && !signal.aborted) {
        await this.#decide(request, choice, signal);
      }
    } catch (error) {
      // Whoever lost a race is told by the event, and a handler that was told to stop may say so.
      if (!signal.aborted && !isRefusal(error, "approvalAlreadyResolved") && !isRefusal(error, "approvalRequirementStale")) {
        this.#failed(error);
      }
    }
  }
}

/**
 * @param {Record<string, any>} params
 * @returns {params is ApprovalRequest}
 */
function showable(params) {
  return (
    typeof params["sessionId"] === "string" &&
    typeof params["approvalId"] === "string" &&
    typeof params["currentRequirementId"]?.sourceIndex === "number" &&
    Array.isArray(params["availableChoices"])
  );
}
