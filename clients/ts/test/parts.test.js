import assert from "node:assert/strict";
import { test } from "node:test";

import { FrameTooLargeError, isSubject, newCommandId, SessionFold, socketPath } from "@approvald/client";

import { LineCutter } from "../src/lines.js";

test("command ids are UUIDs of version 7, each later than the one before", () => {
  const ids = Array.from({ length: 10_000 }, newCommandId);
  for (const id of ids) {
    assert.match(id, /^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
  }
  assert.deepEqual(ids, [...ids].sort());
  assert.equal(new Set(ids.map((id) => id.slice(0, 18))).size, ids.length);
});

test("lines are cut wherever they were broken, and are bounded", () => {
  for (const pieces of [["a\nbé\n\nc"], ["a", "\nb", "é", "\n", "\n", "c"], ["a\r\n", "bé\r\n", "\r\n", "c"]]) {
    const cutter = new LineCutter();
    assert.deepEqual(
      pieces.flatMap((piece) => cutter.push(Buffer.from(piece))),
      ["a", "bé"],
    );
    assert.deepEqual(cutter.push(Buffer.from("\n")), ["c"]);
  }
  const small = new LineCutter(4);
  assert.deepEqual(small.push(Buffer.from("1234\n1234")), ["1234"]);
  assert.throws(() => small.push(Buffer.from("5")), FrameTooLargeError);
});

test("a fold keeps the first resolution, and what was settled stays settled", () => {
  const fold = new SessionFold();
  const requested = (/** @type {string} */ approvalId) => ({ method: "approval/requested", params: { approvalId, toolName: "t", availableChoices: [1] } });
  fold.apply({ method: "approval/updated", params: { approvalId: "a" } }); // never heard of
  assert.equal(fold.pending.size, 0);
  fold.apply(requested("a"));
  fold.apply({ method: "approval/updated", params: { approvalId: "a", availableChoices: [] } });
  assert.deepEqual(fold.pending.get("a")?.availableChoices, []);
  assert.equal(fold.pending.get("a")?.toolName, "t");
  fold.apply(requested("a"));
  assert.equal(fold.pending.get("a")?.availableChoices.length, 1);
  fold.apply({ method: "approval/resolved", params: { approvalId: "a", outcome: "rejected" } });
  fold.apply({ method: "approval/resolved", params: { approvalId: "a", outcome: "allowedOnce" } });
  fold.apply(requested("a"));
  assert.equal(fold.pending.size, 0);
  assert.equal(fold.resolved.get("a")?.outcome, "rejected");
  fold.apply({ method: "userInput/requested", params: { userInputId: "u" } });
  assert.equal(fold.prompts.size, 1);
  fold.apply({ method: "userInput/settled", params: { userInputId: "u", outcome: "answered" } });
  fold.apply({ method: "userInput/requested", params: { userInputId: "u" } });
  assert.equal(fold.prompts.size, 0);
  fold.apply({ method: "session/closed", params: { reason: "closed" } });
  assert.equal(fold.closed, "closed");
  fold.apply({ method: "session/teleported", params: {} });
});

test("a fold remembers no more than a bounded number of what was settled", () => {
  const fold = new SessionFold();
  for (let i = 0; i < 10_010; i++) {
    fold.apply({ method: "approval/resolved", params: { approvalId: String(i) } });
  }
  assert.equal(fold.resolved.size, 10_000);
  assert(fold.resolved.has("10009") && !fold.resolved.has("0"));
});

test("a subject tells what it holds by its kind", () => {
  /** @type {import("../src/types.js").Subject} */
  const subject = { kind: "network", host: "example.com", port: 443, protocol: "https" };
  assert(isSubject(subject, "network") && subject.host === "example.com");
  assert(!isSubject(subject, "shell"));
});

test("sockets are where the daemon opens them", () => {
  const { APPROVALD_RUNTIME_DIR: chosen, XDG_RUNTIME_DIR: base } = process.env;
  try {
    process.env["APPROVALD_RUNTIME_DIR"] = "/run/chosen";
    assert.equal(socketPath("agent"), "/run/chosen/agent/agent.sock");
    delete process.env["APPROVALD_RUNTIME_DIR"];
    process.env["XDG_RUNTIME_DIR"] = "/run/user/1";
    assert.equal(socketPath("reviewer"), "/run/user/1/approvald/reviewer/reviewer.sock");
    process.env["XDG_RUNTIME_DIR"] = "relative";
    assert.match(socketPath("host"), /^\/tmp\/approvald-\d+\/host\/host\.sock$/);
  } finally {
    for (const [name, value] of Object.entries({ APPROVALD_RUNTIME_DIR: chosen, XDG_RUNTIME_DIR: base })) {
      if (value === undefined) {
        delete process.env[name];
      } else {
        process.env[name] = value;
      }
    }
  }
});
