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
  list.replaceChildren(...options.map(([value, words, can]) => made("option",
    {value, textContent: words, disabled: can === false, selected: value === state[name]})));
  list.parentNode.hidden = name !== "e" && options.filter(([value]) => value !== "all").length < 2;
}

const withAll = (values, words) => [["all", text.all], ...values.map((one) => [one, words(one)])];
const most = (counts) => [...counts].reduce((best, one) => one[1] > best[1] ? one : best, ["", 0])[0];

// The x that says most of the points: sizes where there are several, else a parameter that most of them have, of those the one with
// the most values.
function bestX(count, found) {
  const kinds = (x) => found.x.get(x);
  if (kinds("size") > 4) return "size";
  const common = [...found.p].filter(([, points]) => points > 0.6 * count).map(([name]) => `p.${name}`);
  const widest = common.sort((one, other) => kinds(other) - kinds(one))[0];
  if (widest && kinds(widest) > 3) return widest;
  if (kinds("size") < 2 && kinds("shape") > 3) return "shape";
  return kinds("implementation") > 3 || kinds("size") < 2 ? "implementation" : "size";
}

function offerAxes(rows, found) {
  const name = (x) => x.startsWith("p.") ? fill(text.parameter, {name: x.slice(2)}) : x.startsWith("d.") ? extentName(x.slice(2)) : text[x];
  const xs = [...found.x].filter(([x, kinds]) => kinds > (x.startsWith("d.") ? 1 : 0));
  offer("x", xs.map(([x]) => [x, name(x)]), bestX(rows.length, found));
  const called = (y) => y === "rate" ? shapeOf(rows[0]).unit : text[y];
  offer("y", Object.keys(Y).map((y) => found.y.has(y) ? [y, called(y)] : [y, `${called(y)} (${text.no_y})`, false]), "rate");
}

const MANY = 24;  // implementations in groups: from here on one group at a time, until the reader chooses
function offerFilters(rows, found) {
  const plainest = found.s.has("kernel") ? "kernel" : most(found.s);
  offer("d", withAll([...found.d.keys()].sort(), (name) => text[name] || name), "all");
  offer("s", [...found.s.keys()].sort().map((name) => [name, word(name)]), plainest);
  offer("c", withAll([...found.c.keys()].sort(), word), "all");
  const having = found.v.size > MANY ? groupedBy(rows.filter((row) => xOf(row, state.x) !== null), (row) => regimeOf(row).group || "") : [];
  offer("q", withAll([...found.q.keys()], word), most([...having].map(([name, of]) => [name, of.length])) || "all");
  const hosts = [...found.h.keys()].map((place) => books.hosts[place]), theirs = hosts.filter((host) => host.reference).length;
  const machines = new Map(hosts.map((host) => [identity("hosts", host), hostName(host)]));
  const two = theirs && theirs < hosts.length ? [["own", text.own], ["reference", text.reference]] : theirs ? [["reference", text.reference]] : [];
  offer("h", [["all", text.all], ...two, ...machines], two.length ? two[0][0] : "all");
}

// Where x is no shape, one shape at a time: the largest of those with most points.
function offerShapes(rows) {
  const counts = new Map(), work = new Map();
  for (const row of rows) {
    const {text: shape} = shapeOf(row);
    counts.set(shape, (counts.get(shape) || 0) + 1);
    work.set(shape, workOf(row));
  }
  const shapes = [...counts.keys()].sort((one, other) => work.get(one) - work.get(other)), full = Math.max(...counts.values());
  offer("g", withAll(shapes, (shape) => shape), shapes.filter((shape) => counts.get(shape) === full).pop());
  control("g").parentNode.hidden ||= ofShape(state.x);
}

let peers = new Map();  // what a speedup can be over, by what is chosen

function offerPeers(rows, lines, found) {
  control("b").parentNode.hidden = !isRatio();
  if (!isRatio()) return;
  peers = new Map();
  const across = state.x === "implementation", first = firstX(lines), parameter = state.x.slice(2), points = lines.flatMap((line) => line.rows);
  if (state.x.startsWith("p.") && points.length) peers.set("first", variantOf(points.find(({x}) => x === first).row).said[parameter]);
  const plain = rows.filter((row) => regimeOf(row).precision === "fp32"), on = (device) => plain.some((row) => variantOf(row).device === device);
  if (on("cpu") && on("gpu")) peers.set("cpu", text.best_cpu);
  if (plain.length && plain.length < rows.length) peers.set("fp32", text.best_fp32);
  if (across) for (const {row, x} of points) peers.set(x, variantOf(row).name);
  else {
    for (const line of lines) {
      const ends = [hostName(hostOf(line.first)), line.rest];  // on each host and shape it is that one's own
      peers.set(line.peer, ends.filter(Boolean).reduce((name, end) => name.replace(`, ${end}`, ""), line.name));
    }
  }
  const hosts = [...found.h.keys()].map((place) => books.hosts[place]), over = (host) => OVER_MACHINE + identity("hosts", host);
  if (hosts.length > 1) for (const host of hosts) peers.set(over(host), hostName(host));
  const ready = hosts.length > 1 && hosts[0].set ? over(hosts[0]) : peers.has("first") ? "first" : peers.has("cpu") && state.d !== "cpu" ? "cpu" : "";
  offer("b", [...peers], ready || (across ? points.length && points[0].x : plainest(lines)));
}

