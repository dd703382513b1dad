import { spawn } from "node:child_process";
import { createConnection } from "node:net";
import { join } from "node:path";
import { userInfo } from "node:os";

/**
 * One connection to a daemon, before the handshake. `close` resolves when nothing of it is left.
 *
 * @typedef {object} Channel
 * @property {import("node:stream").Readable} input
 * @property {import("node:stream").Writable} output
 * @property {() => Promise<void>} close
 */

/**
 * Makes a connection, each time that it is called.
 *
 * @typedef {(signal: AbortSignal) => Promise<Channel>} Transport
 */

/**
 * Where a daemon of this user listens: below `APPROVALD_RUNTIME_DIR`, `$XDG_RUNTIME_DIR/approvald` or
 * `/tmp/approvald-UID`. Agents connect to `agent`, reviewers to `reviewer`, the user's own programs,
 * which may do both, to `host`.
 *
 * @param {"agent" | "reviewer" | "host"} door
 * @returns {string}
 */
export function socketPath(door) {
  const { APPROVALD_RUNTIME_DIR: chosen, XDG_RUNTIME_DIR: base } = process.env;
  const runtime = chosen || (base?.startsWith("/") ? join(base, "approvald") : `/tmp/approvald-${userInfo().uid}`);
  return join(runtime, door, `${door}.sock`);
}

/**
 * Connects to a daemon that runs, over one of its unix sockets.
 *
 * @param {string} [path] of the socket; see {@link socketPath}
 * @returns {Transport}
 */
export function socket(path = socketPath("host")) {
  return (signal) =>
    new Promise((resolve, reject) => {
      const conn = createConnection({ path, signal });
      conn.once("error", reject);
      conn.once("connect", () => {
        conn.off("error", reject);
        const closed = new Promise((/** @type {(value: void) => void} */ done) => conn.once("close", () => done()));
        resolve({
          input: conn,
          output: conn,
          close: () => {
            conn.destroy();
            return closed;
          },
        });
      });
    });
}

/**
 * Starts a daemon, or with its relay a way to the one that runs, and speaks with it over its standard
 * input and output. Every new connection starts it anew; what it knows is in its log. It ends with the
 * connection, and is killed where it does not.
 *
 * @param {object} [options]
 * @param {string} [options.command]
 * @param {string[]} [options.args]
 * @param {Record<string, string | undefined>} [options.env] instead of this process's
 * @param {string} [options.cwd]
 * @param {"inherit" | "ignore"} [options.stderr] where its log goes
 * @param {number} [options.graceMs] how long it may take to end
 * @returns {Transport}
 */
export function stdio({ command = "approvald", args = ["serve", "--stdio"], env, cwd, stderr = "inherit", graceMs = 10_000 } = {}) {
  return (signal) =>
    new Promise((resolve, reject) => {
      signal.throwIfAborted();
      const child = spawn(command, args, { stdio: ["pipe", "pipe", stderr], env: env ?? process.env, cwd });
      const ended = new Promise((/** @type {(value: void) => void} */ done) => {
        child.once("close", () => done());
        child.once("error", () => done()); // it was never started
      });
      const abandon = () => child.kill("SIGKILL");
      signal.addEventListener("abort", abandon, { once: true });
      child.once("error", reject);
      child.once("spawn", () => {
        signal.removeEventListener("abort", abandon);
        child.off("error", reject);
        const { stdin, stdout } = child;
        if (!stdin || !stdout) {
          reject(new Error("the daemon has no standard input and output"));
          return;
        }
        resolve({
          input: stdout,
          output: stdin,
          close: async () => {
            stdin.end();
            const late = setTimeout(abandon, graceMs);
            await ended;
            clearTimeout(late);
          },
        });
      });
    });
}
