import { createServer } from "node:net";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/**
 * A daemon that says what a test has it say: for what the real one does not do.
 *
 * @typedef {object} Fake
 * @property {string} path
 * @property {(line: string) => void} say sends bytes as they are
 * @property {(frame: object) => void} tell sends a frame
 * @property {import("./events.js").Seen<any>} heard what the client sent
 */

/**
 * @param {import("node:test").TestContext} t
 * @param {import("./events.js").Seen<any>} heard
 * @param {(frame: any, fake: Fake) => void} answer
 * @returns {Promise<Fake>}
 */
export async function fakeDaemon(t, heard, answer) {
  const dir = mkdtempSync(join(tmpdir(), "apf"));
  /** @type {Set<import("node:net").Socket>} */
  const sockets = new Set();
  const fake = /** @type {Fake} */ ({
    path: join(dir, "sock"),
    heard,
    say: (line) => sockets.forEach((s) => s.write(line)),
    tell: (frame) => fake.say(JSON.stringify({ jsonrpc: "2.0", ...frame }) + "\n"),
  });
  const server = createServer((socket) => {
    sockets.add(socket);
    let text = "";
    socket.on("error", () => {});
    socket.on("close", () => sockets.delete(socket));
    socket.on("data", (piece) => {
      text += piece;
      const lines = text.split("\n");
      text = lines.pop() ?? "";
      for (const line of lines) {
        const frame = JSON.parse(line);
        if (frame.method === "initialize") {
          fake.tell({ id: frame.id, result: { serverInfo: { name: "fake", version: "0" }, future: true } });
        } else {
          answer(frame, fake);
        }
        heard.add(frame);
      }
    });
  });
  await new Promise((resolve) => server.listen(fake.path, () => resolve(undefined)));
  t.after(async () => {
    sockets.forEach((s) => s.destroy());
    await new Promise((resolve) => server.close(resolve));
    rmSync(dir, { recursive: true });
  });
  return fake;
}
