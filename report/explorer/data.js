// The records as columns, of one machine or several: numbers, or places in a book of entries that many points share.
const NUMBERS = ["median", "low", "high", "rate", "share", "energy", "eta", "count", "calls", "threads", "clock", "power"];
const BOOKS = {experiment: "experiments", shape: "shapes", variant: "variants", host: "hosts", regime: "regimes", run: "runs", note: "notes"};
const REGIME = ["scope", "host_memory", "allocation", "cache", "distribution", "module_loading", "load", "precision", "handicap",
  "replica", "group"];
const columns = {};   // "median" -> a number per point, NaN where the record has none
const books = {};     // "variants" -> entries
const places = {};    // "variants" -> identity of an entry -> its place
const words = new Map();
const spreads = {unit: 10000, start: [], kept: [], steps: []};

for (const name of NUMBERS) columns[name] = [];
for (const [column, book] of Object.entries(BOOKS)) {
  columns[column] = [];
  books[book] = [];
  places[book] = new Map();
}

// base64 of gzip -> text.
async function unpacked(packed) {
  const bytes = Uint8Array.from(atob(packed.trim()), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).text();
}

function identity(book, entry) {
  if (book === "experiments") return entry.name;
  if (book === "variants") return JSON.stringify([entry.implementation, entry.parameters]);
  if (book === "hosts") return (entry.set ? `${entry.set}|` : "") + (entry.id || entry.machine);
  return JSON.stringify(entry);
}

function placeOf(book, entry) {
  const key = identity(book, entry);
  if (!places[book].has(key)) {
    places[book].set(key, books[book].length);
    books[book].push(book === "experiments" ? {...entry, left_out: {}} : entry);
  }
  return places[book].get(key);
}

// Are all runs of a sound payload here already?
const isKnown = (payload) => payload.runs.every((run) => places.runs.has(identity("runs", run)));

// Adds the points of a payload but those of runs that are here already; returns how many.
function addRecords(payload) {
  const here = payload.runs.map((run) => places.runs.has(identity("runs", run)));
  const fresh = payload.columns.run.map((run) => !here[run]);
  for (const [column, book] of Object.entries(BOOKS)) {
    const there = payload[book].map((entry) => placeOf(book, entry)), own = columns[column];
    payload.columns[column].forEach((place, row) => { if (fresh[row]) own.push(there[place]); });
  }
  for (const name of NUMBERS) {
    const own = columns[name];
    payload.columns[name].forEach((value, row) => { if (fresh[row]) own.push(value === null ? NaN : value); });
  }
  for (const one of payload.experiments) {
    const counts = books.experiments[places.experiments.get(one.name)].left_out;
    for (const [why, count] of Object.entries(one.left_out)) counts[why] = (counts[why] || 0) + count;
  }
  for (const [raw, said] of Object.entries(payload.words)) words.set(raw, said);
  addSpreads(payload.samples, fresh);
  return fresh.filter(Boolean).length;
}

function addSpreads(packed, fresh) {
  let start = spreads.steps.length;
  packed.kept.forEach((count, row) => {
    if (fresh[row]) {
      spreads.start.push(start);
      spreads.kept.push(count);
    }
    start += count;
  });
  for (const step of packed.steps) spreads.steps.push(step);
}

// The samples of a point in ascending order, or quantiles of them (s).
function samplesOf(row) {
  let units = 0;
  return spreads.steps.slice(spreads.start[row], spreads.start[row] + spreads.kept[row]).map((step) => {
    units += step;
    return units / spreads.unit * columns.median[row];
  });
}

const entryOf = (row, column) => books[BOOKS[column]][columns[column][row]];
const shapeOf = (row) => entryOf(row, "shape");
const variantOf = (row) => entryOf(row, "variant");
const hostOf = (row) => entryOf(row, "host");
const regimeOf = (row) => entryOf(row, "regime");
const word = (raw) => words.get(raw) || raw;
const workOf = (row) => Object.values(shapeOf(row).dims).reduce((product, extent) => product * extent, 1);

function hostName(host) {
  const machine = host.set || host.machine, alone = host.set && books.hosts.filter((one) => one.set === host.set).length === 1;
  const name = host.id && !alone ? `${machine}, ${text.host} ${host.id}` : machine;
  return host.reference ? `${name} (${text.reference})` : name;
}
