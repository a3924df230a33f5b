// The list of lines, which hides and draws them; what is said below the chart; the table of points.
const MOST_ROWS = 300;
const SHAPES_SVG = {circle: "M-4 0a4 4 0 1 0 8 0a4 4 0 1 0-8 0", square: "M-4-4h8v8h-8z", "triangle-up": "M-4 3.5h8l-4-8z",
  diamond: "M0-5l4 5l-4 5l-4-5z", "triangle-down": "M-4-3.5h8l-4 8z", cross: "M-1.5-4.5h3v3h3v3h-3v3h-3v-3h-3v-3h3z",
  "triangle-right": "M-3.5-4v8l8-4z"};

function swatch(line) {
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg"), colour = line.colours[dark() ? 1 : 0];
  svg.setAttribute("viewBox", "-15 -7 30 14");
  svg.setAttribute("aria-hidden", "true");
  const dashes = line.dash[1] ? line.dash.join(" ") : "none";
  for (const [path, style] of [["M-14 0h28", `stroke:${colour};stroke-width:2;stroke-dasharray:${dashes}`],
    [SHAPES_SVG[line.symbol], `fill:${colour}`]]) {
    const mark = document.createElementNS(svg.namespaceURI, "path");
    mark.setAttribute("d", path);
    mark.setAttribute("style", style);
    svg.append(mark);
  }
  return svg;
}

function button(label, act) {
  const made = Object.assign(document.createElement("button"), {type: "button", textContent: label});
  made.addEventListener("click", act);
  return made;
}

function setHidden(ids) {
  state.hide = new Set(ids);
  return redraw();
}

function drawLegend() {
  const box = part(".x-legend"), focused = document.activeElement && document.activeElement.dataset.line;
  const last = (line) => line.points[line.points.length - 1].value;
  const order = shown.every.filter((line) => line.points.length).sort((one, other) => last(other) - last(one));
  const entries = order.map((line) => {
    const entry = button("", () => {
      const off = new Set(shown.off);
      if (!off.delete(line.id)) off.add(line.id);
      setHidden(off);
    });
    entry.append(swatch(line), line.name);
    entry.dataset.line = line.id;
    entry.setAttribute("aria-pressed", String(!shown.off.has(line.id)));
    return entry;
  });
  const many = entries.length > 2 ? [button(text.every_line, () => setHidden([])),
    button(text.no_line, () => setHidden(shown.every.map((line) => line.id)))] : [];
  for (const one of many) one.className = "x-all";
  box.replaceChildren(...entries, ...many);
  const again = focused && entries.find((one) => one.dataset.line === focused);
  if (again) again.focus({preventScroll: true});
}

// How many points are drawn, what is not, and how a ratio was formed.
function drawNote() {
  const {rows} = rowsOf(state.e), off = shown.every.filter((line) => line.points.length && shown.off.has(line.id)).length;
  const told = [fill(text.shown, {shown: plain(shown.count, 0), lines: shown.lines.length, every: plain(rows.length, 0)})];
  if (off) told.push(fill(text.hidden, {count: off}));
  if (shown.count > MOST_DRAWN) told.push(text.thinned);
  if (state.y === "speedup") told.push(text.medians);
  if (state.y === "over") told.push(text.machines);
  if (["energy", "efficiency", "eta"].includes(state.y)) told.push(text.no_intervals);
  const doubtful = shownPoints().filter(({row}) => entryOf(row, "note").doubtful).length;
  if (state.y === "share" && doubtful) told.push(fill(text.doubtful, {count: doubtful}));
  if (shown.alone) told.push(fill(text.no_peer, {count: shown.alone}));
  const why = Object.entries(experimentOf(state.e).left_out), left = why.reduce((sum, [, count]) => sum + count, 0);
  if (left) told.push(fill(text.left_out, {count: left, why: why.map(([name, count]) => `${name}: ${count}`).join(", ")}));
  part(".x-note").textContent = told.join(" ");
  const name = `${shown.title}; ${shown.subtitle}`;
  part(".x-chart").setAttribute("aria-label", fill(text.chart, {name, lines: shown.lines.length, points: shown.count}));
}

function drawTable() {
  const box = part(".x-table"), place = box.querySelector("div");
  place.replaceChildren();
  if (!box.open) return;
  const rows = shown.lines.flatMap((line) => line.points.map((point) => ({line, point})));
  const table = document.createElement("table"), caption = table.createCaption();
  caption.textContent = [fill(text.table, {name: shown.xTitle}),
    ...rows.length > MOST_ROWS ? [fill(text.first_rows, {shown: MOST_ROWS, every: rows.length})] : []].join(". ");
  const cells = (row, tag, values) => values.forEach((value, column) => {
    const cell = Object.assign(document.createElement(tag), {textContent: value});
    if (tag === "th") cell.scope = row.parentNode === table.tHead ? "col" : "row";
    if (column > 1) cell.className = "number";
    row.append(cell);
  });
  cells(table.createTHead().insertRow(), "th", [text.line, shown.xTitle, shown.yTitle, text.samples]);
  const body = table.createTBody();
  for (const {line, point} of rows.slice(0, MOST_ROWS)) {
    const row = body.insertRow();
    cells(row, "th", [line.name]);
    cells(row, "td", [String(xName(point))]);
    cells(row, "td", [yText(state.y, point), plain(columns.count[point.row], 0)]);
  }
  place.append(table);
}
