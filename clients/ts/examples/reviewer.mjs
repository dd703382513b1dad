// Puts what waits to the person at this terminal, and decides as they say:
//
//   node examples/reviewer.mjs [SOCKET]
//
// SOCKET is that of a daemon that runs, by default this user's reviewer socket. Ctrl-D ends it.
import { once } from "node:events";
import { createInterface } from "node:readline";

import { connect, isSubject, socket, socketPath } from "../src/index.js";

/** @import { ApprovalRequest } from "../src/types.js" */

const terminal = createInterface({ input: process.stdin });
const ended = new AbortController(); // the input is

// One at a time, and a line counts for the question that stands there when it is ended: what
// somebody types must not answer a question that they have not read.
let turn = Promise.resolve();

const client = await connect(socket(process.argv[2] ?? socketPath("reviewer")), {
  name: "example_reviewer",
  role: "reviewer",
  allSessions: true,
  onRequest: (request, { signal }) => {
    const asked = turn.then(() => (signal.aborted ? undefined : ask(request, signal)));
    turn = asked.then(() => {});
    return asked;
  },
});
client.onConnection((lost) => say(lost ? `The daemon is gone (${lost.message}); looking for it…` : "The daemon is back."));
say(`Connected to approvald ${client.server.serverInfo.version}. Waiting for something to decide; Ctrl-D ends.`);
terminal.once("close", () => {
  ended.abort();
  void client.close();
});

/**
 * @param {ApprovalRequest} request
 * @param {AbortSignal} signal
 */
async function ask(request, signal) {
  say("", `${request.toolName} asks: ${request.reason}`, ...describe(request).map((line) => `  ${line}`));
  request.availableChoices.forEach(({ label, rulePreview }, i) => {
    say(`  ${i + 1}) ${label}`, ...(rulePreview ? [`     | ${rulePreview}`] : []));
  });
  say("A number decides; an empty line leaves it to others.");
  const line = await nextLine(signal);
  if (signal.aborted) {
    say(`Nothing is left to decide: ${signal.reason.message}.`);
    return undefined;
  }
  const choice = request.availableChoices[Number(line) - 1];
  say(choice ? `You chose: ${choice.label}` : "It waits on.");
  return choice && { choiceId: choice.choiceId };
}

/**
 * The next line that is typed; undefined where there is none before the signal or the end.
 *
 * @param {AbortSignal} signal
 * @returns {Promise<string | undefined>}
 */
async function nextLine(signal) {
  const over = AbortSignal.any([signal, ended.signal]);
  try {
    const [line] = await once(terminal, "line", { signal: over });
    return line;
  } catch (error) {
    if (over.aborted) {
      return undefined;
    }
    throw error;
  }
}

/**
 * What is to be done, in lines. A kind that is not known is shown as it is.
 *
 * @param {ApprovalRequest} request
 */
function describe({ subject, currentRequirementId, rawArgs }) {
  if (isSubject(subject, "shell")) {
    const part = subject.stages.find((s) => s.requirementId.sourceIndex === currentRequirementId.sourceIndex);
    const of = part && part.totalStages > 1 ? [`part ${part.position} of ${part.totalStages}: ${part.argv.join(" ")}`] : [];
    return [subject.command, `in ${subject.cwd}`, ...of];
  }
  if (isSubject(subject, "fileAccess")) {
    return [`${subject.access} ${subject.path}`, ...(subject.diff ?? "").split("\n").filter(Boolean)];
  }
  if (isSubject(subject, "network")) {
    return [`connect to ${subject.host}:${subject.port} (${subject.protocol})`];
  }
  return [JSON.stringify(subject), `arguments: ${rawArgs}`];
}

/**
 * Prints lines of which some come from agents: what a terminal would act on becomes visible.
 *
 * @param {...string} said
 */
function say(...said) {
  for (const line of said) {
    process.stdout.write(line.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (c) => `\\u{${c.codePointAt(0)?.toString(16)}}`) + "\n");
  }
}
