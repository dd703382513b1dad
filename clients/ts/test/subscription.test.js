import assert from "node:assert/strict";
import { join } from "node:path";
import { test } from "node:test";

import { connect, socket } from "@approvald/client";

import { Subscription } from "../src/subscription.js";
import { call, Home, subjects } from "./daemon.js";
import { Seen } from "./events.js";
import { Proxy } from "./proxy.js";

test("a subscription folds what happens", async (t) => {
  const { client, session } = await started(t);
  const events = await client.subscribe(session);
  const { approvalId } = await client.open(call(session, "call_1", subjects.twoStages));

  const requested = await events.next();
  assert.equal(requested.method, "approval/requested");
  const request = events.state.pending.get(approvalId);
  assert(request);
  await client.decide(request, "allow_once");
  assert.equal((await events.next()).method, "approval/updated");
  assert.equal(events.state.pending.get(approvalId)?.currentRequirementId.sourceIndex, 1);
  assert.equal((await events.next()).method, "approval/requested");
  const second = events.state.pending.get(approvalId);
  assert(second);
  await client.decide(second, "abort");
  await client.command("session/setApprovalMode", { sessionId: session, mode: "denyUnmatched" });
  for (let event = await events.next(); event.method !== "session/approvalModeChanged"; ) {
    event = await events.next();
  }

  assert.equal(events.state.pending.size, 0);
  assert.equal(events.state.resolved.get(approvalId)?.outcome, "rejected");
  assert.equal(events.state.mode, "denyUnmatched");
  assert.equal(events.state.closed, undefined);
});

test("a loop over a subscription ends with it, and a later one goes on behind it", async (t) => {
  const { client, session } = await started(t);
  const first = await client.subscribe(session);
  await client.open(call(session, "one"));
  await client.open(call(session, "two"));
  for await (const { params } of first) {
    assert.equal(/** @type {any} */ (params).toolCallId, "one");
    break;
  }
  const second = await client.subscribe(session, { from: { after: /** @type {string} */ (first.cursor) } });
  assert.equal(/** @type {any} */ ((await second.next()).params).toolCallId, "two");
  await assert.rejects(client.subscribe(session), /has a subscription already/);
});

test("who reads slowly gets every event once, in order, from pages", async (t) => {
  const { client, session, proxy } = await started(t);
  const events = await client.subscribe(session, { from: "head" });
  const n = 700;
  /** @type {Seen<string>} */
  const told = new Seen();
  client.onNotification((method, params) => {
    if (method === "approval/requested") {
      told.add(/** @type {any} */ (params).approvalId);
    }
  });
  const opened = await Promise.all(Array.from({ length: n }, (_, i) => client.open(call(session, `call_${i}`))));
  await told.count(n); // all were sent, and nobody has read

  const read = [];
  while (read.length < n) {
    read.push(/** @type {any} */ ((await events.next()).params).approvalId);
  }

  assert.deepEqual(read, told.all);
  assert.equal(new Set(read).size, n);
  assert.deepEqual(new Set(read), new Set(opened.map((o) => o.approvalId)));
  assert(proxy.frames.some((f) => f.dir === "client" && f.method === "view/page"));
  await client.open(call(session, "one more"));
  assert.equal(/** @type {any} */ ((await events.next()).params).toolCallId, "one more");
});

test("a subscription misses nothing of the time without a connection", async (t) => {
  const { client, session, proxy, home } = await started(t);
  /** @type {Seen<Error | undefined>} */
  const connections = new Seen();
  client.onConnection(connections.add);
  const events = await client.subscribe(session);
  await client.open(call(session, "before"));
  assert.equal(/** @type {any} */ ((await events.next()).params).toolCallId, "before");
  const next = events.next();

  proxy.open = false;
  proxy.cut();
  await connections.first((lost) => lost !== undefined);
  const other = await connect(socket(home.socket("host")));
  t.after(() => other.close());
  await other.open(call(session, "meanwhile"));
  proxy.open = true;

  assert.equal(/** @type {any} */ ((await next).params).toolCallId, "meanwhile");
  await client.open(call(session, "after"));
  assert.equal(/** @type {any} */ ((await events.next()).params).toolCallId, "after");
});

/** @param {import("node:test").TestContext} t */
async function started(t) {
  const home = new Home(t);
  await home.serve();
  const path = join(home.dir, "proxy.sock");
  const proxy = await Proxy.listen(t, path, home.socket("host"));
  const client = await connect(socket(path), { backoff: () => 5 });
  t.after(() => client.close());
  const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
  return { home, proxy, client, session: session.sessionId };
}

test("a subscription is told nothing from before its beginning, also of the record that it begins behind", async () => {
  /** @param {number} sequence @param {number} i @returns {any} */
  const event = (sequence, i) => ({
    method: "approval/updated",
    params: { sessionId: "s", viewCursor: `v${sequence}.${i}`, sourceRange: { last: { sequence } } },
  });
  for (const cursor of [undefined, "v3.1"]) {
    const events = new Subscription({
      sessionId: "s",
      ...(cursor ? { cursor } : {}),
      page: async ({ direction }) => ({ events: direction === "backward" ? [event(3, 1)] : [], nextCursor: null }),
      leave: async () => {},
    });
    if (!cursor) {
      await events.atHead();
    }
    const next = events.next();
    await new Promise(setImmediate); // it has read its pages, and waits
    for (const late of [event(2, 0), event(3, 0), event(3, 1), event(4, 0)]) {
      events.push(late.method, late.params);
    }
    assert.equal(/** @type {any} */ ((await next).params).viewCursor, "v4.0", cursor ?? "head");
    await events.close();
  }
});
