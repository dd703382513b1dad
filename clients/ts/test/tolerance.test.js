import assert from "node:assert/strict";
import { test } from "node:test";

import { connect, FrameTooLargeError, isRefusal, socket } from "@approvald/client";

import { Seen } from "./events.js";
import { fakeDaemon } from "./fake.js";

/** @import { ApprovalRequest } from "../src/types.js" */

/**
 * A request as a newer host may send it.
 *
 * @param {number} sourceIndex
 * @returns {any}
 */
const request = (sourceIndex) => ({
  sessionId: "s",
  approvalId: "a",
  toolName: "teleport",
  viewCursor: `v:s:${sourceIndex}`,
  sourceRange: { stream: { kind: "approval.review", id: "s" }, first: { id: "x", sequence: 1 }, last: { id: "x", sequence: 1 } },
  subject: { kind: "wormhole", destination: "Vega", future: [1] },
  currentRequirementId: { approvalId: "a", sourceIndex },
  availableChoices: [{ choiceId: "allow_today", label: "Allow today", decision: "approvedToday", scope: "day" }],
  future: null,
});

test("what a newer daemon says is kept or ignored, and nothing breaks", async (t) => {
  /** @type {Seen<ApprovalRequest>} */
  const shown = new Seen();
  /** @type {Seen<[string, unknown]>} */
  const told = new Seen();
  const fake = await fakeDaemon(t, new Seen(), (frame, { tell, say }) => {
    if (frame.method === "session/list") {
      tell({ id: "not asked", result: {} });
      tell({ id: 7, result: {} });
      say("\r\nno JSON\n[]\nnull\n17\n");
      tell({ method: "session/teleported", params: { future: true } });
      tell({ method: "session/teleported" });
      tell({ method: "approval/resolved", params: [] });
      tell({ method: "approval/resolved", params: null });
      tell({ method: "approval/updated", params: { approvalId: "never heard of" } });
      tell({ method: "approval/resolved", params: { approvalId: "nor of this" } });
      tell({ id: 1, method: "approval/teleport", params: {} });
      tell({ id: 2, method: "approval/request", params: { approvalId: "a" } });
      tell({ id: 3, method: "approval/request", params: request(0), trace: {} });
      tell({ id: frame.id, result: { sessions: [], nextCursor: null, future: 1 }, future: {} });
    }
  });
  const client = await connect(socket(fake.path), { onRequest: (r) => shown.add(r) });
  t.after(() => client.close());
  client.onNotification((method, params) => told.add([method, params]));

  assert.deepEqual(await client.query("session/list", {}), { sessions: [], nextCursor: null, future: 1 });

  assert.deepEqual(told.all[0], ["session/teleported", { future: true }]);
  const receipts = [1, 2, 3].map((id) => fake.heard.first((f) => f.id === id && !f.method));
  assert.equal((await receipts[0])?.error.code, -32601);
  assert.equal((await receipts[1])?.error.code, -32602);
  assert.deepEqual((await receipts[2])?.result, {});
  const [asked] = shown.all;
  assert(asked);
  assert.equal(asked.subject.kind, "wormhole");
  assert.equal(asked.availableChoices[0]?.scope, "day");
  assert.equal(shown.all.length, 1);
  assert(!fake.heard.all.some((f) => f.method === "approval/decide"));
});

test("a host that tells of the next stage by an update only is answered all the same", async (t) => {
  /** @type {Seen<{ request: ApprovalRequest, signal: AbortSignal }>} */
  const shown = new Seen();
  const fake = await fakeDaemon(t, new Seen(), () => {});
  const client = await connect(socket(fake.path), { onRequest: (r, { signal }) => shown.add({ request: r, signal }) });
  t.after(() => client.close());
  await fake.heard.first((f) => f.method === "initialized");
  fake.tell({ id: 1, method: "approval/request", params: request(0) });
  fake.tell({ id: 2, method: "approval/request", params: request(0) }); // again
  fake.tell({ method: "approval/updated", params: { ...request(1), change: { kind: "stageResolved" } } });
  await shown.count(2);
  fake.tell({ id: 3, method: "approval/request", params: request(1) }); // and a host that asks as well
  fake.tell({ method: "approval/updated", params: { ...request(1), availableChoices: [], change: { kind: "reviewStarted" } } });
  fake.tell({ method: "approval/resolved", params: { approvalId: "a", outcome: "vanished" } });
  fake.tell({ id: 4, method: "approval/request", params: request(1) }); // late
  await fake.heard.first((f) => f.id === 4 && !f.method);

  assert.deepEqual(
    shown.all.map(({ request }) => request.currentRequirementId.sourceIndex),
    [0, 1],
  );
  assert(shown.all.every(({ signal }) => signal.aborted));
  assert.equal(shown.all[1]?.signal.reason.resolution.outcome, "vanished");
});

test("frames may come in pieces of one byte", async (t) => {
  const fake = await fakeDaemon(t, new Seen(), (frame, { say }) => {
    const bytes = JSON.stringify({ jsonrpc: "2.0", id: frame.id, result: { sessions: [], nextCursor: "é😀" } }) + "\r\n";
    for (const byte of Buffer.from(bytes)) {
      say(/** @type {any} */ (Buffer.from([byte])));
    }
  });
  const client = await connect(socket(fake.path));
  t.after(() => client.close());
  assert.equal((await client.query("session/list", {})).nextCursor, "é😀");
});

test("a frame over the limit ends the client, with reconnect too", async (t) => {
  const fake = await fakeDaemon(t, new Seen(), (_, { say }) => say("x".repeat(10 * 1024 * 1024 + 1)));
  const client = await connect(socket(fake.path), { backoff: () => 1 });
  t.after(() => client.close());
  await assert.rejects(client.query("session/list", {}), FrameTooLargeError);
  await assert.rejects(client.query("session/list", {}), FrameTooLargeError);
});

test("a frame over the limit is not sent", async (t) => {
  const fake = await fakeDaemon(t, new Seen(), () => {});
  const client = await connect(socket(fake.path));
  t.after(() => client.close());
  const refusal = await client.query("session/list", { cursor: "x".repeat(10 * 1024 * 1024) }).catch((/** @type {unknown} */ e) => e);
  assert(isRefusal(refusal, "inputTooLarge"));
});

test("a handler that fails ends no connection", async (t) => {
  /** @type {Seen<unknown>} */
  const errors = new Seen();
  const fake = await fakeDaemon(t, new Seen(), (frame, { tell }) => {
    tell({ method: "policy/changed", params: {} });
    tell({ id: frame.id, result: { sessions: [], nextCursor: null } });
  });
  const client = await connect(socket(fake.path), { onError: errors.add });
  t.after(() => client.close());
  client.onNotification(() => {
    throw new Error("a fault of the user's");
  });
  await client.query("session/list", {});
  assert.match(String(errors.all[0]), /a fault of the user's/);
});
