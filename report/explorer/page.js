// Start, the lists to choose from, and drawing again when something is chosen.
const root = document.getElementById("explorer");
const part = (selector) => root.querySelector(selector);
const embedded = (id) => document.getElementById(id).textContent;
const control = (name) => root.querySelector(`.x-controls [name=${name}]`);
let settings = {}, text = {};

function tell(words) {
  part(".x-problem").textContent = words;
  part(".x-problem").hidden = !words;
}

// Options of a list: [[value, words, may it be chosen?]]; keeps what is chosen where that is still among them.
function offer(name, options, otherwise) {
  const allowed = options.filter(([, , can]) => can !== false).map(([value]) => value);
  if (!allowed.includes(state[name])) state[name] = allowed.includes(otherwise) ? otherwise : allowed[0] || "";
  const list = control(name);
  list.replaceChildren(...options.map(([value, words, can]) => Object.assign(document.createElement("option"),
    {value, textContent: words, disabled: can === false, selected: value === state[name]})));
  list.parentNode.hidden = name !== "e" && options.filter(([value]) => value !== "all").length < 2;
}

const withAll = (values, words) => [["all", text.all], ...values.map((one) => [one, words(one)])];

// The x that says most of an experiment: sizes where there are several, else a parameter that most points have, of those the
// one with the most values.
function bestX(rows, found) {
  const kinds = (x) => new Set(rows.map((row) => xOf(row, x)).filter((value) => value !== null)).size;
  if (kinds("size") > 4) return "size";
  const common = [...found.p].filter(([, count]) => count > 0.6 * rows.length).map(([name]) => `p.${name}`);
  const most = common.map((name) => [kinds(name), name]).sort((one, other) => other[0] - one[0])[0];
  if (most && most[0] > 3) return most[1];
  return kinds("implementation") > 3 || kinds("size") < 2 ? "implementation" : "size";
}

function offerAxes(found, best) {
  const numbers = ["m", "n", "k"].filter((name) => found[name].size > 1);
  const xs = ["size", "shape", ...numbers, "implementation"].map((name) => [name, text[name]]);
  offer("x", [...xs, ...[...found.p.keys()].sort().map((name) => [`p.${name}`, fill(text.parameter, {name})])],
    best);
  offer("y", Object.keys(Y).map((name) => {
    return found.y.has(name) ? [name, text[name]] : [name, `${text[name]} (${text.no_y})`, false];
  }), "rate");
}

let machineName = () => "";  // of the one that ratios are to

function offerFilters(found) {
  offer("d", withAll([...found.d.keys()].sort(), (name) => text[name] || name), "all");
  offer("s", withAll([...found.s.keys()].sort(), word), "all");
  offer("c", withAll([...found.c.keys()].sort(), word), "all");
  offer("q", withAll([...found.q.keys()], word), "all");
  const hosts = new Map([...found.h.keys()].map((place) => [hostKey(place), hostName(books.hosts[place])]));
  offer("h", withAll([...hosts.keys()], (key) => hosts.get(key)), "all");
  offer("o", [...hosts], [...hosts.keys()][0]);
  machineName = () => hosts.get(state.o) || "";
  control("o").parentNode.hidden = state.y !== "over";
  const size = (shape) => found.work.get(shape), shapes = [...found.g.keys()].sort((one, other) => size(one) - size(other));
  const most = Math.max(...found.g.values()), main = shapes.filter((shape) => found.g.get(shape) === most).pop();
  offer("g", withAll(shapes, (shape) => shape), main);
  control("g").parentNode.hidden ||= SHAPES.includes(state.x);
}

// What a speedup can be over: the lines, or the implementations where these are across.
let peers = new Map();
const peerName = () => peers.get(state.b) || "";

function offerPeers(points, lines) {
  control("b").parentNode.hidden = state.y !== "speedup";
  if (state.y !== "speedup") return;
  peers = new Map();
  if (state.x === "implementation") {
    for (const [place, name] of categoriesOf(points)) peers.set(shortName(identity("variants", books.variants[place])), name);
  } else {
    for (const line of lines) {
      const ends = [hostName(hostOf(line.first)), restText(line.first)];  // on each host and shape it is that one's own
      peers.set(line.peer, ends.reduce((name, end) => name.replace(`, ${end}`, ""), line.name));
    }
  }
  offer("b", [...peers], state.x === "implementation" ? [...peers.keys()][0] : plainest(lines));
}

