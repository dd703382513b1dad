// What the pages do while they are open. They work without it: it adds what arrives
// meanwhile, the keys, and the moment in which a new card takes no choice.

const body = document.body;
const $ = (selector, from = document) => from.querySelector(selector);
const all = (selector, from = document) => [...from.querySelectorAll(selector)];

const say = (text) => { $("#live").textContent = text; };

// ---- the stream ------------------------------------------------------------------

let cursor = body.dataset.cursor; // behind what this page shows
let source = null;
let retry = null;
let lost = false;
let attempts = 0;

function listen() {
  if (!cursor || source) return;
  clearTimeout(retry);
  const query = new URLSearchParams({ after: cursor, visible: document.visibilityState === "visible" ? "1" : "0" });
  source = new EventSource("/events?" + query);
  source.addEventListener("hello", connected);
  for (const [name, act] of Object.entries(news)) {
    source.addEventListener(name, (event) => take({ at: event.lastEventId, act, about: JSON.parse(event.data) }));
  }
  source.addEventListener("again", () => { // a page that is still there says so by coming
    stop();
    listen();
  });
  // The browser would try again by itself, but not where it was refused, and with an old
  // cursor: one way for all.
  source.onerror = () => {
    tryAgain();
    fetch("/", { method: "HEAD", cache: "no-store" }).then((answer) => { if (answer.status === 401) location.reload(); }, () => {});
  };
}

// What comes while the page is loaded again is done to the new one, unless that knows it.
let held = null;

function take(message) {
  if (held) {
    held.push(message);
    return;
  }
  cursor = message.at || cursor;
  message.act(message.about);
}

function release() {
  const messages = held ?? [];
  held = null;
  for (const message of messages) if (!known(message.at)) take(message);
}

// known reports whether the page shows what happened up to a position.
function known(at) {
  const [epoch, number] = at.split(":");
  const [ours, here] = cursor.split(":");
  return epoch === ours && Number(number) <= Number(here);
}

function stop() {
  source?.close();
  source = null;
}

// tryAgain has the stream tried again in a while.
function tryAgain() {
  stop();
  disconnected();
  attempts++;
  clearTimeout(retry);
  retry = setTimeout(listen, Math.min(5000, 200 * 2 ** Math.min(attempts, 5)));
}

// What was told of and could not be fetched is on no page: it is, when the daemon answers.
let missed = false;

function miss() {
  missed = true;
  tryAgain();
}

function connected() {
  if (missed) {
    missed = false;
    renew();
  } else {
    attempts = 0;
  }
  if (!lost) return;
  lost = false;
  $("#connection").hidden = true;
  say("Connected again.");
}

function disconnected() {
  lost = true;
  const p = $("#connection");
  p.textContent = "The daemon does not answer. What is shown may be old; this page tries again by itself.";
  p.hidden = false;
}

// Somebody who looks away is not there to be asked: the stream says which it is. A
// browser has few connections for one server, so of the tabs out of sight one listens,
// for the number in its title; the others hear everything when they are looked at.
let turn = null;
function follow() {
  stop();
  turn?.abort();
  turn = null;
  if (document.visibilityState === "visible") {
    listen();
    return;
  }
  clearTimeout(retry);
  turn = new AbortController();
  const { signal } = turn;
  navigator.locks?.request("approvald-out-of-sight", { signal }, () => {
    listen();
    return new Promise((done) => signal.addEventListener("abort", done));
  }).catch(() => {});
}
document.addEventListener("visibilitychange", () => {
  follow();
  arm();
});
addEventListener("pagehide", stop);
addEventListener("pageshow", (event) => { if (event.persisted) location.reload(); });

// ---- what arrives ----------------------------------------------------------------

const news = {
  pending(about) {
    waiting(about.waiting);
    addRow(about);
    say(`Something new waits. ${about.waiting} in all.`);
  },
  settled(about) {
    waiting(about.waiting);
    const item = rowOf(about.id);
    if (item) {
      item.classList.add("gone");
      const fate = $(".fate", item);
      fate.textContent = about.words;
      fate.classList.add(about.allowed ? "good" : "bad");
      fate.hidden = false;
    }
    if ($("#card")?.dataset.id === about.id) over(about);
  },
  changed(about) {
    if ($("#card[data-pending]")?.dataset.id === about.id) renew();
    else renewRow(about.id);
  },
  sessions() {
    if (location.pathname === "/sessions" && !document.activeElement?.closest(".session form")) renew();
  },
  reset() { renew(); },
};

