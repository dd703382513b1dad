import { ApprovaldError, ClosedError } from "./errors.js";
import { SessionFold } from "./fold.js";

/** @import { Notifications, ViewPageParams, ViewPageResult } from "./types.js" */

/** What is kept of events that nobody has read yet; beyond it they are forgotten and read from pages. */
const kept = { events: 256, bytes: 1 << 20 };

/** How many events are asked for at once; the daemon bounds the bytes. */
const pageLimit = 1000;

/**
 * An event of a view. One of a method that is not known has params that are any object.
 *
 * @typedef {{ [M in keyof Notifications]: { method: M, params: Notifications[M] } }[keyof Notifications]
 *   | { method: string & {}, params: Record<string, unknown> }} ViewEvent
 */

/**
 * Reads a page.
 *
 * @typedef {(params: ViewPageParams, signal?: AbortSignal) => Promise<ViewPageResult>} Page
 */

/**
 * A position in a session's view, which moves with `next`: every durable event of the session behind its
 * beginning, once and in order, whatever happens to the connection. Events of sessions below it go to
 * `onNotification` only. Whoever reads slowly costs bounded memory and delays nobody: what was missed is
 * read from pages. Made by `Client.subscribe`.
 */
export class Subscription {
  /** @readonly */
  sessionId;

  /**
   * What the events that were read so far come to.
   *
   * @readonly
   */
  state = new SessionFold();

  /** @type {Page} */
  #page;
  #place;
  /** @type {{ event: ViewEvent, bytes: number }[]} */
  #buffer = [];
  #bytes = 0;
  /** @type {ViewEvent[]} */
  #paged = [];
  /** @type {{ cursor: string | undefined } | undefined} where the next page begins; undefined: none is wanted */
  #paging;
  #behind = true;
  /** @type {Error | undefined} */
  #failed;
  /** @type {(() => void) | undefined} */
  #wake;
  /** @type {() => Promise<void>} */
  #leave;
  #reading = false;

  /**
   * @param {object} of
   * @param {string} of.sessionId
   * @param {string} [of.cursor] of the last event that is not wanted
   * @param {Page} of.page
   * @param {() => Promise<void>} of.leave
   */
  constructor({ sessionId, cursor, page, leave }) {
    this.sessionId = sessionId;
    this.#place = new Place(cursor);
    this.#page = page;
    this.#leave = leave;
  }

  /** The cursor of the last event that was read. A later subscription can go on behind it. */
  get cursor() {
    return this.#place.cursor;
  }

  /**
   * Waits for the next event. An error that is not the signal's ends the subscription.
   *
   * @param {{ signal?: AbortSignal }} [options]
   * @returns {Promise<ViewEvent>}
   */
  async next({ signal } = {}) {
    if (this.#reading) {
      throw new Error("a subscription has one reader at a time");
    }
    this.#reading = true;
    try {
      for (;;) {
        signal?.throwIfAborted();
        const event = this.#take();
        if (event && this.#place.advance(event)) {
          this.state.apply(event);
          return event;
        }
        if (!event && this.#paging) {
          await this.#readPage(this.#paging.cursor, signal);
        } else if (!event) {
          await this.#arrival(signal);
        }
      }
    } finally {
      this.#reading = false;
    }
  }

  /**
   * The events from here on. The loop ends when the subscription or the client is closed, and the
   * subscription with the loop.
   *
   * @returns {AsyncGenerator<ViewEvent, void, void>}
   */
  async *[Symbol.asyncIterator]() {
    try {
      for (;;) {
        yield await this.next();
      }
    } catch (error) {
      if (!(error instanceof ClosedError)) {
        throw error;
      }
    } finally {
      await this.close();
    }
  }

  /** Ends the subscription. */
  async close() {
    if (!this.#failed) {
      this.end(new ClosedError());
      await this.#leave();
    }
  }

  /**
   * Begins behind everything that has happened so far. For the client.
   *
   * @param {AbortSignal} [signal]
   */
  async atHead(signal) {
    const last = await this.#last(signal);
    if (last) {
      this.#place.atEnd(last);
    }
  }

  /**
   * Takes an event off the wire. For the client.
   *
   * @param {string} method
   * @param {Record<string, any>} params
   */
  push(method, params) {
    if (this.#behind) {
      return;
    }
    const bytes = JSON.stringify(params).length;
    if (this.#buffer.length >= kept.events || this.#bytes + bytes > kept.bytes) {
      this.interrupted();
      return;
    }
    this.#buffer.push({ event: /** @type {any} */ ({ method, params }), bytes });
    this.#bytes += bytes;
    this.#wake?.();
  }

