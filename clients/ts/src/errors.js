/** @import { ApprovalResolved, ErrorData, ErrorDataOf, Refusal, Resolution } from "./types.js" */

/**
 * The daemon refused a request. Branch on `kind`, or use {@link isRefusal}, which also tells TypeScript
 * what `data` holds; the message is for people.
 */
export class ApprovaldError extends Error {
  /** @param {Refusal} refusal as it came over the wire */
  constructor(refusal) {
    const data = refusal.data ?? { kind: "", retryable: false };
    super(`${refusal.message} (${data.kind}, ${refusal.code})`);
    this.name = "ApprovaldError";
    /** @readonly */
    this.code = refusal.code;
    /**
     * Empty where the server did not say.
     *
     * @readonly
     * @type {ErrorData["kind"] | ""}
     */
    this.kind = data.kind;
    /**
     * Whether the same request, with the same commandId, may succeed later.
     *
     * @readonly
     */
    this.retryable = data.retryable === true;
    /**
     * @readonly
     * @type {ErrorData}
     */
    this.data = data;
  }
}

/**
 * Whether an error is a refusal of this kind.
 *
 * @template {keyof ErrorDataOf} K
 * @param {unknown} error
 * @param {K} kind
 * @returns {error is ApprovaldError & { kind: K, data: ErrorDataOf[K] }}
 */
export function isRefusal(error, kind) {
  return error instanceof ApprovaldError && error.kind === kind;
}

/**
 * The connection ended before an answer came. The request may have had its effect; a command can be sent
 * again with the same commandId.
 */
export class ConnectionLostError extends Error {
  /** @param {unknown} [cause] */
  constructor(cause) {
    super("the connection to the daemon was lost", { cause });
    this.name = "ConnectionLostError";
  }
}

/** The client was closed by its user, who may have given a reason. */
export class ClosedError extends Error {
  /** @param {unknown} [cause] */
  constructor(cause) {
    super("the client is closed", { cause });
    this.name = "ClosedError";
  }
}

/**
 * The daemon sent a frame over the limit. That ends the client: the same question would bring the same
 * frame again on every further connection.
 */
export class FrameTooLargeError extends Error {
  /** @param {number} limit in bytes */
  constructor(limit) {
    super(`the daemon sent a frame of more than ${limit} bytes`);
    this.name = "FrameTooLargeError";
  }
}

/** A choice that is not on the menu, or feedback on one that takes none. Nothing was sent. */
export class ChoiceError extends Error {
  /** @param {string} message */
  constructor(message) {
    super(message);
    this.name = "ChoiceError";
  }
}

/**
 * Why the signal of a request was aborted: there is nothing left to decide about what is on the screen.
 * `resolution` says what became of the approval, where that is known; without it another requirement of
 * the same approval waits, or the daemon does not know the approval any more.
 */
export class SettledError extends Error {
  /**
   * @param {string} message
   * @param {ApprovalResolved | Resolution} [resolution]
   */
  constructor(message, resolution) {
    super(message);
    this.name = "SettledError";
    /** @readonly */
    this.resolution = resolution;
  }
}
