// What is shown now, and its drawing.
let shown = null;    // the view: lines that are drawn, axes, titles
let drawn = null;    // of vegaEmbed
let pixels = [];     // [{line, point, x, y}] of all points shown, thinned or not

const RATIOS = ["speedup", "over"];
const experimentRows = new Map();  // name -> rows, until records are added

function rowsOf(name) {
  if (!experimentRows.has(name)) {
    const place = places.experiments.get(name), found = [];
    columns.experiment.forEach((one, row) => { if (one === place) found.push(row); });
    const offered = offers(found);
    experimentRows.set(name, {rows: found, offers: offered, best: bestX(found, offered)});
  }
  return experimentRows.get(name);
}

// Which point a speedup is over: that of the chosen line on the same host at the same x and shape; where implementations
// are across, that of the chosen one, of the own line first.
function peersOf(lines) {
  const across = state.x === "implementation", rows = new Map();
  const own = (line, row) => `${line.id}|${columns.host[row]}`;
  const shared = (line, row, x) => `${columns.host[row]}|${line.rest}|${across ? "" : x}`;
  const isPeer = across ? books.variants.map((one) => shortName(identity("variants", one)) === state.b) : [];
  for (const line of lines) {
    for (const {row, x} of line.rows) {
      if (across ? !isPeer[columns.variant[row]] : line.peer !== state.b) continue;
      rows.set(own(line, row), row);
      if (!rows.has(shared(line, row, x))) rows.set(shared(line, row, x), row);
    }
  }
  return (line, row, x) => across && rows.has(own(line, row)) ? rows.get(own(line, row)) : rows.get(shared(line, row, x));
}

// The point of the chosen machine that is the same as another machine's, whichever machines are drawn.
function onMachine() {
  const rows = new Map(), key = (line, x) => `${line.peer}|${line.rest}|${x}`;
  for (const line of linesOf(chosenRows(rowsOf(state.e).rows, state.o))) {
    for (const {row, x} of line.rows) rows.set(key(line, x), row);
  }
  return (line, row, x) => rows.get(key(line, x));
}

// Gives every line its points with their y; returns how many have none for want of a counterpart.
function measure(lines) {
  const kind = Y[state.y], over = state.y === "over";
  const peer = state.y === "speedup" ? peersOf(lines) : over ? onMachine() : () => undefined;
  let alone = 0;
  for (const line of lines) {
    line.points = [];
    for (const {row, x} of line.rows) {
      if (over && hostKey(columns.host[row]) === state.o) continue;  // 1 everywhere
      const point = {row, x, ...kind.of(row, peer(line, row, x))};
      if (Number.isFinite(point.value) && (point.value > 0 || !state.ly)) line.points.push(point);
      else if (RATIOS.includes(state.y)) alone += 1;
    }
  }
  return alone;
}

// The categories of x in their order, with the text of each; null where x is a number.
function categoriesOf(points) {
  const found = [...new Set(points.map((point) => point.x))];
  if (state.x === "implementation") {
    const best = new Map();
    for (const {row, x} of points) best.set(x, Math.max(best.get(x) || 0, columns.rate[row]));
    found.sort((one, other) => best.get(one) - best.get(other));
    return variantNames(found.map((place) => ({first: columns.variant.indexOf(place), place})));
  }
  if (state.x !== "shape" && found.every((one) => typeof one === "number")) return null;
  const size = new Map(points.map(({row, x}) => [x, workOf(row)]));
  found.sort((one, other) => state.x === "shape" ? size.get(one) - size.get(other)
    : String(one).localeCompare(String(other), "en", {numeric: true}));
  return new Map(found.map((one) => [one, String(one).replace(/(\d)x(?=\d)/g, "$1×")]));
}

// Variants by name, with the parameters that tell those of one name apart.
function variantNames(lines) {
  const same = new Map(), names = new Map();
  for (const one of lines) {
    const name = variantOf(one.first).name;
    same.set(name, [...same.get(name) || [], one]);
  }
  for (const [name, group] of same) {
    const all = group.map(({first}) => {
      const {said, implementation} = variantOf(first);
      return new Map([...Object.entries(said), ["id", implementation]]);
    });
    const apart = enough(all);
    group.forEach((one, place) => {
      names.set(one.place, [name, ...apart.map((key) => all[place].get(key))].filter(Boolean).join(", "));
    });
  }
  return new Map(lines.map((one) => [one.place, names.get(one.place)]));
}

