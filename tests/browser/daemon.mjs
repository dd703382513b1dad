// A daemon in directories of its own, an agent of it, and what tests need of both.

import { spawn, execFileSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, mkdirSync, rmSync } from "node:fs";
import { connect } from "node:net";
import { createServer } from "node:net";
import { randomBytes } from "node:crypto";
import { join } from "node:path";

const program = process.env.APPROVALD;

/** commandId mints an id as the protocol wants it: a UUID of version 7. */
function commandId() {
  const b = randomBytes(16);
  b.writeUIntBE(Date.now(), 0, 6);
  b[6] = (b[6] & 0x0f) | 0x70;
  b[8] = (b[8] & 0x3f) | 0x80;
  return b.toString("hex").replace(/^(.{8})(.{4})(.{4})(.{4})/, "$1-$2-$3-$4-");
}

async function freePort() {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address();
  server.close();
  await once(server, "close");
  return port;
}

/** Home is where a daemon runs. It keeps its port, so that a page finds the next one. */
export class Home {
  constructor() {
    this.dir = mkdtempSync("/tmp/apd-browser-");
    for (const name of ["state", "run", "config", "project"]) mkdirSync(join(this.dir, name), { mode: 0o700 });
    this.env = {
      ...process.env, HOME: this.dir, XDG_STATE_HOME: join(this.dir, "state"),
      XDG_RUNTIME_DIR: join(this.dir, "run"), XDG_CONFIG_HOME: join(this.dir, "config"),
    };
  }

  async start() {
    this.port ??= await freePort();
    this.daemon = spawn(program, ["serve", "--http", `127.0.0.1:${this.port}`, "--ceiling", "allowAll"], { env: this.env, stdio: ["ignore", "ignore", "pipe"] });
    let said = "";
    for await (const chunk of this.daemon.stderr.setEncoding("utf8")) {
      said += chunk;
      if (/prints a link/.test(said)) break;
    }
    if (!/prints a link/.test(said)) throw new Error(`the daemon did not come up: ${said}`);
  }

  /** kill ends the daemon as a crash does. */
  async kill() {
    this.agent?.close();
    this.agent = undefined;
    this.daemon.kill("SIGKILL");
    await once(this.daemon, "exit");
  }

  async remove() {
    if (this.daemon?.exitCode === null && this.daemon.signalCode === null) await this.kill();
    rmSync(this.dir, { recursive: true, force: true });
  }

  link() {
    return execFileSync(program, ["web"], { env: this.env, stdio: ["ignore", "pipe", "ignore"] }).toString().trim();
  }

  /** decide decides on the command line, as somebody elsewhere would. */
  decide(id, choice, ...args) {
    execFileSync(program, ["decide", id, choice, ...args], { env: this.env, stdio: "ignore" });
  }

  async connect() {
    const agent = new Agent(join(this.dir, "run", "approvald", "host", "host.sock"));
    await agent.open();
    this.agent = agent;
    return agent;
  }
}

/** Agent opens what waits. */
export class Agent {
  #next = 1;
  #calls = 1;
  #waiting = new Map();
  #rest = "";

  constructor(path) { this.path = path; }

  async open() {
    this.socket = connect(this.path).setEncoding("utf8");
    this.socket.on("error", () => {});
    this.socket.on("data", (chunk) => {
      const lines = (this.#rest + chunk).split("\n");
      this.#rest = lines.pop();
      for (const line of lines) {
        const { id, result, error, method } = JSON.parse(line);
        if (method || !this.#waiting.has(id)) continue;
        const { resolve, reject } = this.#waiting.get(id);
        this.#waiting.delete(id);
        if (error) reject(new Error(error.message)); else resolve(result);
      }
    });
    await this.call("initialize", { clientInfo: { name: "browser_test", version: "1" }, capabilities: { approvald: { interactive: false } } });
    this.#send({ method: "initialized" });
  }

  close() { this.socket.destroy(); }

  #send(message) { this.socket.write(JSON.stringify({ jsonrpc: "2.0", ...message }) + "\n"); }

  call(method, params) {
    const id = this.#next++;
    return new Promise((resolve, reject) => {
      this.#waiting.set(id, { resolve, reject });
      this.#send({ id, method, params });
    });
  }

  async session(workspaceRoot, more = {}) {
    const { session } = await this.call("session/start", { commandId: commandId(), workspaceRoot, ...more });
    return session.sessionId;
  }

  /** ask opens an approval and returns its id. */
  async ask(sessionId, subject, more = {}) {
    const opened = await this.call("approval/open", {
      commandId: commandId(), sessionId, toolCallId: `call_${this.#calls++}_${commandId()}`, toolName: "Bash",
      rawArgs: JSON.stringify({ command: subject.command }), reason: "to go on", subject, ...more,
    });
    return opened.approvalId;
  }

  run(sessionId, command, more) { return this.ask(sessionId, { kind: "shell", command }, more); }

  /** question opens a prompt and returns its id. */
  async question(sessionId, questions, more = {}) {
    const opened = await this.call("userInput/open", {
      commandId: commandId(), sessionId, toolCallId: `call_${this.#calls++}_${commandId()}`, toolName: "AskUser", questions, ...more,
    });
    return opened.userInputId;
  }

  /** decline settles a prompt without an answer, as somebody elsewhere would. */
  decline(sessionId, userInputId) { return this.call("userInput/cancel", { commandId: commandId(), sessionId, userInputId }); }

  async outcome(sessionId, approvalId) {
    const { resolution } = await this.call("approval/read", { sessionId, approvalId });
    return resolution?.outcome;
  }

  async feedback(sessionId, approvalId) {
    const { resolution } = await this.call("approval/read", { sessionId, approvalId });
    return resolution?.feedback;
  }
}
