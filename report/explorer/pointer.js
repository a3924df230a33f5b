// What is told of a point, by the pointer or the arrow keys.
const NEAR = 40; // pixels from a point
let at = null;   // the entry of pixels that is told of

function xText(point) {
  return shown.category ? xName(point) : `${xTitle(state.x)} ${point.x}`;
}

// Every line of text about a point: name, where, value with interval, samples, host, tile.
function tellingOf({line, point}) {
  const {row} = point, note = entryOf(row, "note"), run = entryOf(row, "run");
  const value = yText(state.y, point);
  const first = point.low > 0 || state.y === "energy" ? value : `${value} (${text.no_interval})`;
  const shape = state.x === "size" || state.x === "shape" ? [] : [`${text.shape} ${shapeOf(row)}`];
  const told = [line.name, [xText(point), ...shape].join(", "), first];
  if (state.y !== "rate") told.push(yText("rate", Y.rate.of(row)));
  if (state.y !== "time") told.push(yText("time", Y.time.of(row)));
  const calls = columns.calls[row] > 1 ? text.samples_calls : text.samples_one;
  told.push(fill(calls, {count: plain(columns.count[row], 0), value: plain(columns.calls[row], 0)}));
  if (columns.share[row] > 0 && state.y !== "share") {
    const share = `${text.share}: ${yText("share", {value: columns.share[row] * 100})}`;
    told.push(note.doubtful ? `${share} (${text.untrusted})` : share);
  }
  if (note.bound_by) told.push(fill(text.bound, {value: text[`bound_${note.bound_by}`] || note.bound_by.toUpperCase()}));
  const chosen = Object.entries(note.chosen || {}).map(([name, one]) => `${name} ${one}`);
  if (chosen.length) told.push(fill(text.chosen, {value: chosen.join(", ")}));
  if (columns.threads[row] > 0) told.push(fill(text.threads_used, {count: columns.threads[row]}));
  if (columns.energy[row] > 0) {
    const source = text[`source_${note.energy_source}`] || note.energy_source;
    told.push(`${text.energy}: ${yText("energy", {value: columns.energy[row]})} (${text.no_interval}; ${source})`);
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
  const head = document.createElement("b");
  head.textContent = name;
  tip.replaceChildren(head, ...rest.map((one) => Object.assign(document.createElement("div"), {textContent: one})));
  const left = part(".x-chart").offsetLeft, top = part(".x-chart").offsetTop;
  dot.style.transform = `translate(${left + entry.x}px, ${top + entry.y}px)`;
  dot.style.borderColor = entry.line.colours[dark() ? 1 : 0];
  const room = part(".x-stage").clientWidth - tip.offsetWidth - 4;
  const side = entry.x > room / 2 + 40 ? entry.x - tip.offsetWidth - 14 : entry.x + 14;
  tip.style.transform = `translate(${Math.max(0, Math.min(room, left + side))}px, ${Math.max(0, top + Math.min(entry.y - 20,
    part(".x-chart").clientHeight - tip.offsetHeight))}px)`;
  if (spoken) part(".x-said").textContent = [...told, text.press].join(". ");
}

// Left and right go along a line, up and down to the next line at about the same x.
function step(key) {
  const lines = shown.lines;
  if (!at || !lines.includes(at.line)) return pixels[0] || null;
  const own = pixels.filter((one) => one.line === at.line), place = own.indexOf(at);
  if (key === "ArrowLeft" || key === "ArrowRight") {
    return own[Math.max(0, Math.min(own.length - 1, place + (key === "ArrowRight" ? 1 : -1)))];
  }
  const turn = (lines.indexOf(at.line) + (key === "ArrowDown" ? 1 : lines.length - 1)) % lines.length;
  const others = pixels.filter((one) => one.line === lines[turn]);
  return others.reduce((best, one) => Math.abs(one.x - at.x) < Math.abs(best.x - at.x) ? one : best, others[0]);
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
