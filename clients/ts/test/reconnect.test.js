import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { ClosedError, connect, ConnectionLostError, SettledError, socket, stdio } from "@approvald/client";

import { call, Home } from "./daemon.js";
import { Seen } from "./events.js";
import { Proxy } from "./proxy.js";

/** @import { ApprovalRequest } from "../src/types.js" */

/** @typedef {Seen<{ request: ApprovalRequest, signal: AbortSignal }>} Screen */

const quick = () => 5; // milliseconds before each attempt

test("an agent that waits and a reviewer outlive a daemon that is killed", async (t) => {
  const home = new Home(t);
  await home.serve();
  /** @type {Screen} */
  const screen = new Seen();
  const reviewer = await connect(socket(home.socket("host")), {
    role: "reviewer",
    allSessions: true,
    backoff: quick,
    onRequest: (request, { signal }) => screen.add({ request, signal }),
  });
  t.after(() => reviewer.close());
  const agent = await connect(socket(home.socket("host")), { role: "agent", backoff: quick });
  t.after(() => agent.close());
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot });
  const { approvalId } = await agent.open(call(session.sessionId));
  const waiting = agent.await({ sessionId: session.sessionId, approvalId });
  const first = await screen.first(() => true);

  await home.kill();
  await home.serve();

  const second = await screen.first(({ request }) => request.approvalId !== approvalId);
  if (!first.signal.aborted) {
    await new Promise((resolve) => first.signal.addEventListener("abort", resolve));
  }
  assert(first.signal.reason instanceof SettledError);
  assert.equal(first.signal.reason.resolution?.outcome, "superseded");
  assert.equal(second.signal.aborted, false);
  await reviewer.decide(second.request, "allow_once");
  const result = await waiting;
  assert.equal(result.approvalId, second.request.approvalId);
  assert.equal(result.resolution?.policyResult, "allow");
  assert.equal(screen.all.length, 2);

  // The session is the agent's again.
  assert.equal((await agent.open(call(session.sessionId, "call_2"))).state, "pending");
});

test("a daemon on standard input and output that is killed is started again, with what it knew", async (t) => {
  const home = new Home(t);
  /** @type {Screen} */
  const screen = new Seen();
  /** @type {Seen<Error | undefined>} */
  const connections = new Seen();
  const client = await connect(stdio(home.stdio), { backoff: quick, onRequest: (request, { signal }) => screen.add({ request, signal }) });
  t.after(() => client.close());
  client.onConnection(connections.add);
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  const { approvalId } = await client.open(call(session.sessionId));
  await screen.count(1);
  const waiting = client.await({ sessionId: session.sessionId, approvalId });

  home.killHolder();

  const { request } = await screen.first(({ request }) => request.approvalId !== approvalId);
  await connections.first((lost) => lost === undefined);
  assert(connections.all[0] instanceof ConnectionLostError);
  await client.decide(request, "allow_once");
  assert.equal((await waiting).resolution?.policyResult, "allow");
});

test("a command whose answer was lost is sent again with its commandId, and happens once", async (t) => {
  const { home, proxy, path } = await proxied(t);
  const client = await connect(socket(path), { backoff: quick });
  t.after(() => client.close());
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  let lost = 0;
  proxy.passes = (frame) => {
    const asked = proxy.frames.find((f) => f.dir === "client" && f.id === frame.id && f.method);
    return !(frame.dir === "server" && asked?.method === "approval/open" && lost++ === 0);
  };

  const opened = await client.open(call(session.sessionId));

  const sent = proxy.frames.filter((f) => f.dir === "client" && f.method === "approval/open");
  assert.equal(sent.length, 2);
  assert.equal(sent[0]?.params.commandId, sent[1]?.params.commandId);
  const { approvals } = await client.query("approval/listPending", { sessionId: session.sessionId });
  assert.deepEqual(
    approvals.map((a) => a.approvalId),
    [opened.approvalId],
  );
});

