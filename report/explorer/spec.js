// The picture as a Vega-Lite specification; what is saved is this picture.
const SYMBOLS = ["circle", "square", "triangle-up", "diamond", "triangle-down", "cross", "triangle-right"];
const DASHES = [[1, 0], [6, 2], [2, 2], [8, 2, 2, 2], [10, 4], [4, 1, 1, 1], [1, 1]];
const MOST_MARKED = 1500;  // points; more make lines without marks and intervals
const HEIGHT = 380, ROW = 18, GAP = 14, LETTER = 7;  // pixels: of the plot, a category, between two labels, per letter

const dark = () => matchMedia("(prefers-color-scheme: dark)").matches;
const ruled = (name) => getComputedStyle(document.documentElement).getPropertyValue(name).trim();
const colourOf = (line) => line.colours[dark() ? 1 : 0];

// Each line's colour, mark and dashes: lines of one family, whose colours are alike, differ in dashes. Of several hosts each has a
// mark of its own, and a colour where nothing else tells lines apart.
function dress(lines) {
  const hosts = [...new Set(lines.map((line) => columns.host[line.first]))], dashed = new Map();
  const alike = state.x === "implementation" || new Set(lines.map((line) => line.peer)).size === 1;
  lines.forEach((line, place) => {
    const mark = hosts.length > 1 ? hosts.indexOf(columns.host[line.first]) : place, family = alike ? "" : variantOf(line.first).family;
    line.colours = alike ? settings.palette[mark % settings.palette.length] : variantOf(line.first).colour;
    line.symbol = SYMBOLS[mark % SYMBOLS.length];
    line.dash = DASHES[(dashed.get(family) || 0) % DASHES.length];
    dashed.set(family, (dashed.get(family) || 0) + 1);
  });
}

// What all drawings of the page share.
function baseOf(width) {
  const [ink, soft, line, page] = ["--ink", "--soft", "--line", "--page"].map(ruled);
  const axis = {domainColor: soft, tickColor: soft, labelColor: ink, titleColor: ink, gridColor: line, labelFontSize: 12,
    titleFontSize: 13, titleFontWeight: 600, titlePadding: 8, labelOverlap: "greedy",
    grid: true};
  return {$schema: "https://vega.github.io/schema/vega-lite/v6.json", width, background: page, autosize: {type: "fit-x", contains: "padding"},
    config: {font: "system-ui, 'DejaVu Sans', 'Noto Sans CJK SC', sans-serif", view: {stroke: null}, axis,
      legend: {labelColor: ink, labelFontSize: 12, labelLimit: 300},
      title: {anchor: "start", frame: "bounds", color: ink, subtitleColor: soft, fontSize: 14, subtitleFontSize: 12, offset: 10}}};
}

// Words in lines of so many letters.
function wrapped(words, most) {
  const lines = [""];
  for (const one of words.split(" ")) {
    if (`${lines[lines.length - 1]} ${one}`.trim().length > most) lines.push("");
    lines.push(`${lines.pop()} ${one}`.trim());
  }
  return lines.filter(Boolean);
}

// How far up or along the plot a value stands, from 0 to 1.
const partOf = ([low, high], log) => (value) => log ? Math.log(value / low) / Math.log(high / low) : (value - low) / (high - low);

// From one end to the other, with some room.
function domainOf([low, high], log, zero) {
  if (log) return low === high ? [low / 2, high * 2] : [low / 1.12, high * 1.12];
  const room = low === high ? Math.abs(low) / 2 || 1 : (high - low) * 0.04;
  return [zero ? Math.min(0, low) : low - room, high + room];
}

// 1, 2 and 5 of each decade, or 1 alone where these are more than there is room for; none where there would be too few.
function logTicks([low, high], most) {
  const decades = [];
  for (let power = Math.floor(Math.log10(low)); power <= Math.log10(high); power++) decades.push(power);
  const within = (steps) => decades.flatMap((power) => steps.map((step) => Number(`${step}e${power}`))).filter((one) => one >= low && one <= high);
  const values = within([1, 2, 5]).length > most ? within([1]) : within([1, 2, 5]);
  return values.length > 2 && {values};
}

// The values themselves where they are few, or the powers of two among them.
function valueTicks(view) {
  const all = [...new Set(view.lines.flatMap((line) => line.points.map(({x}) => x)))], even = all.filter((x) => Number.isInteger(Math.log2(x)));
  return all.length <= 12 ? {values: all} : even.length > 3 && {values: even};
}

// Where names stand at the ends of their lines: as close as they do not cover each other. `ends`: [{name, x, end, along}], `end` in
// pixels from the top.
function labelsOf(ends) {
  const labels = ends.sort((one, other) => one.end - other.end);
  const beside = (one, among) => among.filter((other) => Math.abs(other.along - one.along) < 0.2).map(({at}) => at);
  labels.forEach((one, place) => { one.at = Math.max(one.end, ...beside(one, labels.slice(0, place)).map((at) => at + GAP)); });
  for (let place = labels.length - 1; place >= 0; place--) {
    labels[place].at = Math.min(labels[place].at, HEIGHT, ...beside(labels[place], labels.slice(place + 1)).map((at) => at - GAP));
  }
  return labels;
}

