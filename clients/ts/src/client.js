import { newCommandId } from "./command-id.js";
import { Connection } from "./connection.js";
import {
  ApprovaldError,
  ChoiceError,
  ClosedError,
  ConnectionLostError,
  FrameTooLargeError,
  isRefusal,
} from "./errors.js";
import { Inbox } from "./inbox.js";
import { Subscription } from "./subscription.js";
import { delay } from "./waiting.js";

/**
 * @import { ApprovalAwaitParams, ApprovalOpenParams, ApprovalRequest, AwaitResult, Commands, InitializeResult, Notifications, Queries, Role, SessionResumeParams, SessionStartParams } from "./types.js"
 * @import { RequestHandler } from "./inbox.js"
 * @import { Transport } from "./transports.js"
 */

/**
 * @typedef {object} Options
 * @property {string} [name] what decisions record of this client: lower-case letters, digits and _
 * @property {string} [version]
 * @property {Role} [role] narrows what the transport gives
 * @property {boolean} [interactive] whether a person can be asked here. Such a client needs a handler: give
 *   `onRequest` here, or call `Client.onRequest` right after connecting
 * @property {RequestHandler} [onRequest] makes the client interactive
 * @property {boolean} [allSessions] subscribes a reviewer to every session, present and future
 * @property {string[]} [optOut] notifications that are not to be sent
 * @property {boolean} [reconnect] whether the client outlives its connection; it does unless this is false
 * @property {(attempt: number) => number} [backoff] milliseconds before attempt n, from 0
 * @property {(error: unknown) => void} [onError] hears what a handler throws, and of decisions that were refused for
 *   another reason than a lost race; without it that becomes a warning of the process
 * @property {AbortSignal} [signal] closes the client
 */

/** How long one attempt to connect and shake hands may take. */
const handshakeMs = 10_000;

/**
 * The longest that an await is parked with the daemon. There is no way to take a request back, so one that
 * was abandoned stays parked until it is over.
 */
const awaitSliceMs = 300_000;

/** @type {(attempt: number) => number} */
const doubling = (attempt) => Math.min(2000, 50 * 2 ** Math.min(attempt, 10));

/**
 * Connects to a daemon and shakes hands.
 *
 * @param {Transport} transport {@link socket} or {@link stdio}
 * @param {Options} [options]
 * @returns {Promise<Client>}
 */
export async function connect(transport, options = {}) {
  const client = new Client(transport, options);
  await client.start();
  return client;
}

/**
 * A connection to a daemon, or a succession of them. Calls that are under way when one is lost wait for
 * the next and are sent again, commands with the commandId that they had, so that they happen once. Made
 * by {@link connect}.
 */
export class Client {
  #transport;
  #options;
  #inbox;
  #closing = new AbortController();
  /** @type {Connection | undefined} */
  #link;
  /** @type {Error | undefined} */
  #failed;
  /** @type {Set<() => void>} who waits for another connection */
  #waiting = new Set();
  /** @type {InitializeResult | undefined} */
  #server;
  /** @type {Set<string>} sessions that are resumed on the next connection */
  #sessions = new Set();
  /** @type {Map<string, Subscription>} */
  #subscriptions = new Map();
  /** @type {Set<(method: string, params: Record<string, any>) => void>} */
  #listeners = new Set();
  /** @type {Set<(lost: Error | undefined) => void>} */
  #watchers = new Set();
  /** @type {Promise<void>} settles when the connection, and the search for another, have ended */
  #running = Promise.resolve();

