// What is shown, as a file.
function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], {type});
  const link = made("a", {href: URL.createObjectURL(blob), download: name});
  document.body.append(link);
  link.click();
  link.remove();
  setTimeout(() => URL.revokeObjectURL(link.href), 10000);
}

// A field of a CSV file; a text that a spreadsheet would run as a formula gets an apostrophe.
function field(value) {
  if (typeof value === "number") return Number.isFinite(value) ? String(value) : "";
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\n\r]/.test(safe) ? `"${safe.replace(/"/g, '""')}"` : safe;
}

const NUMBER_HEADS = {median_s: "median", ci95_low_s: "low", ci95_high_s: "high", gflop_per_s: "rate", of_ceiling: "share",
  energy_j_per_call: "energy", eta_max: "eta", sample_count: "count", calls_per_sample: "calls", threads_actual: "threads"};

// A row for each point that is drawn.
function csvText() {
  const known = (of) => [...new Set(shownPoints().flatMap(({row}) => Object.keys(of(row))))];
  const names = known((row) => variantOf(row).parameters).sort(), extents = known((row) => shapeOf(row).dims);
  const head = ["line", "x", state.y, `${state.y}_low`, `${state.y}_high`, "experiment", "machine", "host", "implementation",
    ...names.map((name) => `parameter_${name}`), "operation", ...extents, "options", ...REGIME, "rate_unit", ...Object.keys(NUMBER_HEADS),
    "run_id"];
  const lines = [head.join(",")];
  for (const line of shown.lines) {
    for (const {row, x, value, low = "", high = ""} of line.points) {
      const {implementation, parameters} = variantOf(row), host = hostOf(row), regime = regimeOf(row), shape = shapeOf(row);
      lines.push([line.name, xName({x}), value, low, high, state.e, host.machine, host.id, implementation,
        ...names.map((name) => parameters[name] ?? ""), shape.operation, ...extents.map((name) => shape.dims[name] ?? ""), shape.options,
        ...REGIME.map((name) => regime[name] || ""), shape.unit, ...Object.values(NUMBER_HEADS).map((name) => columns[name][row]),
        entryOf(row, "run").id].map(field).join(","));
    }
  }
  return lines.join("\n") + "\n";
}

const blobOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/png"));
const stem = () => `gemmlab-${state.e}-${state.y}-${state.x.slice(state.x.indexOf(".") + 1)}`.replace(/[^\w-]+/g, "_");

// The pictures are what stands on the screen, the PNG with twice as many pixels.
async function saveAs(kind) {
  if (kind === "csv") save(`${stem()}.csv`, csvText(), "text/csv");
  else if (kind === "json") save("gemmlab-records.json", await unpacked(embedded("explorer-records")), "application/json");
  else if (drawn && kind === "svg") save(`${stem()}.svg`, await drawn.view.toSVG(), "image/svg+xml");
  else if (drawn) save(`${stem()}.png`, await blobOf(await drawn.view.toCanvas(2)));
}

// The payload in a file that a reader picked: a report's page, or the JSON that an explorer saved.
async function payloadIn(content) {
  if (content.trimStart().startsWith("{")) return JSON.parse(content);
  const page = new DOMParser().parseFromString(content, "text/html");  // which runs and fetches nothing
  return JSON.parse(await unpacked(page.getElementById("explorer-records").textContent));
}

async function addFile(file) {
  let payload = null;
  try {
    payload = await payloadIn(await file.text());
  } catch (unreadable) { /* said below */ }
  const wrong = unsound(payload);
  if (wrong) return tell(`${fill(text.unread, {file: file.name})}${isObject(payload) ? ` (${wrong})` : ""}`);
  const machine = [...new Set(payload.hosts.map((host) => host.machine))].join("; ");
  if (isKnown(payload)) return tell(fill(text.known, {machine}));
  const points = addRecords(payload);
  known.clear();
  tell(fill(text.added, {machine, points: plain(points, 0)}));
  return redraw();
}
