// What is told of a point, by the pointer or the arrow keys.
const NEAR = 40; // pixels from a point
const MOST_CHOSEN = 20; // letters of what was chosen: a tile, not a library's path
let at = null;   // the entry of pixels that is told of

const xText = (point) => shown.category ? xName(point) : `${xTitle(state.x, point.row)} ${point.x}`;

// "MKL, 16 threads".
function spokenVariant(row) {
  const {name, said, without} = variantOf(row);
  return [name, ...Object.keys(said).filter((key) => !without[key]).map((key) => said[key])].join(", ");
}

// Every line of text about a point: name, where, value with interval, samples, host, tile.
function tellingOf({line, point}) {
  const {row} = point, note = entryOf(row, "note"), run = entryOf(row, "run");
  const value = yText(state.y, point);
  const first = point.low > 0 || state.y === "energy" ? value : `${value} (${text.no_interval})`;
  const shape = state.x === "size" || state.x === "shape" ? [] : [`${text.shape} ${shapeOf(row).text}`];
  const told = [line.name, [xText(point), ...shape].join(", "), first];
  if (isRatio() && point.peer !== row) {
    told.push(fill(text.over_point, {name: spokenVariant(point.peer), value: yText("time", {row: point.peer, ...Y.time.of(point.peer)})}));
  }
  if (state.x === "implementation") told.push(spokenVariant(row));
  for (const other of ["rate", "time"]) if (state.y !== other) told.push(yText(other, {row, ...Y[other].of(row)}));
  const calls = columns.calls[row] > 1 ? text.samples_calls : text.samples_one;
  told.push(fill(calls, {count: plain(columns.count[row], 0), value: plain(columns.calls[row], 0)}));
  if (columns.share[row] > 0 && state.y !== "share") {
    const share = `${text.share}: ${yText("share", {row, value: columns.share[row] * 100})}`;
    told.push(note.doubtful ? `${share} (${text.untrusted})` : share);
  }
  if (note.bound_by) told.push(fill(text.bound, {value: text[`bound_${note.bound_by}`] || note.bound_by.toUpperCase()}));
  const chosen = Object.entries(note.chosen || {}).map(([name, one]) => `${name} ${one}`).filter((one) => one.length <= MOST_CHOSEN);
  if (chosen.length) told.push(fill(text.chosen, {value: chosen.join(", ")}));
  if (columns.threads[row] > 0) told.push(fill(text.threads_used, {count: columns.threads[row]}));
  if (columns.energy[row] > 0) {
    const source = text[`source_${note.energy_source}`] || note.energy_source;
    told.push(`${text.energy}: ${yText("energy", {row, value: columns.energy[row]})} (${text.no_interval}; ${source})`);
  }
  if (columns.clock[row] > 0) told.push(fill(text.clock, {value: plain(columns.clock[row], 0)}));
  if (columns.power[row] > 0) told.push(fill(text.watt, {value: plain(columns.power[row])}));
  if (columns.eta[row] >= 0 && state.y !== "eta") told.push(`${text.eta}: ${plain(columns.eta[row])}`);
  for (const mark of note.marks || []) told.push(text[mark]);
  told.push(fill(text.on, {machine: hostName(hostOf(row))}));
  told.push(fill(text.measured, {value: [run.date, run.commit].filter(Boolean).join(", ")}));
  return told;
}

function nearest(x, y) {
  let best = null, least = NEAR * NEAR;
  for (const one of pixels) {
    const away = (one.x - x) ** 2 + (one.y - y) ** 2;
    if (away < least) [best, least] = [one, away];
  }
  return best;
}

function point(entry, spoken) {
  at = entry;
  const tip = part(".x-tip"), dot = part(".x-dot");
  tip.hidden = dot.hidden = !entry;
  if (!entry) return;
  const told = tellingOf(entry), [name, ...rest] = told;
  tip.replaceChildren(made("b", {textContent: name}), ...rest.map((one) => made("div", {textContent: one})));
  const left = part(".x-chart").offsetLeft, top = part(".x-chart").offsetTop;
  dot.style.transform = `translate(${left + entry.x}px, ${top + entry.y}px)`;
  dot.style.borderColor = colourOf(entry.line);
  const room = part(".x-stage").clientWidth - tip.offsetWidth - 4;
  const side = entry.x > room / 2 + 40 ? entry.x - tip.offsetWidth - 14 : entry.x + 14;
  tip.style.transform = `translate(${Math.max(0, Math.min(room, left + side))}px, ${Math.max(0, top + Math.min(entry.y - 20,
    part(".x-chart").clientHeight - tip.offsetHeight))}px)`;
  if (spoken) part(".x-said").textContent = [...told, text.press].join(". ");
}

// Left and right go along a line, up and down to the next line at about the same x; in rows of categories the other way round.
function step(key) {
  const lines = shown.lines, rows = shown.category, far = (one) => rows ? one.y : one.x;
  if (!at || !lines.includes(at.line)) return pixels[0] || null;
  const own = pixels.filter((one) => one.line === at.line), place = own.indexOf(at), ahead = ["ArrowRight", "ArrowDown"].includes(key);
  if (rows ? ["ArrowUp", "ArrowDown"].includes(key) : ["ArrowLeft", "ArrowRight"].includes(key)) {
    return own[Math.max(0, Math.min(own.length - 1, place + (ahead ? 1 : -1)))];
  }
  const turn = (lines.indexOf(at.line) + (ahead ? 1 : lines.length - 1)) % lines.length;
  const others = pixels.filter((one) => one.line === lines[turn]);
  return others.reduce((best, one) => Math.abs(far(one) - far(at)) < Math.abs(far(best) - far(at)) ? one : best, others[0]);
}

function listenToPointer() {
  const chart = part(".x-chart");
  const where = (event) => {
    const box = chart.getBoundingClientRect();
    return nearest(event.clientX - box.left, event.clientY - box.top);
  };
  chart.addEventListener("pointermove", (event) => point(where(event), false));
  chart.addEventListener("pointerleave", () => point(null, false));
  chart.addEventListener("blur", () => point(null, false));
  chart.addEventListener("click", (event) => {
    const entry = where(event);
    point(entry, false);
    if (entry) showSpread(entry);
  });
  chart.addEventListener("keydown", (event) => {
    if (event.key.startsWith("Arrow")) point(step(event.key), true);
    else if (event.key === "Enter" && at) showSpread(at);
    else if (event.key === "Escape") point(null, false);
    else return;
    event.preventDefault();
  });
}
