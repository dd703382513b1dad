import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";

/** The real program: as built by make build, or where the environment says. */
const binary = process.env["APPROVALD_BINARY"] ?? fileURLToPath(new URL("../../../bin/approvald", import.meta.url));

/** A place of its own for a daemon: state, sockets and a workspace. It is gone when the test has ended. */
export class Home {
  dir = mkdtempSync(join(tmpdir(), "apd")); // short, as those of sockets must be
  /** @type {import("node:child_process").ChildProcess | undefined} */
  #child;

  /** @param {import("node:test").TestContext} t */
  constructor(t) {
    for (const sub of ["run", "work", "home"]) {
      mkdirSync(join(this.dir, sub), { mode: 0o700 });
    }
    t.after(async () => {
      await this.kill();
      rmSync(this.dir, { recursive: true });
    });
  }

  get workspaceRoot() {
    return join(this.dir, "work");
  }

  get environment() {
    return {
      PATH: process.env["PATH"],
      HOME: join(this.dir, "home"),
      APPROVALD_STATE_DIR: join(this.dir, "state"),
      APPROVALD_RUNTIME_DIR: join(this.dir, "run"),
    };
  }

  /** What starts a daemon on standard input and output. */
  get stdio() {
    return { command: binary, args: ["serve", "--stdio", "--no-sockets"], env: this.environment, stderr: /** @type {const} */ ("ignore") };
  }

  /** @param {"agent" | "reviewer" | "host"} door */
  socket(door) {
    return join(this.dir, "run", door, `${door}.sock`);
  }

  /**
   * Starts a daemon, and resolves when it serves.
   *
   * @param {...string} args
   */
  async serve(...args) {
    const child = spawn(binary, ["serve", ...args], { env: this.environment, stdio: ["ignore", "pipe", "pipe"] });
    this.#child = child;
    let said = "";
    await /** @type {Promise<void>} */ (
      new Promise((resolve, reject) => {
        const hear = (/** @type {Buffer} */ text) => {
          said += text;
          if (said.includes("decide ID")) {
            resolve();
          }
        };
        child.stdout.on("data", hear);
        child.stderr.on("data", hear);
        child.once("error", reject);
        child.once("close", () => reject(new Error(`the daemon did not come up:\n${said}`)));
      })
    );
  }

  /** Kills whichever daemon holds the state directory, as kill -9 does. */
  killHolder() {
    const { pid } = JSON.parse(readFileSync(join(this.dir, "state", "daemon.json"), "utf8"));
    process.kill(pid, "SIGKILL");
  }

  /** Kills the daemon that was started with serve, as kill -9 does. */
  async kill() {
    const child = this.#child;
    this.#child = undefined;
    if (child && child.exitCode === null && child.signalCode === null) {
      const gone = new Promise((resolve) => child.once("close", resolve));
      child.kill("SIGKILL");
      await gone;
    }
  }
}

/** What an agent asks for in these tests: a command of two parts, or one that a tool makes. */
export const subjects = {
  twoStages: { kind: "shell", command: "make clean && make test" },
  tool: { kind: "tool" },
};

/**
 * The params of an approval.
 *
 * @param {string} sessionId
 * @param {string} [toolCallId]
 * @param {Record<string, unknown>} [subject]
 * @returns {any}
 */
export function call(sessionId, toolCallId = "call_1", subject = subjects.tool) {
  return { sessionId, toolCallId, toolName: "search", rawArgs: "{}", reason: "to find out", subject };
}