test("a decision whose answer was lost is sent again with its commandId, and is no lost race", async (t) => {
  const { home, proxy, path } = await proxied(t);
  /** @type {Seen<unknown>} */
  const errors = new Seen();
  const client = await connect(socket(path), { backoff: quick, onError: errors.add, onRequest: () => ({ choiceId: "allow_once" }) });
  t.after(() => client.close());
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  let lost = 0;
  proxy.passes = (frame) => {
    const asked = proxy.frames.find((f) => f.dir === "client" && f.id === frame.id && f.method);
    return !(frame.dir === "server" && asked?.method === "approval/decide" && lost++ === 0);
  };

  const { approvalId } = await client.open(call(session.sessionId));
  const { resolution } = await client.await({ sessionId: session.sessionId, approvalId });

  assert.equal(resolution?.policyResult, "allow");
  const decisions = () => proxy.frames.filter((f) => f.dir === "client" && f.method === "approval/decide");
  assert.equal(new Set(decisions().map((f) => f.params.commandId)).size, 1);
  assert.deepEqual(errors.all, []);
});

test("what is on the screen is not shown again after a reconnect, and goes when it was settled meanwhile", async (t) => {
  const { home, proxy, path } = await proxied(t);
  /** @type {Screen} */
  const screen = new Seen();
  /** @type {Seen<Error | undefined>} */
  const connections = new Seen();
  const reviewer = await connect(socket(path), {
    allSessions: true,
    backoff: quick,
    onRequest: (request, { signal }) => screen.add({ request, signal }),
  });
  t.after(() => reviewer.close());
  reviewer.onConnection(connections.add);
  const agent = await connect(socket(home.socket("host")), { role: "agent" });
  t.after(() => agent.close());
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot });
  const stays = await agent.open(call(session.sessionId, "stays"));
  const goes = await agent.open(call(session.sessionId, "goes"));
  await screen.count(2);

  proxy.open = false;
  proxy.cut();
  await connections.first((lost) => lost instanceof ConnectionLostError);
  await agent.command("approval/cancel", { sessionId: session.sessionId, approvalId: goes.approvalId });
  proxy.open = true;
  await connections.first((lost) => lost === undefined);

  const [first, second] = screen.all;
  assert.equal(first?.request.approvalId, stays.approvalId);
  assert.equal(first?.signal.aborted, false);
  assert(second?.signal.reason instanceof SettledError);
  assert.equal(second.signal.reason.resolution?.outcome, "cancelled");
  // The daemon has asked again; behind another request that must have arrived.
  await agent.open(call(session.sessionId, "later"));
  await screen.count(3);
  const asked = proxy.frames.filter((f) => f.method === "approval/request" && f.params.approvalId === stays.approvalId);
  assert.equal(asked.length, 2);
  assert.deepEqual(
    screen.all.map(({ request }) => request.toolCallId),
    ["stays", "goes", "later"],
  );
});

test("without reconnect every call ends with the connection", async (t) => {
  const { home, proxy, path } = await proxied(t);
  const client = await connect(socket(path), { reconnect: false });
  t.after(() => client.close());
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  const { approvalId } = await client.open(call(session.sessionId));
  const waiting = client.await({ sessionId: session.sessionId, approvalId });
  proxy.cut();

  await assert.rejects(waiting, ConnectionLostError);
  await assert.rejects(client.query("session/list", {}), ConnectionLostError);
  assert.equal(proxy.connections, 1);
});

test("a client that is closed ends everything, and leaves nothing", async (t) => {
  const { home, path } = await proxied(t);
  const stop = new AbortController();
  const client = await connect(socket(path), { allSessions: true, signal: stop.signal, onRequest: () => undefined });
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  const { approvalId } = await client.open(call(session.sessionId));
  const waiting = client.await({ sessionId: session.sessionId, approvalId });
  const events = await client.subscribe(session.sessionId, { from: "head" });
  const next = events.next();
  stop.abort(new Error("the window is gone"));

  await assert.rejects(waiting, ClosedError);
  await assert.rejects(next, ClosedError);
  await assert.rejects(client.query("session/list", {}), ClosedError);
  await client.close();
});

test("a client that finds no daemon says so", async (t) => {
  const home = new Home(t);
  await assert.rejects(connect(socket(home.socket("host"))), { code: "ENOENT" });
  await assert.rejects(connect(stdio({ command: join(home.dir, "no-such-program") })), { code: "ENOENT" });
});

/**
 * A daemon, with a proxy before its host socket.
 *
 * @param {import("node:test").TestContext} t
 */
async function proxied(t) {
  const home = new Home(t);
  await home.serve();
  const path = join(home.dir, "proxy.sock");
  return { home, path, proxy: await Proxy.listen(t, path, home.socket("host")) };
}
