/**
 * Notes what happens, and lets a test wait for it.
 *
 * @template T
 */
export class Seen {
  /** @type {T[]} */
  all = [];
  /** @type {Set<() => void>} */
  #waiting = new Set();

  /** @type {(value: T) => void} */
  add = (value) => {
    this.all.push(value);
    for (const wake of [...this.#waiting]) {
      wake();
    }
  };

  /**
   * Waits for the first, of all that ever come, that is wanted.
   *
   * @param {(value: T) => boolean} wanted
   * @returns {Promise<T>}
   */
  async first(wanted) {
    for (;;) {
      const found = this.all.findIndex(wanted); // what is wanted may be undefined
      if (found >= 0) {
        return /** @type {T} */ (this.all[found]);
      }
      await /** @type {Promise<void>} */ (
        new Promise((resolve) => {
          const wake = () => {
            this.#waiting.delete(wake);
            resolve();
          };
          this.#waiting.add(wake);
        })
      );
    }
  }

  /** @param {number} n */
  count(n) {
    return this.first(() => this.all.length >= n);
  }
}