function waiting(n) {
  const badge = $("#waiting");
  badge.textContent = n;
  badge.hidden = n === 0;
  document.title = (n ? `(${n}) ` : "") + `${body.dataset.title} · approvald`;
}

const rowOf = (id) => all(".rows > li").find((li) => li.dataset.id === id);

// addRow puts a new row at the end of the list. Nothing that is there moves.
let adding = Promise.resolve();
function addRow(about) {
  const list = $("#list");
  if (!list) return;
  adding = adding.then(async () => {
    if (rowOf(about.id)) return;
    const rows = $(".rows", list);
    if (!list.dataset.last || (rows && rows.children.length >= Number(list.dataset.size))) {
      const more = $("#more");
      more.textContent = "More has come: it is at the end of the list.";
      more.hidden = false;
      return;
    }
    const item = await fetchRow(about.id);
    if (!item) return;
    if (!rows) {
      await renew();
      return;
    }
    rows.append(item);
  }).catch(miss);
}

// renewRow shows another part of a command in the place of the one before.
async function renewRow(id) {
  if (!rowOf(id)) return;
  const item = await fetchRow(id).catch(miss);
  const old = rowOf(id);
  if (!item || !old || old.matches(".gone")) return;
  const focused = old.contains(document.activeElement);
  old.replaceWith(item);
  if (focused) $(".row", item).focus({ preventScroll: true });
}

// fetchRow is the row of what waits; null where it does not any more.
async function fetchRow(id) {
  const answer = await fetch("/row/" + id, { cache: "no-store" });
  if (!answer.ok) return null;
  const holder = document.createElement("template");
  holder.innerHTML = await answer.text(); // made by the server, which escapes
  return holder.content.firstElementChild;
}

// over says that what is shown was settled, here or elsewhere, before its page is
// loaded again: the choices are gone at once.
function over(about) {
  const decide = $("#decide");
  if (decide) {
    decide.classList.add("over");
    all("button, textarea", decide).forEach((element) => { element.disabled = true; });
  }
  if (leaving) return; // by the form of this page, which goes on by itself
  say(`Settled elsewhere: ${about.words}.`);
  renew(`Settled elsewhere: ${about.words}.`);
}

// renew loads the page again, in place: what is typed, the focus and the scroll stay.
let renewing = null;
function renew(text) {
  renewing ??= (async () => {
    held = [];
    try {
      const url = new URL(location.href);
      url.searchParams.delete("note");
      url.searchParams.delete("about");
      const answer = await fetch(url, { cache: "no-store" });
      if (answer.status === 401) { location.reload(); return; }
      const page = new DOMParser().parseFromString(await answer.text(), "text/html");
      const typed = all("textarea, input:not([type=hidden])").filter((element) => element.form && !element.form.matches(".filter"))
        .map((element) => [element.name, element.value, element.type, element.checked]);
      const focused = document.activeElement?.closest("[data-id]")?.dataset.id;
      const at = $("#list")?.scrollTop;
      const told = $("#main > .note"); // what was said a moment ago is to be read
      $("#main").replaceChildren(...$("#main", page).childNodes);
      for (const [name, value, type, checked] of typed) {
        const element = all(`[name="${CSS.escape(name)}"]`).find((one) => type !== "radio" && type !== "checkbox" || one.value === value);
        if (!element) continue;
        if (type === "radio" || type === "checkbox") element.checked = checked; else element.value = value;
      }
      cursor = page.body.dataset.cursor || cursor;
      body.dataset.title = page.body.dataset.title;
      waiting(Number($("#waiting", page)?.textContent || 0));
      if (at !== undefined && $("#list")) $("#list").scrollTop = at;
      if (focused) $(".row", rowOf(focused) ?? document.createElement("p"))?.focus({ preventScroll: true });
      if (text) note(text);
      else if (told) $("#main").prepend(told);
      ready();
    } catch {
      miss();
    } finally {
      renewing = null;
      release();
    }
  })();
  return renewing;
}