  /** Says that events may have been missed. For the client. */
  interrupted() {
    this.#buffer = [];
    this.#bytes = 0;
    this.#behind = true;
    this.#wake?.();
  }

  /**
   * Makes an error the answer of every `next`. For the client.
   *
   * @param {Error} error
   */
  end(error) {
    this.#failed ??= error;
    this.#wake?.();
  }

  /** @returns {ViewEvent | undefined} what is at hand; pages come before what arrived since they were asked for */
  #take() {
    if (this.#failed) {
      throw this.#failed;
    }
    const paged = this.#paged.shift();
    if (paged || this.#paging) {
      return paged;
    }
    if (this.#behind) {
      // From here on the buffer collects again, so that what is not in the pages is in the buffer.
      this.#behind = false;
      this.#paging = { cursor: this.#place.cursor };
      return undefined;
    }
    const first = this.#buffer.shift();
    this.#bytes -= first?.bytes ?? 0;
    return first?.event;
  }

  /**
   * @param {string | undefined} cursor
   * @param {AbortSignal} [signal]
   */
  async #readPage(cursor, signal) {
    try {
      const { events, nextCursor } = await this.#page(
        { sessionId: this.sessionId, limit: pageLimit, ...(cursor === undefined ? {} : { cursor }) },
        signal,
      );
      // What is on its way may be older than a place that a cursor alone tells of.
      const last = events.length === 0 && this.#place.isVague() ? await this.#last(signal) : undefined;
      if (last && /** @type {any} */ (last.params).viewCursor === this.#place.cursor) {
        this.#place.atEnd(last);
      }
      this.#paged = /** @type {any[]} */ (events);
      this.#paging = nextCursor !== null && events.length > 0 ? { cursor: nextCursor } : undefined;
    } catch (error) {
      if (error instanceof ApprovaldError) {
        this.end(error);
      }
      throw error;
    }
  }

  /**
   * @param {AbortSignal} [signal]
   * @returns {Promise<ViewEvent | undefined>} the last event of the view
   */
  async #last(signal) {
    const { events } = await this.#page({ sessionId: this.sessionId, limit: 1, direction: "backward" }, signal);
    return /** @type {any} */ (events[0]);
  }

  /** @param {AbortSignal} [signal] */
  #arrival(signal) {
    return /** @type {Promise<void>} */ (
      new Promise((resolve) => {
        const done = () => {
          this.#wake = undefined;
          signal?.removeEventListener("abort", done);
          resolve();
        };
        this.#wake = done;
        signal?.addEventListener("abort", done, { once: true });
      })
    );
  }
}

/**
 * How far a view was read. Cursors compare for equality only, so the order is that of the records, and
 * the few events of one record are told apart by their cursors.
 */
class Place {
  /** @type {string | undefined} */
  cursor;
  #sequence = 0;
  /** @type {string[]} */
  #seen = [];

  /** @param {string} [cursor] */
  constructor(cursor) {
    this.cursor = cursor;
  }

  /** Whether only the cursor is known, and not the record that it stands for. */
  isVague() {
    return this.cursor !== undefined && this.#sequence === 0;
  }

  /**
   * Stands behind the last event of the view, and so behind every event of its record.
   *
   * @param {ViewEvent} last
   */
  atEnd({ params }) {
    const { viewCursor, sourceRange } = /** @type {any} */ (params);
    this.cursor = viewCursor;
    this.#sequence = sourceRange.last.sequence + 1;
    this.#seen = [];
  }

  /**
   * Moves behind an event; false where it is not behind this place.
   *
   * @param {ViewEvent} event
   */
  advance({ params }) {
    const { viewCursor, sourceRange } = /** @type {any} */ (params);
    const sequence = sourceRange?.last?.sequence;
    if (typeof sequence !== "number" || sequence < this.#sequence || viewCursor === this.cursor || this.#seen.includes(viewCursor)) {
      return false;
    }
    if (sequence > this.#sequence) {
      this.#sequence = sequence;
      this.#seen = [];
    }
    this.cursor = viewCursor;
    this.#seen.push(viewCursor);
    return true;
  }
}