// The slowest of the lines with the most points: what a speedup is over until the reader chooses.
function plainest(lines) {
  const most = Math.max(0, ...lines.map((line) => line.rows.length));
  const rate = (line) => Math.max(...line.rows.map(({row}) => columns.rate[row]));
  const order = lines.filter((line) => line.rows.length === most).map((line) => [rate(line), line.peer]);
  return order.length ? order.reduce((one, other) => other[0] < one[0] ? other : one)[1] : "";
}

function offerScales(points) {
  const values = points.map(({x}) => x).filter((value) => typeof value === "number" && value > 0);
  const [low, high] = ends(values), numeric = values.length > 0 && state.x !== "implementation";
  if (state.lx === null) state.lx = numeric && high / low >= 8;
  if (state.ly === null) state.ly = state.y !== "share";
  for (const name of ["lx", "ly"]) control(name).checked = state[name];
  control("lx").disabled = !numeric;
}

// Fills the lists for what is chosen, which they may correct; returns what is then to be drawn.
function offerAll() {
  const names = books.experiments.filter((one) => columns.experiment.length && rowsOf(one.name).rows.length);
  offer("e", names.map((one) => [one.name, one.title]), names.some((one) => one.name === "cpu_vs_gpu") ? "cpu_vs_gpu" : "");
  const {rows, offers: found, best} = rowsOf(state.e);
  offerAxes(found, best);
  offerFilters(found);
  const points = chosenRows(rows), lines = linesOf(points);
  offerPeers(points, lines);
  offerScales(points);
  return viewOf(points, lines);
}

let latest = Promise.resolve();

// Draws what is chosen; calls that come while one draws wait for it.
function redraw() {
  latest = latest.then(async () => {
    shown = offerAll();
    point(null, false);
    await drawChart();
    drawLegend();
    drawNote();
    drawTable();
    await followSpread();
    root.dataset.state = "ready";
    root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1);
  }).catch((why) => tell(fill(text.failed, {why: String(why)})));
  return latest;
}

// What another choice makes meaningless goes back to what suits the new one.
function choose(name, value) {
  state[name] = value;
  const forgotten = {e: ["x", "y", "b", "d", "s", "c", "q", "g", "h", "o"], x: ["b", "g"]}[name] || [];
  for (const other of forgotten) if (other !== "y" || !rowsOf(state.e).offers.y.has(state.y)) state[other] = "";
  if (["e", "x"].includes(name)) state.lx = null;
  if (["e", "x", "y"].includes(name)) state.ly = null;
  if (!["lx", "ly", "b", "o"].includes(name)) state.hide = null;
  if (name !== "lx" && name !== "ly" && name !== "y") state.p = "";
}

function listen() {
  root.querySelectorAll(".x-controls select").forEach((list) => list.addEventListener("change", () => {
    choose(list.name, list.value);
    redraw().then(keepState);
  }));
  root.querySelectorAll(".x-controls input").forEach((box) => box.addEventListener("change", () => {
    choose(box.name, box.checked);
    redraw().then(keepState);
  }));
  part(".x-controls").addEventListener("submit", (event) => event.preventDefault());
  part(".x-legend").addEventListener("click", () => latest.then(keepState));
  part(".x-table").addEventListener("toggle", drawTable);
  root.querySelectorAll("[data-save]").forEach((one) => one.addEventListener("click", () => saveAs(one.dataset.save)));
  part(".x-file input").addEventListener("change", async (event) => {
    for (const file of event.target.files) await addFile(file);
    event.target.value = "";
  });
  listenToPointer();
  addEventListener("hashchange", () => { if (readState(location.hash)) redraw(); });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", redraw);
  let width = part(".x-chart").clientWidth;
  new ResizeObserver(() => {
    const now = part(".x-chart").clientWidth;
    if (now && Math.abs(now - width) > 4) redraw();
    width = now || width;
  }).observe(part(".x-stage"));
}

async function start() {
  if (root.dataset.state !== "waiting") return;
  root.dataset.state = "loading";
  if (typeof DecompressionStream === "undefined") {
    tell(root.dataset.old);
    return;
  }
  ({text, ...settings} = JSON.parse(await unpacked(embedded("explorer-settings"))));
  const [library, records] = await Promise.all(["explorer-library", "explorer-records"].map((id) => unpacked(embedded(id))));
  document.head.append(Object.assign(document.createElement("script"), {textContent: library}));
  addRecords(JSON.parse(records));
  part(".x-controls").hidden = part(".x-body").hidden = false;
  listen();
  await redraw();
}

const asked = readState(location.hash);
if (asked) {
  start().then(() => root.scrollIntoView());
} else {
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watcher.disconnect();
    start().catch((why) => tell(String(why)));
  }, {rootMargin: "200px"}).observe(root);
  addEventListener("hashchange", () => { if (readState(location.hash)) start(); });
}
