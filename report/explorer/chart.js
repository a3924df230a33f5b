// What is shown now, and its drawing.
let shown = null;    // the view: lines that are drawn, axes, titles
let drawn = null;    // of vegaEmbed
let pixels = [];     // [{line, point, x, y}] of all points shown

const MOST_LINES = 8;  // at once: more cannot be told apart
const known = new Map();  // what is worked out of many rows, until records are added

function once(key, work) {
  if (!known.has(key)) known.set(key, work());
  return known.get(key);
}

function rowsOf(name) {
  return once(name, () => {
    const place = places.experiments.get(name), found = [];
    columns.experiment.forEach((one, row) => { if (one === place) found.push(row); });
    return found;
  });
}

// The undisturbed FP32 point that takes least time at the same shape, cache and inputs of the host: of the CPU, or of the same
// device and scope. Of the same group where that has one, as the report's headline has it.
function bestPeers() {
  const rows = new Map(), ofCpu = state.b === "cpu";
  const key = (row, group) => {
    const {cache, distribution, scope} = regimeOf(row);
    return [columns.host[row], columns.shape[row], cache, distribution, ...ofCpu ? [] : [variantOf(row).device, scope], group].join("|");
  };
  for (const row of rowsOf(state.e)) {
    const {precision, load, replica, handicap, group} = regimeOf(row), {marks = []} = entryOf(row, "note");
    const usable = precision === "fp32" && !load && !replica && !handicap && !marks.includes("disturbed");
    if (!usable || ofCpu && variantOf(row).device !== "cpu") continue;
    for (const place of [key(row, group), key(row)]) {
      if (!rows.has(place) || columns.median[row] < columns.median[rows.get(place)]) rows.set(place, row);
    }
  }
  return (line, row) => rows.get(key(row, regimeOf(row).group)) ?? rows.get(key(row));
}

// Which point a speedup is over, on the same host at the same shape: see bestPeers(); that of the line at the first x; that of the
// chosen implementation, of the own line first; that of the chosen line at the same x.
function peersOf(lines) {
  if (state.b === "cpu" || state.b === "fp32") return bestPeers();
  const rows = new Map(), across = state.x === "implementation", first = firstX(lines);
  const shared = (line, row, x) => `${columns.host[row]}|${line.rest}|${across ? "" : x}`;
  for (const line of lines) {
    for (const {row, x} of line.rows) {
      if (state.b === "first" ? x === first : across ? x === state.b : line.peer === state.b) {
        rows.set(line.id, row);
        if (!rows.has(shared(line, row, x))) rows.set(shared(line, row, x), row);
      }
    }
  }
  if (state.b === "first") return (line) => rows.get(line.id);
  return (line, row, x) => across && rows.has(line.id) ? rows.get(line.id) : rows.get(shared(line, row, x));
}

const byX = (one, other) => typeof one === "number" ? one - other : String(one).localeCompare(String(other), "en", {numeric: true});
const firstX = (lines) => [...new Set(lines.flatMap((line) => line.rows.map(({x}) => x)))].sort(byX)[0];

const OVER_MACHINE = "m.";  // before the name of the host that a speedup is over

// The point of the chosen machine that is the same as another machine's, whichever machines are drawn.
function onMachine() {
  const rows = new Map(), key = (line, x) => `${line.peer}|${line.rest}|${x}`;
  for (const line of linesOf(chosenRows(rowsOf(state.e), state.b.slice(OVER_MACHINE.length)))) {
    for (const {row, x} of line.rows) rows.set(key(line, x), row);
  }
  return (line, row, x) => rows.get(key(line, x));
}

// Gives every line its points with their y; returns how many have none for want of a counterpart.
function measure(lines) {
  const over = isRatio() && state.b.startsWith(OVER_MACHINE), peer = over ? onMachine() : isRatio() ? peersOf(lines) : () => undefined;
  let alone = 0;
  for (const line of lines) {
    line.points = [];
    for (const {row, x} of line.rows) {
      if (over && hostFits(columns.host[row], state.b.slice(OVER_MACHINE.length))) continue;  // 1 everywhere
      const other = peer(line, row, x), point = {row, x, peer: other, ...Y[state.y].of(row, other)};
      if (Number.isFinite(point.value) && (point.value > 0 || !state.ly)) line.points.push(point);
      else if (isRatio()) alone += 1;
    }
  }
  return alone;
}

// The categories of x in their order, with the text of each; null where x is a number.
function categoriesOf(lines) {
  const points = lines.flatMap((line) => line.points), found = [...new Set(points.map((point) => point.x))];
  if (state.x === "implementation") {
    const rates = new Map(), names = new Map();
    for (const {row, x} of points) {
      rates.set(x, Math.max(rates.get(x) || 0, 1 / columns.median[row]));
      names.set(x, (names.get(x) || new Set()).add(variantOf(row).name));
    }
    return new Map(found.sort((one, other) => rates.get(one) - rates.get(other)).map((one) => [one, [...names.get(one)].join(" / ")]));
  }
  if (state.x !== "shape" && found.every((one) => typeof one === "number")) return null;
  const work = new Map(points.map(({row, x}) => [x, workOf(row)]));
  found.sort(state.x === "shape" ? (one, other) => work.get(one) - work.get(other) : byX);
  return new Map(found.map((one) => [one, String(one).replace(/(\d)x(?=\d)/g, "$1×")]));
}