  /**
   * @param {Transport} transport
   * @param {Options} options
   */
  constructor(transport, options) {
    this.#transport = transport;
    this.#options = { name: "approvald_ts", version: "0", reconnect: true, backoff: doubling, ...options };
    this.#inbox = new Inbox(
      (request, { choiceId, feedback }) => this.decide(request, choiceId, feedback === undefined ? {} : { feedback }),
      (error) => this.#report(error),
    );
    if (options.onRequest) {
      this.#inbox.open(options.onRequest);
    }
  }

  /** What the daemon said of itself in the latest handshake. */
  get server() {
    if (!this.#server) {
      throw new Error("the client is not connected yet");
    }
    return this.#server;
  }

  /** Connects for the first time. For {@link connect}. */
  async start() {
    const { signal } = this.#options;
    signal?.throwIfAborted();
    const link = await this.#dial();
    signal?.addEventListener("abort", () => void this.close(signal.reason), { once: true });
    this.#running = this.#watch(link);
  }

  /**
   * Ends the connection and every call, and resolves when nothing of the client is left.
   *
   * @param {unknown} [reason]
   */
  async close(reason) {
    this.#fail(new ClosedError(reason));
    await this.#running;
  }

  // Calls.

  /**
   * Sends a command, with a new commandId where the params have none.
   *
   * @template {keyof Commands} M
   * @param {M} method
   * @param {Omit<Commands[M]["params"], "commandId"> & { commandId?: string }} params
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Commands[M]["result"]>}
   */
  async command(method, params, options) {
    const [result] = await this.#call(method, { commandId: newCommandId(), ...params }, options?.signal);
    return result;
  }

  /**
   * Asks what changes nothing.
   *
   * @template {keyof Queries} M
   * @param {M} method
   * @param {Queries[M]["params"]} params
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<Queries[M]["result"]>}
   */
  async query(method, params, options) {
    const [result] = await this.#call(method, params, options?.signal);
    return result;
  }

  // The agent's half.

  /**
   * Starts a session, which from then on belongs to this client: it is resumed after every reconnect until it
   * is closed.
   *
   * @param {Omit<SessionStartParams, "commandId"> & { commandId?: string }} [params]
   * @param {{ signal?: AbortSignal }} [options]
   */
  async startSession(params = {}, options) {
    const first = this.#link;
    const [result, link] = await this.#call("session/start", { commandId: newCommandId(), ...params }, options?.signal);
    const { sessionId } = result.session;
    this.#sessions.add(sessionId);
    // An ack that was replayed to another connection does not make that one the owner, and a connection that
    // has gone since took the ownership with it.
    if (link !== first || link !== this.#link) {
      await this.resumeSession({ sessionId }, options);
    }
    return /** @type {Commands["session/start"]["result"]} */ (result);
  }

  /**
   * Loads a session and makes it belong to this client as {@link startSession} does.
   *
   * @param {Omit<SessionResumeParams, "commandId"> & { commandId?: string }} params
   * @param {{ signal?: AbortSignal }} [options]
   */
  async resumeSession(params, options) {
    const had = this.#sessions.has(params.sessionId);
    this.#sessions.add(params.sessionId); // first, so that a connection that replaces the one that answers resumes it too
    try {
      return await this.command("session/resume", params, options);
    } catch (error) {
      if (!had) {
        this.#sessions.delete(params.sessionId);
      }
      throw error;
    }
  }

  /**
   * Ends a session; what is pending settles as cancelled.
   *
   * @param {Commands["session/close"]["params"] | { sessionId: string, reason?: string }} params
   * @param {{ signal?: AbortSignal }} [options]
   */
  async closeSession(params, options) {
    const result = await this.command("session/close", params, options);
    this.#sessions.delete(params.sessionId);
    return result;
  }

  /**
   * Hands an action in for approval. Act only when its resolution says that its policyResult is "allow".
   *
   * @param {Omit<ApprovalOpenParams, "commandId"> & { commandId?: string }} params
   * @param {{ signal?: AbortSignal }} [options]
   */
  open(params, options) {
    return this.command("approval/open", params, options);
  }

  /**
   * Waits until an approval is resolved; with `waitMs` at most so long, and `state` may then be "pending". An
   * approval that a restart of the daemon superseded is followed to its successor, so `approvalId` may be
   * another one afterwards.
   *
   * @param {{ sessionId: string, approvalId: string, waitMs?: number }} params
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<AwaitResult>}
   */
  async await({ sessionId, approvalId, waitMs }, options) {
    const results = await this.awaitAll(
      { sessionId, approvalIds: [approvalId], ...(waitMs === undefined ? {} : { waitMs }) },
      options,
    );
    return /** @type {AwaitResult} */ (results[0]);
  }

  /**
   * Waits until all of some approvals are resolved, or with `any` one of them, as {@link await} does. The
   * results are in the order asked.
   *
   * @param {ApprovalAwaitParams} params
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<AwaitResult[]>}
   */
  async awaitAll({ sessionId, approvalIds, any = false, waitMs }, options) {
    const ids = [...approvalIds];
    let left = waitMs ?? Infinity;
    for (;;) {
      const slice = Math.min(left, awaitSliceMs);
      const { results } = await this.query("approval/await", { sessionId, approvalIds: ids, any, waitMs: slice }, options);
      if (results.length !== ids.length) {
        throw new Error(`approval/await: ${results.length} results for ${ids.length} approvals`);
      }
      if (follow(ids, results)) {
        continue;
      }
      const enough = any ? results.some(isResolved) : results.every(isResolved);
      left -= slice;
      if (enough || left <= 0) {
        return results;
      }
    }
  }

  // The reviewer's half.

  /**
   * Decides an approval: the requirement that was shown, by a choice of its menu. The first durable decision
   * wins; who comes later is refused as "approvalAlreadyResolved", with what became of it.
   *
   * @param {Pick<ApprovalRequest, "sessionId" | "approvalId" | "currentRequirementId" | "availableChoices">} request
   * @param {string} choiceId
   * @param {{ feedback?: string, commandId?: string, signal?: AbortSignal }} [options]
   */
  async decide({ sessionId, approvalId, currentRequirementId, availableChoices }, choiceId, { feedback, commandId, signal } = {}) {
    const choice = availableChoices.find((c) => c.choiceId === choiceId);
    if (!choice) {
      throw new ChoiceError(`"${choiceId}" is not on the menu: ${availableChoices.map((c) => c.choiceId).join(", ")}`);
    }
    if (feedback !== undefined && !choice.acceptsFeedback) {
      throw new ChoiceError(`"${choiceId}" takes no feedback`);
    }
    return this.command(
      "approval/decide",
      {
        sessionId,
        approvalId,
        requirementId: currentRequirementId,
        choiceId,
        ...(feedback === undefined ? {} : { feedback }),
        ...(commandId === undefined ? {} : { commandId }),
      },
      signal ? { signal } : {},
    );
  }

  /**
   * Has a handler called for each requirement of each approval that waits, once: also when a stage was decided
   * and the next one waits, and not again when the daemon asks again after a reconnect. What the handler
   * gives is decided; where it gives nothing, nothing is. Its signal says when to take the request from the
   * screen. There is one handler at a time, and the client must be interactive.
   *
   * @param {RequestHandler} handler
   * @returns {() => void} takes the handler away; the daemon is told, from then on, that nobody is shown requests
   */
  onRequest(handler) {
    if (!this.#isInteractive()) {
      throw new Error("nobody can be asked here: connect with interactive: true");
    }
    return this.#inbox.open(handler);
  }

  // What the daemon tells.

  /**
   * Has a listener called for every notification, in the order of the wire, those of methods that are not known
   * included.
   *
   * @param {<M extends keyof Notifications>(method: M, params: Notifications[M]) => void} listener
   * @returns {() => void} takes it away
   */
  onNotification(listener) {
    return added(this.#listeners, /** @type {any} */ (listener));
  }

  /**
   * Has a listener called with the reason when the connection is lost, and with undefined when there is another
   * one and everything is as it was.
   *
   * @param {(lost: Error | undefined) => void} listener
   * @returns {() => void} takes it away
   */
  onConnection(listener) {
    return added(this.#watchers, listener);
  }

  /**
   * Subscribes to a session: from its beginning, from now on ("head"), or behind an event that was seen. A client
   * has at most one subscription to a session.
   *
   * @param {string} sessionId
   * @param {{ from?: "start" | "head" | { after: string }, signal?: AbortSignal }} [options]
   * @returns {Promise<Subscription>}
   */
  async subscribe(sessionId, { from = "start", signal } = {}) {
    if (this.#subscriptions.has(sessionId)) {
      throw new Error(`session ${sessionId} has a subscription already; share it or close it first`);
    }
    const owned = !this.#sessions.has(sessionId) && !this.#options.allSessions;
    const subscription = new Subscription({
      sessionId,
      ...(typeof from === "object" ? { cursor: from.after } : {}),
      page: (params, of) => this.query("view/page", params, of ? { signal: of } : {}),
      leave: async () => {
        this.#subscriptions.delete(sessionId);
        if (owned && !this.#failed) {
          await this.query("view/unsubscribe", { sessionId });
        }
      },
    });
    this.#subscriptions.set(sessionId, subscription);
    try {
      await this.query("view/subscribe", { sessionId }, signal ? { signal } : {});
      if (from === "head") {
        await subscription.atHead(signal);
      }
    } catch (error) {
      this.#subscriptions.delete(sessionId);
      throw error;
    }
    return subscription;
  }

  // The connection.

  /**
   * Sends a request until it is answered: on the next connection when one is lost, again where the daemon says
   * that it is going down or that a commit failed. Gives the connection that answered, too.
   *
   * @param {string} method
   * @param {object} params
   * @param {AbortSignal} [signal]
   * @returns {Promise<[any, Connection]>}
   */
  async #call(method, params, signal) {
    /** @type {Connection | undefined} */
    let dead;
    for (let attempt = 0; ; attempt++) {
      const link = await this.#other(dead, signal);
      try {
        return [await link.request(method, params, signal), link];
      } catch (error) {
        if (error instanceof ConnectionLostError && this.#options.reconnect) {
          dead = link;
          continue;
        }
        const again = isRefusal(error, "shuttingDown") || (isRefusal(error, "internal") && error.retryable);
        if (!again || !this.#options.reconnect) {
          throw this.#failed ?? error;
        }
        await delay(this.#options.backoff(attempt), signal ? AbortSignal.any([signal, this.#closing.signal]) : this.#closing.signal);
      }
    }
  }

  /**
   * Waits for a connection other than one that is dead.
   *
   * @param {Connection | undefined} dead
   * @param {AbortSignal} [signal]
   * @returns {Promise<Connection>}
   */
  async #other(dead, signal) {
    for (;;) {
      signal?.throwIfAborted();
      if (this.#failed) {
        throw this.#failed;
      }
      if (this.#link && this.#link !== dead) {
        return this.#link;
      }
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          const done = () => {
            this.#waiting.delete(done);
            signal?.removeEventListener("abort", done);
            resolve();
          };
          this.#waiting.add(done);
          signal?.addEventListener("abort", done, { once: true });
        })
      );
    }
  }

  /** @param {Connection | undefined} link */
  #setLink(link) {
    this.#link = link;
    for (const wake of [...this.#waiting]) {
      wake();
    }
  }

  /**
   * Ends every call, now and later.
   *
   * @param {Error} error
   */
  #fail(error) {
    if (this.#failed) {
      return;
    }
    this.#failed = error;
    this.#closing.abort(error);
    this.#setLink(undefined);
    this.#inbox.close(error);
    for (const subscription of this.#subscriptions.values()) {
      subscription.end(error);
    }
  }

  /**
   * Replaces the connection whenever it is lost, until the client is closed or cannot go on.
   *
   * @param {Connection | undefined} link
   */
  async #watch(link) {
    while (link) {
      const current = link;
      const stop = () => void current.close(this.#failed);
      this.#closing.signal.addEventListener("abort", stop, { once: true });
      const lost = await current.ended;
      this.#closing.signal.removeEventListener("abort", stop);
      await current.close(lost);
      if (this.#failed) {
        return;
      }
      if (!this.#options.reconnect || lost instanceof FrameTooLargeError) {
        this.#fail(lost);
        return;
      }
      this.#setLink(undefined);
      this.#tell(lost);
      link = await this.#reconnect();
      if (link) {
        this.#tell(undefined);
      }
    }
  }

  /** @returns {Promise<Connection | undefined>} nothing where the client has come to its end */
  async #reconnect() {
    for (let attempt = 0; ; attempt++) {
      try {
        await delay(this.#options.backoff(attempt), this.#closing.signal);
        return await this.#dial();
      } catch (error) {
        if (this.#failed) {
          return undefined;
        }
        if (error instanceof FrameTooLargeError || (error instanceof ApprovaldError && !error.retryable)) {
          this.#fail(error); // another attempt would bring the same
          return undefined;
        }
      }
    }
  }

  /** Connects, shakes hands, and restores what the connection before had. */
  async #dial() {
    const attempt = AbortSignal.any([this.#closing.signal, AbortSignal.timeout(handshakeMs)]);
    const channel = await this.#transport(attempt);
    const link = new Connection(channel, {
      notified: (method, params) => this.#notified(method, params),
      asked: (method, params) =>
        method === "approval/request"
          ? this.#inbox.asked(params)
          : { code: -32601, message: `this client does not know ${method}`, data: { kind: "methodNotFound", retryable: false } },
    });
    const stop = () => void link.close(this.#failed);
    this.#closing.signal.addEventListener("abort", stop, { once: true });
    try {
      this.#server = await link.request("initialize", this.#hello(), attempt);
      link.notify("initialized");
      await this.#restore(link);
      this.#closing.signal.throwIfAborted();
      this.#setLink(link);
      return link;
    } catch (error) {
      await link.close();
      throw error;
    } finally {
      this.#closing.signal.removeEventListener("abort", stop);
    }
  }

  #hello() {
    const { name, version, role, allSessions, optOut } = this.#options;
    return {
      clientInfo: { name, version },
      capabilities: {
        userInputDialogs: false,
        ...(optOut ? { optOutNotificationMethods: optOut } : {}),
        approvald: {
          interactive: this.#isInteractive(),
          ...(role ? { role } : {}),
          ...(allSessions ? { allSessions } : {}),
        },
      },
    };
  }

  #isInteractive() {
    return this.#options.interactive ?? this.#options.onRequest !== undefined;
  }

  /**
   * Gives a connection what the one before had. What the daemon refuses for good is dropped, and the next use
   * of it says why.
   *
   * @param {Connection} link
   */
  async #restore(link) {
    for (const sessionId of [...this.#sessions]) {
      try {
        await link.request("session/resume", { commandId: newCommandId(), sessionId, excludeItems: true });
      } catch (error) {
        refusedForGood(error);
        this.#sessions.delete(sessionId);
      }
    }
    for (const subscription of [...this.#subscriptions.values()]) {
      try {
        await link.request("view/subscribe", { sessionId: subscription.sessionId });
        subscription.interrupted();
      } catch (error) {
        subscription.end(refusedForGood(error));
        this.#subscriptions.delete(subscription.sessionId);
      }
    }
    await this.#inbox.reconcile((sessionId, approvalId) => link.request("approval/read", { sessionId, approvalId }));
  }

  /**
   * @param {string} method
   * @param {Record<string, any>} params
   */
  #notified(method, params) {
    this.#inbox.notified(method, params);
    if (params["sourceRange"] && !params["subagentOrigin"]) {
      this.#subscriptions.get(params["sessionId"])?.push(method, params);
    }
    for (const listener of [...this.#listeners]) {
      this.#guarded(() => listener(method, params));
    }
  }

  /** @param {Error | undefined} lost */
  #tell(lost) {
    for (const watcher of [...this.#watchers]) {
      this.#guarded(() => watcher(lost));
    }
  }

  /** @param {() => void} fn code of the user, whose errors must not end the connection */
  #guarded(fn) {
    try {
      fn();
    } catch (error) {
      this.#report(error);
    }
  }

  /** @param {unknown} error */
  #report(error) {
    if (this.#options.onError) {
      this.#options.onError(error);
    } else {
      process.emitWarning(error instanceof Error ? error : String(error));
    }
  }
}

/**
 * @template T
 * @param {Set<T>} set
 * @param {T} value
 * @returns {() => void}
 */
function added(set, value) {
  set.add(value);
  return () => set.delete(value);
}

/**
 * Gives an error back that another attempt would bring again, and throws any other.
 *
 * @param {unknown} error
 * @returns {ApprovaldError}
 */
function refusedForGood(error) {
  if (error instanceof ApprovaldError && !error.retryable) {
    return error;
  }
  throw error;
}

/** @param {AwaitResult} result */
function isResolved({ state }) {
  return state === "resolved";
}

/**
 * Replaces each id that was superseded by its successor.
 *
 * @param {string[]} ids
 * @param {AwaitResult[]} results
 * @returns {boolean} whether there was one
 */
function follow(ids, results) {
  let followed = false;
  results.forEach(({ resolution }, i) => {
    const next = resolution?.outcome === "superseded" ? resolution.successorApprovalId : undefined;
    if (next && next !== ids[i]) {
      ids[i] = next;
      followed = true;
    }
  });
  return followed;
}
