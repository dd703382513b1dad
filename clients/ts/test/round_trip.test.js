import assert from "node:assert/strict";
import { test } from "node:test";

import { ApprovaldError, ChoiceError, connect, isRefusal, SettledError, socket, stdio } from "@approvald/client";

import { call, Home, subjects } from "./daemon.js";
import { Seen } from "./events.js";

/** @import { ApprovalRequest } from "../src/types.js" */

for (const door of /** @type {const} */ (["socket", "stdio"])) {
  test(`an approval is opened, awaited and decided over ${door}`, async (t) => {
    const home = new Home(t);
    if (door === "socket") {
      await home.serve();
    }
    /** @type {Seen<ApprovalRequest>} */
    const shown = new Seen();
    const client = await connect(door === "socket" ? socket(home.socket("host")) : stdio(home.stdio), {
      name: "tester",
      onRequest: (request) => {
        shown.add(request);
        return { choiceId: "allow_once" };
      },
    });
    t.after(() => client.close());
    assert.equal(client.server.serverInfo.name, "approvald");
    const { session } = await client.startSession({ workspaceRoot: home.workspaceRoot });
    const opened = await client.open(call(session.sessionId));
    assert.equal(opened.state, "pending");

    const { approvalId, resolution } = await client.await({ sessionId: session.sessionId, approvalId: opened.approvalId });

    assert.equal(approvalId, opened.approvalId);
    assert.equal(resolution?.policyResult, "allow");
    assert.deepEqual(resolution?.permit, { argsDigest: opened.argsDigest, subjectDigest: opened.subjectDigest });
    assert.equal(shown.all.length, 1);
    assert.equal(shown.all[0]?.toolName, "search");
    const consumed = await client.command("approval/consume", {
      sessionId: session.sessionId,
      approvalId,
      toolCallId: opened.toolCallId,
      argsDigest: opened.argsDigest,
    });
    assert.equal(consumed.consumed, true);
  });
}

test("each stage of a command is asked about once, and all must be allowed", async (t) => {
  const { agent, session, reviewer, shown } = await together(t, () => ({ choiceId: "allow_once" }));
  const { approvalId } = await agent.open(call(session, "call_1", subjects.twoStages));
  const { resolution } = await agent.await({ sessionId: session, approvalId });

  assert.equal(resolution?.outcome, "allowedOnce");
  assert.deepEqual(
    shown.all.map((r) => r.currentRequirementId.sourceIndex),
    [0, 1],
  );
  await reviewer.close();
});

test("a rejection takes its feedback to the agent", async (t) => {
  const { agent, session } = await together(t, () => ({ choiceId: "abort", feedback: "use the cache" }));
  const { approvalId } = await agent.open(call(session));
  const { resolution } = await agent.await({ sessionId: session, approvalId });

  assert.equal(resolution?.policyResult, "deny");
  assert.equal(resolution?.denial?.feedback, "use the cache");
  assert.equal(resolution?.permit, undefined);
});

test("what is not on the menu is not sent", async (t) => {
  const { agent, session, reviewer, shown } = await together(t, () => undefined);
  const { approvalId } = await agent.open(call(session));
  const request = await shown.first((r) => r.approvalId === approvalId);

  await assert.rejects(reviewer.decide(request, "allow_for_an_hour"), ChoiceError);
  await assert.rejects(reviewer.decide(request, "allow_once", { feedback: "hm" }), ChoiceError);
  assert.equal((await agent.await({ sessionId: session, approvalId, waitMs: 0 })).state, "pending");
});

test("a handler that gives nothing, or fails, decides nothing", async (t) => {
  /** @type {Seen<unknown>} */
  const errors = new Seen();
  const { agent, session, shown } = await together(
    t,
    ({ toolCallId }) => {
      if (toolCallId === "fails") {
        throw new Error("the window was closed");
      }
      return toolCallId === "wrong" ? { choiceId: "no_such_choice" } : undefined;
    },
    { onError: errors.add },
  );
  const ids = [];
  for (const toolCallId of ["nothing", "fails", "wrong"]) {
    ids.push((await agent.open(call(session, toolCallId))).approvalId);
  }
  await shown.count(3);
  await errors.count(2);

  const results = await agent.awaitAll({ sessionId: session, approvalIds: ids, waitMs: 0 });
  assert.deepEqual(
    results.map((r) => r.state),
    ["pending", "pending", "pending"],
  );
  assert.match(String(errors.all[0]), /the window was closed/);
  assert(errors.all[1] instanceof ChoiceError);
});

