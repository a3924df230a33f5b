// What is shown, as a file.
function save(name, content, type) {
  const blob = content instanceof Blob ? content : new Blob([content], {type});
  const link = Object.assign(document.createElement("a"), {href: URL.createObjectURL(blob), download: name});
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

const REGIME = ["scope", "cache", "distribution", "host_memory", "allocation", "module_loading", "load", "group", "precision"];

const NUMBER_HEADS = {median_s: "median", ci95_low_s: "low", ci95_high_s: "high", gflop_per_s: "rate", of_ceiling: "share",
  energy_j_per_call: "energy", eta_max: "eta", sample_count: "count", calls_per_sample: "calls", threads_actual: "threads"};

// A row for each point that is drawn.
function csvText() {
  const names = [...new Set(shownPoints().flatMap(({row}) => Object.keys(variantOf(row).parameters)))].sort();
  const head = ["line", "x", state.y, `${state.y}_low`, `${state.y}_high`, "experiment", "machine", "host", "implementation",
    ...names.map((name) => `parameter_${name}`), "m", "n", "k", ...REGIME, ...Object.keys(NUMBER_HEADS), "run_id"];
  const lines = [head.join(",")];
  for (const line of shown.lines) {
    for (const {row, x, value, low, high} of line.points) {
      const {implementation, parameters} = variantOf(row), regime = regimeOf(row), host = hostOf(row);
      lines.push([line.name, xName({x}), value, low === undefined ? "" : low,
        high === undefined ? "" : high, state.e, host.machine, host.id, implementation,
        ...names.map((name) => name in parameters ? parameters[name] : ""), columns.m[row], columns.n[row], columns.k[row],
        ...REGIME.map((name) => regime[name] || ""),
        ...Object.values(NUMBER_HEADS).map((name) => columns[name][row]),
        entryOf(row, "run").id].map(field).join(","));
    }
  }
  return lines.join("\n") + "\n";
}

// The picture with title, subtitle and legend, on white.
async function picture(kind) {
  const place = document.createElement("div");
  const {view, finalize} = await window.vegaEmbed(place, specOf(shown, 820, 460, true),
    {mode: "vega", renderer: "canvas", actions: false, hover: false, tooltip: false});
  const made = kind === "svg" ? new Blob([await view.toSVG()], {type: "image/svg+xml"})
    : await blobOf(await view.toCanvas(2));
  finalize();
  return made;
}

const blobOf = (canvas) => new Promise((done) => canvas.toBlob(done, "image/png"));

const stem = () => `gemmlab-${state.e}-${state.y}-${state.x.replace("p.", "")}`.replace(/[^\w-]+/g, "_");

async function saveAs(kind) {
  if (kind === "csv") save(`${stem()}.csv`, csvText(), "text/csv");
  else if (kind === "json") save("gemmlab-records.json", await unpacked(embedded("explorer-records")), "application/json");
  else if (shown.count) save(`${stem()}.${kind}`, await picture(kind));
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
  const wrong = fault(payload);
  if (wrong === "unread") return tell(fill(text.unread, {file: file.name}));
  const machine = [...new Set(payload.hosts.map((host) => host.machine))].join("; ");
  if (wrong === "known") return tell(fill(text.known, {machine}));
  const points = addRecords(payload);
  experimentRows.clear();
  tell(fill(text.added, {machine, points: plain(points, 0)}));
  return redraw();
}