// Of many lines, those drawn until the reader chooses: evenly spread from the slowest to the fastest, the peer among them. A
// line is kept with those of the other hosts that measured the same.
function atFirst(every) {
  const lines = every.filter((line) => line.points.length), rates = new Map(), alike = (line) => `${line.peer}|${line.rest}`;
  if (lines.length <= settings.first) return new Set();
  for (const line of lines) {
    const rate = Math.max(...line.rows.map(({row}) => columns.rate[row]));
    rates.set(alike(line), Math.max(rates.get(alike(line)) || 0, rate));
  }
  const order = [...rates.keys()].sort((one, other) => rates.get(other) - rates.get(one));
  const most = Math.max(2, Math.floor(settings.first * order.length / lines.length));
  const kept = new Set(lines.filter((line) => state.y === "speedup" && line.peer === state.b).map(alike));
  const stride = (order.length - 1) / (most - 1);
  for (let step = 0; step < most; step++) kept.add(order[Math.round(step * stride)]);
  return new Set(lines.filter((line) => !kept.has(alike(line))).map((line) => line.id));
}

function ends(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

function sortPoints(lines, category) {
  const order = category && new Map([...category.keys()].map((key, place) => [key, place]));
  for (const line of lines) {
    line.points.sort((one, other) => category ? order.get(one.x) - order.get(other.x) : one.x - other.x);
  }
}

// Where the chosen points were measured: machines, scopes, caches.
function whereText(lines) {
  const hosts = new Set(), scopes = new Set(), caches = new Set();
  for (const line of lines) {
    hosts.add(hostName(hostOf(line.first)));
    scopes.add(word(regimeOf(line.first).scope));
    caches.add(word(regimeOf(line.first).cache));
  }
  return [[...hosts].join("; "), `${text.scope}: ${[...scopes].join(", ")}`, `${text.cache}: ${[...caches].join(", ")}`];
}

// What is chosen, ready to be drawn.
function viewOf(points, lines) {
  const category = categoriesOf(points), alone = measure(lines);
  dress(lines);
  sortPoints(lines, category);
  const off = state.hide === null ? atFirst(lines) : state.hide;
  const on = lines.filter((line) => !off.has(line.id) && line.points.length);
  const every = on.flatMap((line) => line.points);
  const yTitle = Y[state.y].title(peerName());
  const shape = !SHAPES.includes(state.x) && state.g !== "all" ? [`${text.shape} ${state.g}`] : [];
  return {every: lines, lines: on, off, category, alone, count: every.length, lx: state.lx, ly: state.ly,
    xValues: category ? [] : [...new Set(every.map((point) => point.x))].sort((one, other) => one - other),
    xEnds: category ? null : ends(every.map((point) => point.x)),
    yEnds: ends(every.flatMap((point) => point.low > 0 ? [point.low, point.high] : [point.value])),
    xTitle: xTitle(state.x), yTitle, yLine: RATIOS.includes(state.y) ? 1 : 0,
    title: `${experimentOf(state.e).title}: ${yTitle}`, subtitle: [...shape, ...whereText(on)].join("; ")};
}

// x of a point as it stands on the axis.
const xName = (point) => shown.category ? shown.category.get(point.x) : point.x;
const shownPoints = () => shown.lines.flatMap((line) => line.points);
const experimentOf = (name) => books.experiments[places.experiments.get(name)];

async function drawChart() {
  const box = part(".x-chart"), width = Math.max(260, box.clientWidth);
  if (drawn) drawn.finalize();
  drawn = null;
  pixels = [];
  box.replaceChildren();
  if (!shown.count) {
    box.textContent = text.empty;
    return;
  }
  const place = document.createElement("div");
  box.append(place);
  const height = (width < 480 ? 340 : 440) + (shown.category ? 120 : 0);
  drawn = await window.vegaEmbed(place, specOf(shown, width, height, false),
    {mode: "vega", renderer: "canvas", actions: false, hover: false, tooltip: false});
  const [x, y] = [drawn.view.scale("x"), drawn.view.scale("y")], [left, top] = drawn.view.origin();
  for (const line of shown.lines) {
    for (const point of line.points) pixels.push({line, point, x: left + x(xName(point)), y: top + y(point.value)});
  }
}
