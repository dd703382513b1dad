// The reviewer of an IDE extension, without the IDE: everything that is shown goes through a Window, which
// an extension writes with the calls of its editor (a notification with buttons, a badge in the status bar).
//
//   node examples/extension.mjs COMMAND…
//
// runs it with a window that prints, and that always takes the last choice, which rejects. COMMAND starts
// the daemon, by default `approvald serve --stdio`.
import { fileURLToPath } from "node:url";

import { connect, isSubject, stdio } from "../src/index.js";

/**
 * @import { Client, Transport } from "../src/index.js"
 * @import { ApprovalRequest, Choice } from "../src/types.js"
 */

/**
 * What an extension has to provide.
 *
 * @typedef {object} Window
 * @property {(dialog: Dialog) => Promise<{ choice: Choice, feedback?: string } | undefined>} show resolves with what
 *   the person chose, or with nothing when they closed it; it must go when the dialog's signal is aborted
 * @property {(state: { waiting: number, connected: boolean }) => void} badge
 * @property {(error: unknown) => void} problem
 */

/**
 * @typedef {object} Dialog
 * @property {string} title
 * @property {string} detail
 * @property {Choice[]} choices in the order in which they are to be offered
 * @property {AbortSignal} signal
 */

/**
 * Connects an extension's window to a daemon, until the signal, that of the extension's deactivation, is
 * aborted.
 *
 * @param {Window} window
 * @param {Transport} transport
 * @param {AbortSignal} signal
 * @returns {Promise<Client>}
 */
export async function review(window, transport, signal) {
  let waiting = 0;
  let connected = true;
  let turn = Promise.resolve();
  const badge = (/** @type {number} */ more) => window.badge({ waiting: (waiting += more), connected });

  const client = await connect(transport, {
    name: "example_extension",
    allSessions: true,
    signal,
    onError: window.problem,
    onRequest: async (request, { signal: settled }) => {
      badge(1);
      // One dialog at a time. Whoever closes it without a choice leaves the request to other reviewers.
      const chosen = turn.then(() => (settled.aborted ? undefined : window.show(dialog(request, settled))));
      turn = chosen.then(
        () => {},
        () => {},
      );
      try {
        const answer = await chosen;
        return answer && { choiceId: answer.choice.choiceId, ...(answer.feedback ? { feedback: answer.feedback } : {}) };
      } finally {
        badge(-1);
      }
    },
  });
  client.onConnection((lost) => {
    connected = !lost;
    badge(0);
  });
  badge(0);
  return client;
}

/**
 * @param {ApprovalRequest} request
 * @param {AbortSignal} signal
 * @returns {Dialog}
 */
function dialog(request, signal) {
  const { subject, toolName, reason, rawArgs, availableChoices, protectedWrite } = request;
  const what = isSubject(subject, "shell") ? subject.command : isSubject(subject, "fileAccess") ? `${subject.access} ${subject.path}` : rawArgs;
  return {
    title: `${toolName}: ${what}`,
    detail: [protectedWrite ? "This changes a protected file." : "", `The agent says: ${reason}`].filter(Boolean).join("\n"),
    choices: availableChoices,
    signal,
  };
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [command = "approvald", ...args] = process.argv.slice(2);
  const over = new AbortController();
  process.once("SIGINT", () => over.abort());
  await review(
    {
      show: async ({ title, detail, choices }) => {
        console.log(`[dialog] ${JSON.stringify(title)} ${JSON.stringify(detail)}: ${choices.map((c) => c.label).join(" | ")}`);
        const choice = choices.at(-1);
        return choice && { choice };
      },
      badge: ({ waiting, connected }) => console.log(`[badge] ${connected ? `${waiting} waiting` : "offline"}`),
      problem: (error) => console.error("[problem]", error),
    },
    stdio({ command, args: args.length > 0 ? args : ["serve", "--stdio"] }),
    over.signal,
  );
}