// What a speedup is over until the reader chooses: where lines differ in one number alone the least of it, else the slowest of those
// with the most points.
function plainest(lines) {
  const values = (name) => lines.map((line) => variantOf(line.first).parameters[name]);
  const alike = new Set(lines.map((line) => variantOf(line.first).implementation)).size === 1;
  const apart = Object.keys(lines.length && alike ? variantOf(lines[0].first).parameters : {}).filter((name) => new Set(values(name)).size > 1);
  if (apart.length === 1 && values(apart[0]).every(Number.isFinite)) return lines[values(apart[0]).indexOf(Math.min(...values(apart[0])))].peer;
  const full = Math.max(0, ...lines.map((line) => line.rows.length));
  const fastest = (line) => Math.min(...line.rows.map(({row}) => columns.median[row]));
  return lines.filter((line) => line.rows.length === full).reduce((best, line) => !best || fastest(line) > fastest(best) ? line : best, null)?.peer;
}

function offerScales(points) {
  const values = points.map(({x}) => x).filter((value) => typeof value === "number" && value > 0);
  const [low, high] = ends(values), numbers = values.length === points.length && state.x !== "implementation";
  if (state.lx === null) state.lx = numbers && high / low >= 8;
  if (state.ly === null) state.ly = state.y !== "share";
  for (const name of ["lx", "ly"]) control(name).checked = state[name];
  control("lx").disabled = !numbers;
}

// Fills the lists for what is chosen, which they may correct; returns what is then to be drawn.
function offerAll() {
  offer("e", books.experiments.filter((one) => rowsOf(one.name).length).map((one) => [one.name, one.title]));
  const operation = (row) => shapeOf(row).operation, every = rowsOf(state.e);
  const operations = once(`${state.e}|`, () => new Map([...groupedBy(every, operation)].map(([name, rows]) => [name, rows.length])));
  offer("w", [...operations.keys()].map((name) => [name, word(name)]), most(operations));
  const {rows, found} = once(`${state.e}|${state.w}`, () => {
    const own = every.filter((row) => operation(row) === state.w);
    return {rows: own, found: offers(own)};
  });
  offerAxes(rows, found);
  offerFilters(rows, found);
  offerShapes(chosenRows(rows, state.h, "all").map(({row}) => row));
  const points = chosenRows(rows), lines = linesOf(points);
  offerPeers(rows, lines, found);
  offerScales(points);
  return viewOf(lines);
}

let latest = Promise.resolve();

// Draws what is chosen; calls that come while one draws wait for it.
function redraw() {
  latest = latest.then(async () => {
    shown = offerAll();
    point(null, false);
    await drawChart();
    drawList();
    drawNote();
    drawTable();
    await followSpread();
    for (const one of root.querySelectorAll("[data-preset]")) one.setAttribute("aria-pressed", one.dataset.preset === root.dataset.view);
    root.dataset.state = "ready";
    root.dataset.drawn = String(Number(root.dataset.drawn || 0) + 1);
  }).catch((why) => tell(fill(text.failed, {why: String(why)})));
  return latest;
}

// What another choice makes meaningless goes back to what suits the new one.
function choose(name, value) {
  state[name] = value;
  const forgotten = {e: ["w", "x", "y", "b", "d", "s", "c", "q", "g", "h"], w: ["x", "b", "d", "s", "c", "q", "g"], x: ["b", "g"]}[name];
  for (const other of forgotten || []) if (other !== "y" || !["rate", "time", "speedup"].includes(state.y)) state[other] = "";
  if (["e", "w", "x"].includes(name)) state.lx = null;
  if (["e", "w", "x", "y"].includes(name)) state.ly = null;
  if (!["lx", "ly", "b"].includes(name)) state.show = null;
  if (name !== "lx" && name !== "ly" && name !== "y") state.p = "";
  root.dataset.view = "";
  return redraw().then(() => keepState());
}

function choosePreset(words) {
  setState(words);
  root.dataset.view = words;
  return redraw().then(() => keepState(words));
}

// Of the address: a preset's own words are that preset.
function chooseAddress() {
  if (!readState(location.hash)) return false;
  root.dataset.view = location.hash.slice(MARK.length);
  return true;
}

function listen() {
  for (const list of root.querySelectorAll(".x-controls select")) list.addEventListener("change", () => choose(list.name, list.value));
  for (const box of root.querySelectorAll(".x-controls input")) box.addEventListener("change", () => choose(box.name, box.checked));
  for (const one of root.querySelectorAll("[data-preset]")) one.addEventListener("click", () => choosePreset(one.dataset.preset));
  for (const one of root.querySelectorAll("[data-save]")) one.addEventListener("click", () => saveAs(one.dataset.save));
  part(".x-controls").addEventListener("submit", (event) => event.preventDefault());
  part("[type=search]").addEventListener("input", searchList);
  part(".x-table").addEventListener("toggle", drawTable);
  part(".x-file input").addEventListener("change", async (event) => {
    for (const file of event.target.files) await addFile(file);
    event.target.value = "";
  });
  listenToPointer();
  addEventListener("hashchange", () => { if (chooseAddress()) redraw(); });
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
  document.head.append(made("script", {textContent: library}));
  addRecords(JSON.parse(records));
  part(".x-choices").hidden = part(".x-body").hidden = false;
  part(".x-choices details").open = matchMedia("(min-width: 40rem)").matches;
  listen();
  const first = part("[data-preset]");
  if (!chooseAddress() && first) {
    setState(first.dataset.preset);
    root.dataset.view = first.dataset.preset;
  }
  await redraw();
}

if (readState(location.hash)) {
  start().then(() => root.scrollIntoView());
} else {
  new IntersectionObserver((seen, watcher) => {
    if (!seen.some((one) => one.isIntersecting)) return;
    watcher.disconnect();
    start().catch((why) => tell(String(why)));
  }, {rootMargin: "200px"}).observe(root);
  addEventListener("hashchange", () => { if (readState(location.hash)) start(); });
}
