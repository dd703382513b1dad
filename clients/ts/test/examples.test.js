import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

import { connect, socket } from "@approvald/client";

import { review } from "../examples/extension.mjs";
import { call, Home, subjects } from "./daemon.js";
import { Seen } from "./events.js";

test("the reviewer at a terminal decides a real approval", async (t) => {
  const home = new Home(t);
  await home.serve();
  const agent = await connect(socket(home.socket("host")), { role: "agent" });
  t.after(() => agent.close());
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot });
  const { approvalId } = await agent.open({ ...call(session.sessionId, "call_1", subjects.twoStages), reason: "to test\u001b[2J it" });

  const reviewer = spawn(process.execPath, [fileURLToPath(new URL("../examples/reviewer.mjs", import.meta.url)), home.socket("reviewer")]);
  const ended = new Promise((resolve) => reviewer.once("close", resolve));
  t.after(() => reviewer.kill());
  /** @type {Seen<string>} */
  const said = new Seen();
  let text = "";
  reviewer.stdout.on("data", (piece) => said.add((text += piece)));
  reviewer.stderr.on("data", (piece) => said.add((text += piece)));
  const asksAbout = (/** @type {string} */ part) => said.first((s) => s.includes(part) && s.slice(s.indexOf(part)).includes("A number decides"));
  await asksAbout("part 1 of 2: make clean");
  reviewer.stdin.write("1\n1\n"); // the second answers nothing: there is no question yet
  await asksAbout("part 2 of 2: make test");

  // While a question stands there others may settle it, and the next line is for the next one.
  const other = await agent.open({ ...call(session.sessionId, "call_2", subjects.tool), reason: "to see what is next" });
  const decider = await connect(socket(home.socket("reviewer")), { role: "reviewer", allSessions: true });
  t.after(() => decider.close());
  const [first] = (await decider.query("approval/listPending", {})).approvals;
  assert(first?.currentRequirementId.sourceIndex === 1, "part 2 was answered before it was asked");
  await decider.decide(first, "allow_once");
  await asksAbout("to see what is next");
  reviewer.stdin.write("1\n");
  const { resolution: next } = await agent.await({ sessionId: session.sessionId, approvalId: other.approvalId });
  assert.equal(next?.outcome, "allowedOnce");
  const { resolution } = await agent.await({ sessionId: session.sessionId, approvalId });
  reviewer.stdin.end();

  assert.equal(resolution?.outcome, "allowedOnce");
  assert.equal(await ended, 0);
  assert.match(text, /to test\\u\{1b\}\[2J it/);
});

test("the reviewer of an extension shows one dialog at a time, and takes down what is settled", async (t) => {
  const home = new Home(t);
  await home.serve();
  /** @typedef {Parameters<import("../examples/extension.mjs").Window["show"]>[0]} Dialog */
  /** @type {Seen<{ dialog: Dialog, close: (answer: any) => void }>} */
  const shown = new Seen();
  /** @type {Seen<{ waiting: number, connected: boolean }>} */
  const badges = new Seen();
  const off = new AbortController();
  const client = await review(
    {
      show: (dialog) =>
        new Promise((resolve) => {
          dialog.signal.addEventListener("abort", () => resolve(undefined));
          shown.add({ dialog, close: resolve });
        }),
      badge: badges.add,
      problem: (error) => assert.fail(String(error)),
    },
    socket(home.socket("host")),
    off.signal,
  );
  t.after(() => client.close());
  const agent = await connect(socket(home.socket("host")), { role: "agent" });
  t.after(() => agent.close());
  const { session } = await agent.startSession({ workspaceRoot: home.workspaceRoot });
  const ids = [];
  for (const toolCallId of ["one", "two", "three"]) {
    ids.push((await agent.open(call(session.sessionId, toolCallId))).approvalId);
  }
  await badges.first((b) => b.waiting === 3);
  assert.equal(shown.all.length, 1);

  // One is settled elsewhere, two by a choice, three is closed without one.
  await agent.command("approval/cancel", { sessionId: session.sessionId, toolCallId: "one" });
  await shown.count(2);
  assert.equal(shown.all[0]?.dialog.signal.aborted, true);
  const reject = shown.all[1]?.dialog.choices.at(-1);
  shown.all[1]?.close({ choice: reject, feedback: "not now" });
  await shown.count(3);
  shown.all[2]?.close(undefined);
  await badges.first((b) => b === badges.all.at(-1) && b.waiting === 0);

  await agent.awaitAll({ sessionId: session.sessionId, approvalIds: ids.slice(0, 2) });
  const results = await agent.awaitAll({ sessionId: session.sessionId, approvalIds: ids, waitMs: 0 });
  assert.deepEqual(
    results.map((r) => r.resolution?.outcome),
    ["cancelled", "rejected", undefined],
  );
  assert.equal(results[1]?.resolution?.denial?.feedback, "not now");
  off.abort();
  await assert.rejects(client.query("session/list", {}), /closed/);
});