test("of two reviewers one decides, and the other is told what became of it", async (t) => {
  /** @type {Seen<{ request: ApprovalRequest, signal: AbortSignal }>} */
  const slow = new Seen();
  /** @type {Seen<unknown>} */
  const errors = new Seen();
  const { home, agent, session, shown } = await together(t, () => undefined);
  const second = await connect(socket(home.socket("host")), {
    role: "reviewer",
    allSessions: true,
    onError: errors.add,
    onRequest: (request, { signal }) =>
      new Promise((resolve) => {
        slow.add({ request, signal });
        signal.addEventListener("abort", () => resolve({ choiceId: "allow_once" }));
      }),
  });
  t.after(() => second.close());
  const { approvalId } = await agent.open(call(session));
  const onScreen = await slow.first(() => true);
  const first = await connect(socket(home.socket("host")), { role: "reviewer" });
  t.after(() => first.close());
  const ack = await first.decide(await shown.first(() => true), "abort");
  assert.equal(ack.terminal, true);

  const { resolution } = await agent.await({ sessionId: session, approvalId });
  assert.equal(resolution?.outcome, "rejected");
  if (!onScreen.signal.aborted) {
    await new Promise((resolve) => onScreen.signal.addEventListener("abort", resolve));
  }
  assert(onScreen.signal.reason instanceof SettledError);
  assert.equal(onScreen.signal.reason.resolution?.outcome, "rejected");
  const late = await second.decide(onScreen.request, "allow_once").catch((/** @type {unknown} */ error) => error);
  assert(isRefusal(late, "approvalAlreadyResolved"));
  assert.equal(late.data.resolution.outcome, "rejected");
  assert.deepEqual(errors.all, []);
});

test("where nobody is shown requests, the daemon is told", async (t) => {
  const { home, agent } = await together(t, undefined);
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot, unattended: "refuse" });
  const { approvalId } = await agent.open(call(session.sessionId));
  const { resolution } = await agent.await({ sessionId: session.sessionId, approvalId });

  assert.equal(resolution?.outcome, "unavailable");
});

test("a refusal says what kind it is", async (t) => {
  const { agent } = await together(t, undefined);
  const refusal = await agent.query("session/read", { sessionId: "0198f0aa-1111-7000-8000-0000000000aa" }).catch((/** @type {unknown} */ e) => e);

  assert(refusal instanceof ApprovaldError);
  assert.equal(refusal.kind, "sessionNotFound");
  assert.equal(refusal.code, -32020);
  assert.equal(refusal.retryable, false);
  assert(isRefusal(refusal, "sessionNotFound") && refusal.data.sessionId === "0198f0aa-1111-7000-8000-0000000000aa");
  assert(!isRefusal(refusal, "approvalNotFound"));
});

test("an abort ends the waiting, and the approval waits on", async (t) => {
  const { agent, session, shown } = await together(t, () => undefined);
  const { approvalId } = await agent.open(call(session));
  const stop = new AbortController();
  const waiting = agent.await({ sessionId: session, approvalId }, { signal: stop.signal });
  await shown.count(1);
  stop.abort(new Error("the user pressed Escape"));

  await assert.rejects(waiting, /the user pressed Escape/);
  assert.equal((await agent.await({ sessionId: session, approvalId, waitMs: 0 })).state, "pending");
});

/**
 * A daemon, an agent with a session, and a reviewer of all sessions who counts as somebody to ask.
 *
 * @param {import("node:test").TestContext} t
 * @param {import("@approvald/client").RequestHandler | undefined} handler
 * @param {import("@approvald/client").Options} [options] of the reviewer
 */
async function together(t, handler, options = {}) {
  const home = new Home(t);
  await home.serve();
  /** @type {Seen<ApprovalRequest>} */
  const shown = new Seen();
  const agent = await connect(socket(home.socket("host")), { name: "an_agent", role: "agent" });
  t.after(() => agent.close());
  const reviewer = await connect(socket(home.socket("host")), { role: "reviewer", allSessions: true, interactive: true, ...options });
  t.after(() => reviewer.close());
  if (handler) {
    reviewer.onRequest((request, context) => {
      shown.add(request);
      return handler(request, context);
    });
  }
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot });
  return { home, agent, reviewer, session: session.sessionId, shown };
}
