// The list of lines, to search and to choose from; what is said of the drawing; the table of its points.
const MOST_ROWS = 300, MOST_BEST = 8;
const SHAPES_SVG = {circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", square: "M-4-4h8v8h-8z", "triangle-up": "M-4 3.5h8l-4-8z",
  diamond: "M0-5l4 5l-4 5l-4-5z", "triangle-down": "M-4-3.5h8l-4 8z", cross: "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  "triangle-right": "M-3.5-4v8l8-4z"};

const made = (tag, more) => Object.assign(document.createElement(tag), more);

// Mark and dashes of a line that is drawn; of another an empty place.
function swatch(line) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", "-15 -7 30 14");
  svg.setAttribute("aria-hidden", "true");
  if (!shown.lines.includes(line)) return svg;
  const colour = colourOf(line), dashes = line.dash[1] ? line.dash.join(" ") : "none";
  for (const [path, style] of [["M-14 0h28", `stroke:${colour};stroke-width:2;stroke-dasharray:${dashes}`],
    [SHAPES_SVG[line.symbol], `fill:${colour}`]]) {
    const mark = svg.appendChild(document.createElementNS(svg.namespaceURI, "path"));
    mark.setAttribute("d", path);
    mark.setAttribute("style", style);
  }
  return svg;
}

// One more line is drawn, in place of the one chosen longest ago where there are as many as can be told apart.
function show(id, on) {
  const others = shown.lines.map((line) => line.id).filter((one) => one !== id);
  const order = (state.show || others).filter((one) => others.includes(one));
  state.show = on ? [...order, id].slice(-MOST_LINES) : order;
  root.dataset.view = "";
  return redraw().then(() => keepState());
}

let listed = [];  // lines by short name in their order, which no tick changes

function drawList() {
  const box = part(".x-lines"), focused = document.activeElement && document.activeElement.value;
  const last = (line) => line.points[line.points.length - 1].value, on = (line) => shown.lines.includes(line);
  const having = shown.every.filter((line) => line.points.length), known = (line) => listed.indexOf(line.id);
  const same = having.length === listed.length && having.every((line) => listed.includes(line.id));
  const order = having.sort(same ? (one, other) => known(one) - known(other) : (one, other) => on(other) - on(one) || last(other) - last(one));
  listed = order.map((line) => line.id);
  box.replaceChildren(...order.map((line) => {
    const tick = made("input", {type: "checkbox", value: line.id, checked: on(line)}), label = made("label");
    tick.addEventListener("change", () => show(line.id, tick.checked));
    label.append(tick, swatch(line), made("span", {textContent: line.name}));
    return label;
  }));
  const again = focused && [...box.querySelectorAll("input")].find((one) => one.value === focused);
  if (again) again.focus({preventScroll: true});
  searchList();
}

// Names that have every word that is searched for.
function searchList() {
  const wanted = part("[type=search]").value.toLowerCase().split(/\s+/);
  for (const label of part(".x-lines").children) label.hidden = !wanted.every((one) => label.textContent.toLowerCase().includes(one));
}

// Which line is ahead at which x: x, in their order -> {line, value}.
function aheadOf(view) {
  const less = view.less, ahead = new Map();
  for (const line of view.lines) {
    for (const {x, value} of line.points) {
      if (!ahead.has(x) || (less ? value < ahead.get(x).value : value > ahead.get(x).value)) ahead.set(x, {line, value});
    }
  }
  const order = view.category ? [...view.category.keys()] : [...ahead.keys()].sort(byX);
  return new Map(order.filter((x) => ahead.has(x)).map((x) => [x, ahead.get(x)]));
}

// "Highest: tiled 16 (256), tiled 32 (512 to 2048)"; empty of one line alone, or where that would be long.
function bestText() {
  const runs = [];
  for (const [x, {line}] of aheadOf(shown)) {
    const run = runs[runs.length - 1];
    if (run && run.line === line) run.to = x;
    else runs.push({line, from: x, to: x});
  }
  if (state.x === "implementation" || shown.lines.length < 2 || !runs.length || runs.length > MOST_BEST) return "";
  const name = (x) => xName({x}), span = ({from, to}) => from === to ? name(from) : fill(text.from_to, {low: name(from), high: name(to)});
  const said = [...groupedBy(runs, ({line}) => line)].map(([line, of]) => `${line.label} (${of.map(span).join(", ")})`);
  return fill(shown.less ? text.lowest : text.highest, {value: said.join("; ")});
}

// How many points are drawn, what is not, and how a ratio was formed.
function drawNote() {
  const rows = rowsOf(state.e), off = shown.every.filter((line) => line.points.length).length - shown.lines.length;
  const told = [fill(text.shown, {shown: plain(shown.count, 0), lines: shown.lines.length, every: plain(rows.length, 0)})];
  if (off) told.push(fill(text.hidden, {count: off}));
  if (!shown.category && shown.count > MOST_MARKED) told.push(text.thinned);
  if (isRatio()) told.push(state.b.startsWith(OVER_MACHINE) ? text.machines : text.medians);
  if (["energy", "efficiency", "eta"].includes(state.y)) told.push(text.no_intervals);
  const doubtful = shownPoints().filter(({row}) => entryOf(row, "note").doubtful).length;
  if (state.y === "share" && doubtful) told.push(fill(text.doubtful, {count: doubtful}));
  if (shown.alone) told.push(fill(text.no_peer, {count: shown.alone}));
  const why = Object.entries(experimentOf(state.e).left_out), left = why.reduce((sum, [, count]) => sum + count, 0);
  if (left) told.push(fill(text.left_out, {count: left, why: why.map(([name, count]) => `${name}: ${count}`).join(", ")}));
  part(".x-note").textContent = told.join(" ");
  part(".x-best").textContent = bestText();
  const name = [shown.title, shown.subtitle, bestText()].filter(Boolean).join("; ");
  part(".x-chart").setAttribute("aria-label", fill(text.chart, {name, lines: shown.lines.length, points: shown.count}));
}

// A row for each x, a column for each line; who is ahead is bold.
function drawTable() {
  const box = part(".x-table"), place = box.querySelector("div"), {lines} = shown;
  place.replaceChildren();
  if (!box.open || !shown.count) return;
  const table = made("table"), ahead = [...aheadOf(shown)], cut = ahead.length > MOST_ROWS;
  table.createCaption().append(made("span", {textContent: [`${shown.yTitle}${text.colon}${shown.subtitle}`,
    ...cut ? [fill(text.first_rows, {shown: MOST_ROWS, every: ahead.length})] : []].join(". ")}));
  const head = table.createTHead().insertRow(), body = table.createTBody();
  head.append(...[shown.xTitle, ...lines.map((line) => line.label)].map((name) => made("th", {scope: "col", textContent: name})));
  const said = (point) => state.y === "time" ? yText("time", point) : withEnds(point.value, point.low, point.high);
  for (const [x, best] of ahead.slice(0, MOST_ROWS)) {
    const row = body.insertRow();
    row.append(made("th", {scope: "row", textContent: xName({x})}));
    for (const line of lines) {
      const point = line.points.find((one) => one.x === x), first = lines.length > 1 && best.line === line;
      row.insertCell().append(made(first ? "b" : "span", {textContent: point ? said(point) : "–"}));
    }
  }
  place.append(table);
}