const numeric = (field, more) => ({field, type: "quantitative", ...more});

// Each name at the end of its line, on a halo, joined to it where it stands aside.
function labelLayers(view, xDomain, yDomain, base, limit) {
  const up = partOf(yDomain, state.ly), along = partOf(xDomain, state.lx), {labelColor: ink, domainColor: soft} = base.config.axis;
  const values = labelsOf([...view.lines.map((line) => [line.label, line.points[line.points.length - 1]]),
    ...view.ideal ? [[text.ideal, view.ideal[1]]] : []].map(([name, {x, value}]) => {
    return {name, x, end: (1 - up(value)) * HEIGHT, along: along(x)};
  }));
  const pixel = (field) => numeric(field, {scale: null, axis: null}), x = numeric("x");
  const words = {type: "text", align: "left", baseline: "middle", dx: 17, limit, fontSize: 12};
  const encoding = {x, y: pixel("at"), text: {field: "name"}};
  return [{mark: {type: "rule", xOffset: 5, x2Offset: 15}, encoding: {x, x2: {field: "x"}, y: pixel("end"), y2: {field: "at"},
    color: {value: soft}}}, {mark: {...words, stroke: base.background, strokeWidth: 3}, encoding},
  {mark: {...words, color: ink}, encoding}].map((layer) => ({...layer, data: {values}}));
}

// The specification of what is shown: lines over numbers, or a row of points for each category.
function specOf(view, width) {
  const base = baseOf(width), soft = base.config.axis.domainColor, rows = view.category, names = view.lines.map((line) => line.label);
  const [across, up] = rows ? ["y", "x"] : ["x", "y"], narrow = width < 480, rich = rows || view.count <= MOST_MARKED;
  const yDomain = domainOf(view.yEnds, state.ly, true), xDomain = rows ? [...rows.values()] : domainOf(view.xEnds, state.lx);
  const scale = (log, base2) => log ? {type: "log", ...base2 && {base: 2}} : {type: "linear"};
  const yAxis = numeric("value", {title: wrapped(view.yTitle, (rows ? width : HEIGHT) / (LETTER + 1)),
    scale: {...scale(state.ly), domain: yDomain, nice: false},
    axis: {labelExpr: state.y === "time" ? "format(datum.value, '~s') + 's'" : "format(datum.value, ',')",
      ...state.ly && logTicks(yDomain, rows ? width / 100 : 10) || {tickCount: narrow ? 4 : 6}}});
  const xAxis = rows ? {field: "x", type: "nominal", sort: null, title: null, scale: {domain: xDomain},
    axis: {labelLimit: width * 0.4, labelOverlap: false}}
    : numeric("x", {title: view.xTitle, axis: {format: "~f", ...valueTicks(view) || {tickCount: narrow ? 5 : 10}},
      scale: {...scale(state.lx, true), domain: xDomain, nice: false}});
  const longest = Math.max(...names.map((name) => name.length)) * LETTER;
  const told = rows && names.length > 1 ? {orient: "top", title: null, columns: Math.max(1, Math.floor(width / (longest + 40)))} : null;
  const each = (of) => ({field: "name", type: "nominal", scale: {domain: names, range: view.lines.map(of)}, legend: told});
  const color = each(colourOf), at = {[across]: xAxis, [up]: yAxis, color}, fixed = {color: {value: soft}};
  const room = rows ? 8 : Math.min(longest + 34, width * 0.36);
  const layer = [
    ...isRatio() ? [{data: {values: [{}]}, mark: "rule", encoding: {[up]: {datum: 1}, ...fixed}}] : [],
    ...view.ideal ? [{data: {values: view.ideal}, mark: {type: "line", strokeDash: [3, 3]},
      encoding: {x: numeric("x"), y: numeric("value"), ...fixed}}] : [],
    ...rows ? [] : [{mark: {type: "line", strokeWidth: 1.8}, encoding: {...at, strokeDash: {...each((line) => line.dash), legend: null}}}],
    ...rich ? [{mark: {type: "rule", strokeWidth: 2.2, opacity: 0.75},
      encoding: {...at, [up]: {...yAxis, field: "low"}, [`${up}2`]: {field: "high"}}},
    {mark: {type: "point", filled: true, size: 46, opacity: 1}, encoding: {...at, shape: each((line) => line.symbol)}}] : [],
    ...rows ? [] : labelLayers(view, xDomain, yDomain, base, room - 22)];
  return {...base, height: rows ? Math.max(xDomain.length, 2) * ROW : HEIGHT, padding: 6, layer,
    title: {text: wrapped(view.title, width / 8), subtitle: wrapped(view.subtitle, width / LETTER)},
    data: {values: view.lines.flatMap((line) => line.points.map(({x, value, low, high}) => ({name: line.label, value,
      x: rows ? rows.get(x) : x, low: low > 0 ? low : value, high: low > 0 ? high : value})))}};
}