// So many of the list, evenly spread.
const spread = (list, most) => list.length <= most ? list
  : Array.from({length: Math.max(0, most)}, (_, place) => list[Math.round(place * (list.length - 1) / Math.max(1, most - 1))]);

// The lines drawn until the reader chooses: of each device the fastest of each family of implementations, then others, evenly spread from
// the fastest to the slowest. Of a variant that was measured in several ways the way with most points; with a line go those of the
// other hosts that measured the same.
function atFirst(every) {
  const alike = [...groupedBy(every.filter((line) => line.points.length), (line) => `${line.peer}|${line.rest}`).values()];
  const size = (group) => group[0].points.length, rate = (group) => Math.max(...group[0].points.map(({row}) => workOf(row) / columns.median[row]));
  const ways = [...groupedBy(alike, ([line]) => line.variant || line.id).values()];
  const pool = ways.length > 1 ? ways.map((of) => of.reduce((one, other) => size(other) > size(one) ? other : one)) : alike;
  pool.sort((one, other) => rate(other) - rate(one));
  const family = ([line]) => `${variantOf(line.first).device}|${line.variant && variantOf(line.first).family}`;
  const leaders = [...groupedBy(pool, family).values()].map(([fastest]) => fastest);
  const room = Math.max(1, Math.floor(MOST_LINES / Math.max(1, ...pool.map((group) => group.length))));
  const kept = spread(leaders, room), others = pool.filter((group) => !leaders.includes(group));
  return [...kept, ...spread(others, room - kept.length)].flat().slice(0, MOST_LINES).map((line) => line.id);
}

function ends(values) {
  let low = Infinity, high = -Infinity;
  for (const value of values) {
    if (value < low) low = value;
    if (value > high) high = value;
  }
  return [low, high];
}

// Of threads, or cards, over the fewest: n times as fast with n, as far as there are cores.
function idealOf(lines, xEnds) {
  if (!xEnds || !isRatio() || state.b !== "first" || !["p.threads", "p.gpus"].includes(state.x) || !lines.length) return null;
  const cores = Math.max(...lines.map((line) => hostOf(line.first).cores)), most = state.x === "p.threads" && cores || Infinity;
  const last = Math.min(xEnds[1], most);
  return [{x: xEnds[0], value: 1}, {x: last, value: last / xEnds[0]}];
}

// What is chosen, ready to be drawn: `every` line there is, and those that are drawn.
function viewOf(lines) {
  const alone = measure(lines), ids = state.show || atFirst(lines);
  const on = lines.filter((line) => ids.slice(-MOST_LINES).includes(line.id) && line.points.length);
  const category = categoriesOf(on), order = category && [...category.keys()], points = on.flatMap((line) => line.points);
  for (const line of on) line.points.sort((one, other) => order ? order.indexOf(one.x) - order.indexOf(other.x) : one.x - other.x);
  dress(on);
  const subtitle = labelled(on).join("; ");
  const xEnds = category ? null : ends(points.map((point) => point.x)), ideal = idealOf(on, xEnds);
  const units = [...new Set(points.map(({row}) => shapeOf(row).unit))].join(", ");
  const yTitle = Y[state.y].title({unit: units, peer: peers.get(state.b)});
  return {every: lines, lines: on, category, alone, count: points.length, yTitle,
    less: Y[state.y].less || state.y === "rate" && points.some(({row}) => shapeOf(row).less), xTitle: points.length ? xTitle(state.x, points[0].row) : "",
    xEnds, ideal, yEnds: ends([...points, ...ideal || []].flatMap(({value, low, high}) => low > 0 ? [low, high] : [value])),
    title: experimentOf(state.e).title + text.colon + yTitle, subtitle};
}

// x of a point as it stands on the axis.
const xName = (point) => shown.category ? shown.category.get(point.x) : point.x;
const shownPoints = () => shown.lines.flatMap((line) => line.points);
const experimentOf = (name) => books.experiments[places.experiments.get(name)];

const embed = (place, spec, renderer) => window.vegaEmbed(place, spec,
  {mode: "vega-lite", renderer, actions: false, hover: false, tooltip: false});

async function drawChart() {
  const box = part(".x-chart"), width = Math.max(260, box.clientWidth);
  root.dataset.paper = dark() ? "dark" : "white";
  if (drawn) drawn.finalize();
  drawn = null;
  pixels = [];
  box.replaceChildren();
  if (!shown.count) {
    box.textContent = text.empty;
    return;
  }
  const place = box.appendChild(document.createElement("div"));
  drawn = await embed(place, specOf(shown, width), "canvas");
  const [x, y] = [drawn.view.scale("x"), drawn.view.scale("y")], [left, top] = drawn.view.origin();
  for (const line of shown.lines) {
    for (const point of line.points) {
      const [across, up] = shown.category ? [point.value, xName(point)] : [point.x, point.value];
      pixels.push({line, point, x: left + x(across), y: top + y(up)});
    }
  }
}
