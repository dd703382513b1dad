/**
 * Speaks to an approvald daemon. An agent opens approvals and waits for them; a reviewer is shown them
 * and decides. `connect` is where to start; README.md has examples of both.
 *
 * @module
 */
export { Client, connect } from "./client.js";
export { newCommandId } from "./command-id.js";
export {
  ApprovaldError,
  ChoiceError,
  ClosedError,
  ConnectionLostError,
  FrameTooLargeError,
  isRefusal,
  SettledError,
} from "./errors.js";
export { isSubject, SessionFold } from "./fold.js";
export { Subscription } from "./subscription.js";
export { socket, socketPath, stdio } from "./transports.js";
/** @typedef {import("./client.js").Options} Options */
/** @typedef {import("./inbox.js").RequestHandler} RequestHandler */
/** @typedef {import("./transports.js").Transport} Transport */
