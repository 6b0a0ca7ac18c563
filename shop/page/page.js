// SPDX-License-Identifier: Apache-2.0

// The page of the shop: it asks the run how far it is, five times a second, and draws
// that. Text reaches the page as text only, never as HTML.

"use strict";

const kBetweenLooks = 200; // ms
const kSvg = "http://www.w3.org/2000/svg";

const byId = (id) => document.getElementById(id);

// Makes an element with attributes and children; a string becomes text.
function make(tag, attributes = {}, ...children) {
  const svg = ["svg", "line", "text", "polyline", "polygon"].includes(tag);
  const element = svg ? document.createElementNS(kSvg, tag) : document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

function grouped(number, decimals = 0) {
  return number.toLocaleString("en-US", {
    minimumFractionDigits: decimals,
    maximumFractionDigits: decimals,
  });
}

// A time, as milliseconds: with two decimals below ten.
function ms(time) {
  return grouped(time, time < 10 ? 2 : 1);
}

// ---- what is known

let run = null; // of run.json
let result = { strategies: [], scenes: [] }; // of result.json
let state = { phase: "opening", strategies: 0, scenes: 0 };
let next = 0; // the number of the next moment
let moments = []; // for each strategy, a list
let chosen = null; // the strategy that is looked at; null: the one that goes on
let closed = false; // The shop does not answer any more.

function toMoment(list) {
  const [strategy, seconds, left, sold, errors, rate, p50, p90, p99, services] = list;
  return { strategy, seconds, left, sold, errors, rate, p50, p90, p99, services };
}

async function fetchJson(path, options) {
  const response = await fetch(path, { cache: "no-store", ...options });
  if (!response.ok) throw new Error((await response.text()).trim());
  return response.json();
}

async function look() {
  if (run === null) {
    run = await fetchJson("run.json");
    moments = run.plan.map(() => []);
    drawConditions();
    drawCards();
  }
  const before = state;
  state = await fetchJson(`state.json?from=${next}`);
  next += state.moments.length;
  for (const moment of state.moments.map(toMoment)) moments[moment.strategy].push(moment);
  const counts = ({ phase, strategies, scenes }) => `${phase} ${strategies} ${scenes}`;
  if (counts(before) !== counts(state)) {
    result = await fetchJson("result.json");
    drawTable();
    drawScenes();
    drawCards();
  }
  drawPhase();
  drawSale();
  if (state.moments.length) drawSpark(state.moments.at(-1)[0]);
  if (!byId("try").hidden) await lookAtTries();
}

// ---- the head

function drawConditions() {
  const services = run.nginx ? `${run.services} services behind nginx` : "one service";
  byId("conditions").textContent =
    `${grouped(run.stock)} items · ${grouped(run.users)} users × ` +
    `${grouped(run.requests)} requests · ${services}`;
}

function phaseText() {
  const count = run.plan.length;
  const at = `strategy ${Math.min(state.strategies + 1, count)} of ${count}`;
  switch (state.phase) {
    case "opening": return state.strategies < count ? `Opening the shop for ${at}` : "Selling is over";
    case "selling": return `Selling with ${at}`;
    case "playing": return `All ${count} strategies have sold. Scene ${state.scenes + 1} is played`;
    case "kept": return "The run is over, and the shop stays open: try it";
    default: return "The run is over";
  }
}

function drawPhase() {
  byId("phase").textContent = closed ? "The shop has closed. This is what it showed last" : phaseText();
  byId("progress").replaceChildren(...run.plan.map((_, i) => make("span", { class: kindOf(i) })));
}

// Which colour a strategy has: by what became of it.
function kindOf(i) {
  const row = result.strategies[i];
  if (row) return row.oversold > 0 ? "bad" : row.holdfast ? "ours" : "other";
  return i === state.strategies && state.phase === "selling" ? "now" : "";
}

// ---- one sale

// Between two sales it is the one before.
function shown() {
  if (chosen !== null) return chosen;
  return state.phase === "selling" ? state.strategies : Math.max(0, state.strategies - 1);
}

function oversoldOf(moment) {
  return Math.max(0, moment.sold - (run.stock - moment.left));
}

function verdictOf(i, oversold) {
  const row = result.strategies[i];
  if (oversold > 0) return ["bad", `${grouped(oversold)} items oversold`];
  if (!row) return ["", moments[i].length ? "selling" : "not yet"];
  if (row.cut) return ["warn", `not oversold; cut after ${grouped(run.limit_s)} s`];
  return ["good", "not oversold"];
}

function figure(what, number, unit, kind = "") {
  return make("div", { class: kind }, make("b", {}, number), ` ${unit}`, make("span", {}, what));
}

function drawSale() {
  const i = shown();
  const plan = run.plan[i];
  const list = moments[i];
  const last = list.at(-1) ?? {
    left: run.stock, sold: 0, errors: 0, rate: 0, p50: 0, p99: 0, seconds: 0, services: [],
  };
  const row = result.strategies[i];
  const oversold = row ? row.oversold : oversoldOf(last);
  const errors = row ? row.error_percent : 100 * last.errors / Math.max(1, last.sold + last.errors);
  byId("name").textContent = plan.name;
  byId("how").textContent = `${plan.how}. Store: ${plan.store}.`;
  const [kind, words] = verdictOf(i, oversold);
  byId("verdict").className = `mark ${kind}`;
  byId("verdict").textContent = words;
  byId("sale").classList.toggle("bad", oversold > 0);
  byId("figures").replaceChildren(
    figure("left", grouped(last.left), "items"),
    figure("sold", grouped(last.sold), "items"),
    figure("oversold", grouped(oversold), "items", oversold > 0 ? "bad" : ""),
    figure("purchases", grouped(row ? row.requests_per_s : last.rate), "/s"),
    figure("latency, median", ms(row ? row.median_ms : last.p50), "ms"),
    figure("latency, p99", ms(row ? row.p99_ms : last.p99), "ms"),
    figure("errors", grouped(errors, 2), "%", errors > 0 ? "warn" : ""));
  const seconds = row ? last.seconds : Math.max(1, last.seconds);
  plot("plot-stock", list, seconds, [["left", (m) => m.left], ["sold", (m) => m.sold]], run.stock);
  const rated = list.slice(1);
  plot("plot-rate", rated, seconds, [["rate", (m) => m.rate]], 0, true);
  plot("plot-latency", rated, seconds, [["p99", (m) => m.p99], ["p90", (m) => m.p90], ["p50", (m) => m.p50]]);
  drawFloor(row ? fullest(list) : last, row);
}

// The least round number that is not below the value.
function roundUp(value) {
  const power = 10 ** Math.floor(Math.log10(Math.max(value, 1e-3)));
  return [1, 1.5, 2, 3, 4, 5, 6, 8, 10].map((n) => n * power).find((n) => n >= value * 0.9999);
}

// Lines by time, with a scale of three lines. `fill` fills what is under the first.
function plot(id, list, seconds, lines, least = 0, fill = false) {
  const box = byId(id);
  const width = box.clientWidth;
  const height = box.clientHeight;
  if (width === 0) return; // It is in a tab that is not shown.
  const inner = { left: 46, right: width - 6, top: 8, bottom: height - 20 };
  const values = list.flatMap((m) => lines.map(([, value]) => value(m)));
  const top = roundUp(Math.max(least, 1, ...values));
  const x = (s) => inner.left + (inner.right - inner.left) * Math.min(1, s / seconds);
  const y = (v) => inner.bottom - (inner.bottom - inner.top) * (v / top);
  const parts = [];
  for (const share of [0, 0.5, 1]) {
    const at = y(top * share);
    parts.push(make("line", { class: "grid", x1: inner.left, x2: inner.right, y1: at, y2: at }));
    parts.push(make("text", { x: inner.left - 8, y: at + 4, "text-anchor": "end" },
      grouped(top * share, top < 2 ? 2 : top < 10 ? 1 : 0)));
  }
  parts.push(make("text", { x: inner.left, y: height - 4 }, "0 s"));
  parts.push(make("text", { x: inner.right, y: height - 4, "text-anchor": "end" }, `${grouped(seconds, 1)} s`));
  lines.forEach(([kind, value], i) => {
    const points = list.map((m) => `${x(m.seconds).toFixed(1)},${y(value(m)).toFixed(1)}`);
    if (fill && i === 0 && list.length > 1) {
      const ends = [`${x(list.at(-1).seconds)},${y(0)}`, `${x(list[0].seconds)},${y(0)}`];
      parts.push(make("polygon", { points: [...points, ...ends].join(" ") }));
    }
    parts.push(make("polyline", { class: kind, points: points.join(" ") }));
  });
  box.replaceChildren(make("svg", { viewBox: `0 0 ${width} ${height}`, role: "img" }, ...parts));
}

function insideOf(moment) {
  return moment.services.reduce((sum, [inside]) => sum + inside, 0);
}

// The look with the most inside, or else with the most waiting.
function fullest(list) {
  const buying = (m) => m.services.reduce((sum, [, count]) => sum + count, 0);
  const fuller = (a, b) => insideOf(b) - insideOf(a) || buying(b) - buying(a);
  return [...list].sort(fuller)[0];
}

// A lane for each service, with a dot for each request.
function drawFloor(moment, row) {
  const floor = byId("floor");
  const services = moment.services;
  const inside = insideOf(moment);
  floor.classList.toggle("crowd", inside > 1);
  const lanes = services.map(([held, buying], i) => {
    const dots = Array.from({ length: Math.min(Math.max(held, buying), 120) }, (_, n) =>
      make("span", n < held ? { class: "in" } : {}));
    return make("div", { class: "lane" }, make("span", {}, `Service ${i + 1}`),
      make("div", { class: "dots" }, ...dots),
      make("span", {}, `${held} in, ${Math.max(0, buying - held)} waiting`));
  });
  if (!lanes.length) lanes.push(make("p", { class: "note" }, "No request is here yet."));
  if (row) lanes.push(make("p", { class: "note" }, 
    `The sale is over. At most ${grouped(row.most_inside)} ${row.most_inside === 1 ? "was" : "were"} inside at once.`));
  floor.replaceChildren(...lanes);
}

// ---- all of them

function drawCards() {
  byId("cards").replaceChildren(...run.plan.map((plan, i) => {
    const row = result.strategies[i];
    const card = make("button", { type: "button", class: kindOf(i) }, make("b", {}, plan.name), spark(i),
      make("span", {}, row ? verdictOf(i, row.oversold)[1] : verdictOf(i, 0)[1]),
      make("span", {}, row ? `${grouped(row.requests_per_s)} /s` : "\u00a0"),
      make("span", {}, row ? `p99 ${ms(row.p99_ms)} ms` : "\u00a0"));
    if (i === chosen) card.setAttribute("aria-current", "true");
    card.addEventListener("click", () => {
      chosen = i === chosen ? null : i;
      drawCards();
      drawSale();
      byId("cards").children[i].focus({ preventScroll: true });
      if (chosen !== null) byId("sale").scrollIntoView({ block: "nearest" });
    });
    return card;
  }));
}

// Only the drawing is new: a button that is replaced while it is pressed is not clicked.
function drawSpark(i) {
  byId("cards").children[i].querySelector("svg").replaceWith(spark(i));
}

function spark(i) {
  const list = moments[i];
  const seconds = Math.max(0.01, list.at(-1)?.seconds ?? 0);
  const most = Math.max(run.stock, ...list.map((m) => m.sold));
  const points = (value) => list.map((m) =>
    `${(100 * m.seconds / seconds).toFixed(1)},${(98 - 96 * value(m) / most).toFixed(1)}`).join(" ");
  return make("svg", { viewBox: "0 0 100 100", preserveAspectRatio: "none", "aria-hidden": "true" },
    make("polyline", { class: "left", points: points((m) => m.left) }),
    make("polyline", { class: "sold", points: points((m) => m.sold) }));
}

// ---- the comparison

const whole = (number) => grouped(number);
const one = (number) => grouped(number, 1);
const two = (number) => grouped(number, 2);

// Each column: its head, its unit, the key of the JSON, and how it is spelled.
const kColumns = [
  ["Samples", "", "samples", whole], ["Average", "ms", "average_ms", ms], ["Median", "ms", "median_ms", ms],
  ["p90", "ms", "p90_ms", ms], ["p95", "ms", "p95_ms", ms], ["p99", "ms", "p99_ms", ms],
  ["Min", "ms", "min_ms", ms], ["Max", "ms", "max_ms", ms], ["Errors", "%", "error_percent", two],
  ["Throughput", "/s", "requests_per_s", whole], ["Received", "KB/s", "received_kb_per_s", one],
  ["Sent", "KB/s", "sent_kb_per_s", one], ["Left", "items", "left", whole],
  ["Oversold", "items", "oversold", whole],
];

function drawTable() {
  const heads = kColumns.map(([name, unit]) => make("th", { scope: "col" }, name, make("i", {}, unit)));
  byId("table").tHead.replaceChildren(
    make("tr", {}, make("th", { scope: "col" }, "Strategy"), ...heads));
  byId("table").tBodies[0].replaceChildren(...result.strategies.map((row, i) => {
    const cells = kColumns.map(([, , key, spell]) =>
      make("td", { class: cellKind(key, row), "data-key": key }, spell(row[key])));
    const words = [row.store, row.cut ? `cut after ${grouped(run.limit_s)} s` : "",
      row.retries ? `${grouped(row.retries)} retries` : ""].filter(Boolean).join(" · ");
    return make("tr", { "data-name": row.name, title: run.plan[i].how },
      make("th", { scope: "row" }, row.name, make("small", {}, words)), ...cells);
  }));
  const bad = result.strategies.filter((row) => row.oversold > 0).length;
  if (result.strategies.length) {
    byId("compared").textContent =
      `${result.strategies.length - bad} of ${result.strategies.length} strategies sold no item twice.`;
  }
}

function cellKind(key, row) {
  if (key === "oversold") return row.oversold > 0 ? "bad" : "good";
  return key === "error_percent" && row.error_percent > 0 ? "warn" : "";
}

function drawScenes() {
  byId("scene-list").replaceChildren(...result.scenes.map((scene) =>
    make("li", {}, make("b", {}, scene.name), make("span", {}, scene.told),
      make("span", { class: `mark ${scene.hole_shown ? "bad" : "warn"}` },
        scene.hole_shown ? "home-made: it did" : "home-made: not shown"),
      make("span", { class: `mark ${scene.holdfast_whole ? "good" : "bad"}` },
        scene.holdfast_whole ? "Holdfast: it did not" : "Holdfast: it did, too"))));
}

// ---- to try

const kTries = [
  ["lock", 3], ["read", 3], ["write", 2], ["semaphore", 10], ["latch", 2], ["countdown", 6],
];

function drawButtons() {
  byId("buttons").replaceChildren(...kTries.map(([what, times]) => {
    const button = make("button", { type: "button", disabled: "" },
      times > 1 ? `/test/${what} × ${times}` : `/test/${what}`);
    button.addEventListener("click", () => send(what, times));
    return button;
  }));
}

async function send(what, times) {
  try {
    await fetchJson(`try/${what}?times=${times}`, { method: "POST" });
    byId("try-error").textContent = "";
    await lookAtTries();
  } catch (error) {
    byId("try-error").textContent = `The shop did not take it: ${error.message}`;
  }
}

async function lookAtTries() {
  const tries = await fetchJson("try.json");
  for (const button of byId("buttons").children) button.disabled = tries === null;
  if (tries === null) return;
  const visits = tries.state?.visits ?? [];
  const rooms = kTries.map(([what]) =>
    room(what, visits.filter((visit) => visit.name === what),
      tries.sent.filter((sent) => sent.what === what && sent.took_s >= 0)));
  byId("rooms").replaceChildren(...rooms.filter(Boolean));
  const left = tries.state?.latch_left ?? 0;
  byId("try-how").textContent = "Each request keeps what it gets for 10 s." +
    (left > 0 ? ` The latch opens after ${left} more counts.` : "");
}

// One primitive: which requests are in, which wait, and how long the others have waited.
function room(what, visits, answered) {
  if (!visits.length && !answered.length) return null;
  const order = (a, b) => a.state.localeCompare(b.state) || a.since - b.since;
  const lines = visits.sort(order).map((visit) => make("li", {}, make("span", {}, visit.client),
    make("span", { class: `mark ${visit.state === "in" ? "good" : ""}` }, visit.state)));
  const end = what === "latch" || what === "countdown" ? "done" : "let in";
  const groups = groupsOf(answered.map((sent) => sent.took_s)).map(([took, count]) => make("li", {},
    make("span", {}, `${count} ${end}`), make("span", {}, `after ${grouped(took, 1)} s`)));
  return make("div", { "data-name": what }, make("h3", {}, what), make("ul", {}, ...lines, ...groups));
}

// Times that are close together, as [the first of them, how many].
function groupsOf(times) {
  const groups = [];
  let last = -Infinity;
  for (const time of [...times].sort((a, b) => a - b)) {
    if (time - last > 2) groups.push([time, 0]);
    groups.at(-1)[1] += 1;
    last = time;
  }
  return groups;
}

// ---- the tabs, and the loop

function openTab(tab) {
  for (const each of document.querySelectorAll("[role=tab]")) {
    const open = each === tab;
    each.setAttribute("aria-selected", open);
    byId(each.getAttribute("aria-controls")).hidden = !open;
  }
  if (run) drawSale();
}

for (const tab of document.querySelectorAll("[role=tab]")) tab.addEventListener("click", () => openTab(tab));
addEventListener("resize", () => run && drawSale());
drawButtons();

async function watch() {
  try {
    await look();
    closed = false;
  } catch {
    closed = true;
    if (run) drawPhase();
    else byId("phase").textContent = "The shop does not answer";
  }
  setTimeout(watch, closed ? 5 * kBetweenLooks : kBetweenLooks);
}

watch();
