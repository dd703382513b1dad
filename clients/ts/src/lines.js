import { FrameTooLargeError } from "./errors.js";

/** The most bytes of a frame, without its newline, that either side may send (protocol §1). */
export const maxFrame = 10 * 1024 * 1024;

const newline = 0x0a;

/** Puts lines together from the pieces in which they arrive. It holds at most one frame. */
export class LineCutter {
  /** @type {Buffer[]} */
  #pieces = [];
  #held = 0;
  #most;

  /** @param {number} [most] bytes of a line */
  constructor(most = maxFrame) {
    this.#most = most;
  }

  /**
   * The lines that a piece makes whole, without those that are empty.
   *
   * @param {Buffer} piece
   * @returns {string[]}
   */
  push(piece) {
    const lines = [];
    for (let start = 0; ; ) {
      const end = piece.indexOf(newline, start);
      const part = piece.subarray(start, end < 0 ? undefined : end);
      if (this.#held + part.length > this.#most) {
        throw new FrameTooLargeError(this.#most);
      }
      this.#pieces.push(part);
      this.#held += part.length;
      if (end < 0) {
        return lines;
      }
      const line = Buffer.concat(this.#pieces).toString("utf8").trim();
      this.#pieces = [];
      this.#held = 0;
      start = end + 1;
      if (line !== "") {
        lines.push(line);
      }
    }
  }
}
