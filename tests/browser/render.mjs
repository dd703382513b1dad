// How long the list of the web inbox takes to be seen with a thousand that wait, beside
// static pages in the same browser: `make render` prints it. No test depends on a time.
//
// The yardsticks are served from memory: one is the very same page without its script,
// the other as many bytes of plain text as the inbox's page and all that it loads.

import { createServer } from "node:http";
import { once } from "node:events";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { Home } from "./daemon.mjs";

const waiting = 1000, rounds = Number(process.env.ROUNDS ?? 31), target = 3;

const median = (values) => values.toSorted((a, b) => a - b)[values.length >> 1];

/** serve serves pages by their paths, and returns where. */
async function serve(pages) {
  const server = createServer((request, response) => {
    const { type, body } = pages.get(request.url) ?? { type: "text/plain", body: "" };
    response.writeHead(200, { "Content-Type": type, "Cache-Control": "no-store" }).end(body);
  }).listen(0, "127.0.0.1");
  await once(server, "listening");
  return { server, origin: `http://127.0.0.1:${server.address().port}` };
}

/** look loads a page anew, with nothing kept of it, and says when it was seen and when all was there. */
async function look(context, address) {
  const page = await context.newPage();
  const cdp = await context.newCDPSession(page);
  await cdp.send("Network.setCacheDisabled", { cacheDisabled: true });
  await page.goto(address, { waitUntil: "load" });
  const figures = await page.evaluate(() => new Promise((seen) => {
    const tell = () => {
      const [paint] = performance.getEntriesByName("first-contentful-paint");
      const [load] = performance.getEntriesByType("navigation");
      if (paint && load.loadEventEnd) seen({ paint: paint.startTime, load: load.loadEventEnd });
      else requestAnimationFrame(tell);
    };
    tell();
  }));
  await page.close();
  return figures;
}

const home = new Home();
const browser = await chromium.launch({ executablePath: process.env.CHROMIUM ?? "/usr/bin/chromium", args: ["--no-sandbox"] });
let yardsticks;
try {
  await home.start();
  const agent = await home.connect();
  const session = await agent.session(join(home.dir, "project"), { name: "release" });
  for (let n = 0; n < waiting; n += 100) {
    await Promise.all(Array.from({ length: 100 }, (_, i) => agent.run(session, `make target-${n + i} && ./deploy --to staging-${n + i}`)));
  }
  const context = await browser.newContext({ viewport: { width: 1360, height: 860 } });
  const page = await context.newPage();
  await page.goto(home.link());
  await page.waitForFunction(() => document.querySelector("#waiting"));
  const origin = new URL(page.url()).origin;
  const loaded = await page.evaluate(async () => { // the page itself, and what it has loaded
    const names = performance.getEntriesByType("resource").map((one) => one.name).filter((name) => !name.includes("/events"));
    return Promise.all([location.origin + "/", ...names].map(async (name) => {
      const answer = await fetch(name);
      return { path: new URL(name).pathname, type: answer.headers.get("content-type"), body: await answer.text() };
    }));
  });
  await page.close();

  const pages = new Map(loaded.map((one) => [one.path, one]));
  const html = loaded[0].body;
  const bytes = loaded.reduce((sum, { body }) => sum + Buffer.byteLength(body), 0);
  pages.set("/same", { type: "text/html; charset=utf-8", body: html.replace(/<script[^>]*><\/script>/g, "") });
  const text = "make target && ./deploy --to staging ".repeat(bytes / 37).match(/.{1,111}/g).map((line) => `<p>${line}</p>`).join("\n");
  pages.set("/text", { type: "text/html; charset=utf-8", body: `<!doctype html><title>text</title>${text}`.slice(0, bytes) });
  yardsticks = await serve(pages);

  const seen = { inbox: [], same: [], text: [] };
  const places = { inbox: origin + "/", same: yardsticks.origin + "/same", text: yardsticks.origin + "/text" };
  for (let n = 0; n <= rounds; n++) {
    for (const [name, address] of Object.entries(places)) {
      const figures = await look(context, address);
      if (n > 0) seen[name].push(figures); // the first warms the browser up
    }
  }
  console.log(`first render of the list with ${waiting} waiting: ${bytes.toLocaleString("en")} bytes, median of ${rounds} rounds, ${browser.version()}`);
  for (const name of ["same", "text"]) {
    const what = { same: "the same page without script", text: "plain text of as many bytes" }[name];
    for (const [figure, words] of [["paint", "first paint"], ["load", "all loaded"]]) {
      const ratio = median(seen.inbox.map((one, i) => one[figure] / seen[name][i][figure]));
      const ms = (of) => median(seen[of].map((one) => one[figure])).toFixed(1);
      const verdict = figure !== "paint" ? "" : `  target at most ${target}${ratio > target ? "  MISSED" : ""}`;
      console.log(`  ${words.padEnd(12)} ÷ ${what.padEnd(29)} ${ratio.toFixed(2)}  (${ms("inbox")} ÷ ${ms(name)} ms)${verdict}`);
    }
  }
} finally {
  await browser.close();
  yardsticks?.server.close();
  yardsticks?.server.closeAllConnections();
  await home.remove();
}
