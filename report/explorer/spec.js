// The picture as a Vega specification.
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"];
const DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [10, 4], [4, 1, 1, 1], [1, 1]];
const MOST_DRAWN = 3000;    // points; more make lines without marks, thinned
const MOST_TICK_TEXT = 190; // pixels of a category's name

const LEAST_TICK = 14;      // pixels between two slanted names

const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const ruled = (name, otherwise) => getComputedStyle(document.documentElement).getPropertyValue(name).trim() || otherwise;

// The page's colours; what is saved is always on white.
function paints(onPage) {
  const night = onPage && dark();
  const named = (name, light) => onPage ? ruled(name, light) : light;
  return {night, ink: named("--ink", "#1d2127"), soft: named("--soft", "#5a6270"), line: named("--line", "#d8dce2"),
    page: named("--page", "#ffffff")};
}

// Each line's colour, mark and dashes; lines of one family, whose colours are alike, differ in mark and dashes. Of several
// hosts each has a mark of its own, and a colour where nothing else tells lines apart.
function dress(lines) {
  const taken = new Map(), hosts = [...new Set(lines.map((line) => columns.host[line.first]))];
  const alike = state.x === "implementation" || new Set(lines.map((line) => line.peer)).size === 1;
  lines.forEach((line, place) => {
    const host = hosts.indexOf(columns.host[line.first]), own = hosts.length > 1 ? host : place;
    line.colours = alike ? settings.palette[own % settings.palette.length] : variantOf(line.first).colour;
    const family = alike ? "" : `${hosts.length > 1 ? host : ""}|${variantOf(line.first).family}`, turn = taken.get(family) || 0;
    taken.set(family, turn + 1);
    line.symbol = SYMBOLS[(hosts.length > 1 ? host : turn) % SYMBOLS.length];
    line.dash = DASHES[turn % DASHES.length];
  });
}

// At most `most` points of a line, its ends and the highest and lowest of each stretch among them.
function thinned(points, most) {
  if (points.length <= most) return points;
  const width = Math.ceil(points.length / Math.max(1, Math.floor(most / 2)));
  const kept = new Set([points[0], points[points.length - 1]]);
  for (let start = 0; start < points.length; start += width) {
    let low = points[start], high = low;
    for (const point of points.slice(start, start + width)) {
      if (point.value < low.value) low = point;
      if (point.value > high.value) high = point;
    }
    kept.add(low).add(high);
  }
  return points.filter((point) => kept.has(point));
}

function valuesOf(view) {
  const rich = view.count <= MOST_DRAWN;
  const each = Math.max(4, Math.floor(MOST_DRAWN / Math.max(1, view.lines.length)));
  const values = [];
  view.lines.forEach((line, place) => {
    for (const point of rich ? line.points : thinned(line.points, each)) {
      values.push({line: place, x: view.category ? view.category.get(point.x) : point.x, y: point.value,
        low: point.low > 0 ? point.low : point.value, high: point.low > 0 ? point.high : point.value});
    }
  });
  return {values, rich};
}

function scaleX(view) {
  if (view.category) return {name: "x", type: "point", domain: [...view.category.values()], range: "width", padding: 0.5};
  const [low, high] = view.xEnds;
  const wide = low === high ? 2 : 1.08;
  if (view.lx) return {name: "x", type: "log", base: 2, domain: [low / wide, high * wide], range: "width"};
  const room = low === high ? Math.max(low * 0.5, 0.5) : (high - low) * 0.03;
  return {name: "x", type: "linear", domain: [low - room, high + room], range: "width", zero: false};
}

function scaleY(view) {
  const [low, high] = view.yEnds;
  if (view.ly) return {name: "y", type: "log", domain: [low / 1.15, high * 1.15], range: "height"};
  return {name: "y", type: "linear", domain: [Math.min(0, low), high * 1.05 || 1], range: "height", nice: true, zero: true};
}

// 1, 2 and 5 of each decade that a logarithmic axis spans, or 1 alone of several; none where they would be too few.
function logTicks([low, high]) {
  const decades = Math.log10(high / low);
  if (!(decades > 1.2)) return undefined;
  const found = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.ceil(Math.log10(high)); power++) {
    for (const step of decades > 2.2 ? [1] : [1, 2, 5]) {
      const value = Number(`${step}e${power}`);
      if (value >= low / 1.15 && value <= high * 1.15) found.push(value);
    }
  }
  return found;
}

const axisPaint = (paint) => ({domainColor: paint.soft, tickColor: paint.soft, labelColor: paint.ink, titleColor: paint.ink,
  gridColor: paint.line, labelFontSize: 12, titleFontSize: 12, labelOverlap: "greedy"});