function note(text) {
  const p = document.createElement("p");
  p.className = "note plain";
  p.setAttribute("role", "status");
  p.textContent = text;
  $("#main").prepend(p);
}

// ---- the card --------------------------------------------------------------------

// A choice counts once its card has been in sight for a moment.
let armed = false;
let arming = null;
let leaving = false;

function arm() {
  const decide = $("#decide");
  clearTimeout(arming);
  armed = false;
  if (decide) delete decide.dataset.ready;
  if (!decide || document.visibilityState !== "visible") return;
  decide.classList.add("arming");
  arming = setTimeout(() => {
    armed = true;
    decide.classList.remove("arming");
    decide.dataset.ready = "1";
  }, Number($("#card").dataset.armed));
}

document.addEventListener("submit", (event) => {
  if (event.target.matches(".choice") && (!armed || leaving)) {
    event.preventDefault();
    return;
  }
  if (event.target.closest("#decide, #card")) leaving = true;
});

document.addEventListener("input", (event) => {
  const card = event.target.closest("#card[data-engage]");
  if (!card || card.dataset.engaged) return;
  card.dataset.engaged = "1";
  fetch(card.dataset.engage, { method: "POST", body: new URLSearchParams({ csrf: body.dataset.csrf }) }).catch(() => {});
});

// ---- keys ------------------------------------------------------------------------

document.addEventListener("keydown", (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey || event.isComposing || event.repeat) return;
  const typing = event.target.closest("textarea, input:not([type=radio], [type=checkbox]), select");
  if (typing) {
    if (event.key === "Escape") typing.blur();
    if (event.key === "Enter" && !event.shiftKey && typing.id === "feedback") {
      event.preventDefault();
      typing.form.requestSubmit();
    }
    return;
  }
  if (event.key === "j" || event.key === "k") step(event.key === "j" ? 1 : -1);
  else if (event.key === "Escape" && location.pathname !== "/") location.assign("/");
  else if (/^[1-9]$/.test(event.key)) choose(event.key);
  else return;
  event.preventDefault();
});

function step(by) {
  const rows = all(".rows > li:not(.gone) .row").filter((row) => row.offsetParent);
  if (!rows.length) return;
  const focused = rows.indexOf(document.activeElement);
  const current = focused >= 0 ? focused : rows.findIndex((row) => row.hasAttribute("aria-current"));
  rows[current < 0 ? (by > 0 ? 0 : rows.length - 1) : Math.max(0, Math.min(rows.length - 1, current + by))].focus();
}

// choose takes the choice with a number. One that can be explained waits for its
// reason, or for Enter.
function choose(key) {
  const form = $(`.choice[data-key="${key}"]`);
  if (!form || !armed) return;
  const reason = $("textarea", form);
  if (reason) reason.focus(); else form.requestSubmit();
}

// ---- times -----------------------------------------------------------------------

function rough(seconds) {
  if (seconds < 60) return `${Math.floor(seconds)} s`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min`;
  if (seconds < 172800) return `${Math.floor(seconds / 3600)} h`;
  return `${Math.floor(seconds / 86400)} d`;
}

function age() {
  const now = Date.now();
  for (const time of all("time[data-age]")) time.textContent = rough(Math.max(0, (now - Date.parse(time.dateTime)) / 1000));
  for (const time of all("time[data-until]")) {
    const left = (Date.parse(time.dateTime) - now) / 1000;
    time.textContent = left > 0 ? "in " + rough(left) : "over";
  }
}

// ready is what a page needs whenever it is new.
function ready() {
  arm();
  age();
}

ready();
setInterval(age, 5000);
follow();
const fresh = new URL(location.href);
if (fresh.searchParams.has("note")) { // it has been read: loading again must not say it again
  fresh.searchParams.delete("note");
  fresh.searchParams.delete("about");
  history.replaceState(null, "", fresh);
  if ($(".rows .row") && location.pathname === "/") $(".rows .row").focus({ preventScroll: true });
}
