import { ApprovaldError, ClosedError, ConnectionLostError } from "./errors.js";
import { LineCutter, maxFrame } from "./lines.js";

/** @import { Refusal } from "./types.js" */
/** @import { Channel } from "./transports.js" */

/**
 * What a connection tells. Neither is ever called with params that are no object.
 *
 * @typedef {object} Listener
 * @property {(method: string, params: Record<string, unknown>) => void} notified
 * @property {(method: string, params: Record<string, unknown>) => Record<string, unknown> | Refusal} asked gives the
 *   receipt, or with `code` and `message` an error
 */

/** One JSON-RPC connection. It knows no methods, and ends when its channel does. */
export class Connection {
  /** @type {Channel} */
  #channel;
  /** @type {Listener} */
  #listener;
  #cutter = new LineCutter();
  #ids = 0;
  /** @type {Map<string, { resolve: (result: any) => void, reject: (error: unknown) => void }>} */
  #waiting = new Map();
  /** @type {Error | undefined} */
  #cause;
  /** @type {(cause: Error) => void} */
  #end = () => {};

  /**
   * Resolves with the reason when the connection has ended.
   *
   * @type {Promise<Error>}
   */
  ended = new Promise((resolve) => {
    this.#end = resolve;
  });

  /**
   * @param {Channel} channel
   * @param {Listener} listener
   */
  constructor(channel, listener) {
    this.#channel = channel;
    this.#listener = listener;
    channel.input.on("data", (piece) => this.#read(piece));
    channel.input.once("end", () => this.#lost(new Error("the daemon closed it")));
    channel.input.once("close", () => this.#lost(new Error("it was closed")));
    channel.input.once("error", (error) => this.#lost(error));
    channel.output.on("error", (error) => this.#lost(error));
  }

  /**
   * Sends a request and waits for its answer. An abort ends the waiting, not what was asked for.
   *
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<any>}
   */
  request(method, params, signal) {
    return new Promise((resolve, reject) => {
      if (signal?.aborted) {
        reject(signal.reason);
        return;
      }
      if (this.#cause) {
        reject(this.#cause);
        return;
      }
      const id = String(++this.#ids);
      const abort = () => settle(reject)(signal?.reason);
      const settle =
        (/** @type {(value: any) => void} */ how) =>
        (/** @type {unknown} */ value) => {
          this.#waiting.delete(id);
          signal?.removeEventListener("abort", abort);
          how(value);
        };
      this.#waiting.set(id, { resolve: settle(resolve), reject: settle(reject) });
      signal?.addEventListener("abort", abort, { once: true });
      try {
        this.#write({ jsonrpc: "2.0", id, method, params });
      } catch (error) {
        settle(reject)(error);
      }
    });
  }

  /**
   * @param {string} method
   * @param {object} [params]
   */
  notify(method, params) {
    this.#write(params === undefined ? { jsonrpc: "2.0", method } : { jsonrpc: "2.0", method, params });
  }

  /**
   * Ends the connection, and resolves when nothing of it is left.
   *
   * @param {Error} [cause] what those hear who wait for answers
   * @returns {Promise<void>}
   */
  async close(cause = new ClosedError()) {
    this.#lost(cause, true);
    await this.#channel.close();
  }

  /** @param {object} frame */
  #write(frame) {
    const line = JSON.stringify(frame);
    const bytes = Buffer.byteLength(line);
    if (bytes > maxFrame) {
      throw new ApprovaldError({
        code: -32002,
        message: `a frame of ${bytes} bytes was not sent`,
        data: { kind: "inputTooLarge", retryable: false, limitBytes: maxFrame },
      });
    }
    this.#channel.output.write(line + "\n");
  }

  /** @param {Buffer} piece */
  #read(piece) {
    try {
      for (const line of this.#cutter.push(piece)) {
        this.#frame(line);
      }
    } catch (error) {
      this.#lost(error instanceof Error ? error : new Error(String(error)), true);
      void this.#channel.close();
    }
  }

  /**
   * Takes one frame. What is no frame, or an answer to nothing that was asked, is ignored, as is every
   * member that is not known.
   *
   * @param {string} line
   */
  #frame(line) {
    const frame = object(parsed(line));
    if (!frame) {
      return;
    }
    if (typeof frame["method"] !== "string") {
      this.#answer(frame);
      return;
    }
    const params = frame["params"] === undefined ? {} : object(frame["params"]);
    const asked = frame["id"] !== undefined;
    if (!asked) {
      if (params) {
        this.#listener.notified(frame["method"], params);
      }
      return;
    }
    const receipt = params
      ? this.#listener.asked(frame["method"], params)
      : { code: -32602, message: "params must be an object", data: { kind: "invalidParams", retryable: false } };
    this.#write({ jsonrpc: "2.0", id: frame["id"], ...("code" in receipt ? { error: receipt } : { result: receipt }) });
  }

  /** @param {Record<string, unknown>} frame */
  #answer(frame) {
    const waiting = typeof frame["id"] === "string" ? this.#waiting.get(frame["id"]) : undefined;
    const error = object(frame["error"]);
    if (error) {
      waiting?.reject(new ApprovaldError(/** @type {any} */ (error)));
    } else if (object(frame["result"])) {
      waiting?.resolve(frame["result"]);
    }
  }

  /**
   * @param {Error} cause
   * @param {boolean} [whole] whether it is the whole reason; otherwise the connection was lost because of it
   */
  #lost(cause, whole = false) {
    if (this.#cause) {
      return;
    }
    this.#cause = whole ? cause : new ConnectionLostError(cause);
    for (const { reject } of [...this.#waiting.values()]) {
      reject(this.#cause);
    }
    this.#end(this.#cause);
  }
}

/**
 * @param {string} line
 * @returns {unknown}
 */
function parsed(line) {
  try {
    return JSON.parse(line);
  } catch {
    return undefined;
  }
}

/**
 * The value where it is an object, and no array.
 *
 * @param {unknown} value
 * @returns {Record<string, unknown> | undefined}
 */
function object(value) {
  return typeof value === "object" && value !== null && !Array.isArray(value) ? /** @type {any} */ (value) : undefined;
}