// The powers of two among many values; of few all but those that a power of two among them stands right beside.
function round(values) {
  const even = values.filter((value) => Number.isInteger(Math.log2(value)));
  if (values.length > 10 && even.length > 4) return even;
  return values.filter((value) => even.includes(value) || !even.some((other) => Math.abs(Math.log(value / other)) < 0.1));
}

function axes(view, paint, width, height) {
  const narrow = width < 480;
  const shared = {...axisPaint(paint), titleFontSize: 13, titleFontWeight: 600, titlePadding: 8};
  const x = {scale: "x", orient: "bottom", title: view.xTitle, ...shared};
  if (view.category) {
    Object.assign(x, {labelLimit: MOST_TICK_TEXT, labelOverlap: false});
    const names = [...view.category.values()], every = Math.ceil(names.length * LEAST_TICK / (width - 100));
    if (every > 1) x.values = names.filter((_, place) => place % every === 0);  // the pointer tells the others
    if (names.length > (narrow ? 3 : 6)) Object.assign(x, {labelAngle: -50, labelAlign: "right", labelBaseline: "middle"});
  } else {
    Object.assign(x, {grid: true, format: "~f", tickCount: narrow ? 5 : 10});
    if (view.xValues.length <= 20) x.values = round(view.xValues);
  }
  const label = state.y === "time" ? "format(datum.value, '~s') + 's'" : "format(datum.value, ',')";
  return [x, {scale: "y", orient: "left", grid: true, title: view.yTitle, titleLimit: height - 60, tickCount: 6, ...shared,
    ...view.ly && {values: logTicks(view.yEnds)},
    encode: {labels: {update: {text: {signal: label}}}}}];
}

function marks(view, rich) {
  const at = {x: {scale: "x", field: "x"}, y: {scale: "y", field: "y"}}, colour = {scale: "colour", field: "line"};
  const made = [];
  if (state.x !== "implementation" || !view.category) {
    made.push({type: "line", from: {data: "one"}, encode: {enter: {...at, stroke: colour, strokeWidth: {value: 1.6},
      strokeDash: {scale: "dash", field: "line"}}}});
  }
  if (rich) {
    made.push({type: "rule", from: {data: "one"}, encode: {enter: {x: at.x, y: {scale: "y", field: "low"},
      y2: {scale: "y", field: "high"}, stroke: colour, strokeWidth: {value: 2.2}, opacity: {value: 0.75}}}});
    made.push({type: "symbol", from: {data: "one"}, encode: {enter: {...at, shape: {scale: "symbol", field: "line"},
      size: {value: 42}, fill: colour}}});
  }
  return [{type: "group", from: {facet: {name: "one", data: "points", groupby: "line"}}, marks: made}];
}

// The specification of what is shown; `saved` for a file, with a title and a legend.
function specOf(view, width, height, saved) {
  const paint = paints(!saved), {values, rich} = valuesOf(view), places = view.lines.map((_, place) => place);
  const ordinal = (name, range) => ({name, type: "ordinal", domain: places, range});
  const made = {width, height, padding: 6, autosize: saved ? "pad" : {type: "fit", contains: "padding"},
    background: saved ? paint.page : null,
    data: [{name: "points", values}, {name: "one-line", values: view.yLine ? [{y: view.yLine}] : []}],
    scales: [scaleX(view), scaleY(view), ordinal("colour", view.lines.map((line) => line.colours[paint.night ? 1 : 0])),
      ordinal("symbol", view.lines.map((line) => line.symbol)), ordinal("dash", view.lines.map((line) => line.dash)),
      ordinal("name", view.lines.map((line) => line.name))],
    axes: axes(view, paint, width, height),
    marks: [{type: "rule", from: {data: "one-line"}, encode: {enter: {x: {value: 0}, x2: {signal: "width"},
      y: {scale: "y", field: "y"}, stroke: {value: paint.soft}, strokeWidth: {value: 1.2}}}}, ...marks(view, rich)],
    config: {font: "system-ui, 'DejaVu Sans', 'Noto Sans CJK SC', sans-serif", view: {stroke: null}}};
  if (saved) {
    made.title = {text: view.title, subtitle: view.subtitle, anchor: "start", fontSize: 15, subtitleFontSize: 12,
      subtitleColor: paint.soft, color: paint.ink, offset: 12};
    made.legends = [{fill: "colour", shape: "symbol", stroke: "colour", strokeDash: "dash", orient: "right", labelLimit: 320,
      labelFontSize: 12, labelColor: paint.ink, encode: {labels: {update: {text: {signal: "scale('name', datum.value)"}}}}}];
  }
  return made;
}
