// Is a payload that a reader picked what an explorer saves? Told before anything of it is taken, so that it is taken whole or not at all.
const isText = (value) => typeof value === "string";
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const isFlag = (value) => typeof value === "boolean";
const isScalar = (value) => value === null || isText(value) || isNumber(value) || isFlag(value);
const isObject = (value) => typeof value === "object" && value !== null && !Array.isArray(value);
const isColour = (value) => isText(value) && /^#[0-9a-f]{6}$/i.test(value);
const isCount = (value) => Number.isSafeInteger(value) && value >= 0;
const orNone = (sound) => (value) => value === undefined || value === null || sound(value);
const listOf = (sound) => (value) => Array.isArray(value) && value.every(sound);
const tableOf = (sound) => (value) => isObject(value) && Object.values(value).every(sound);

// What the entries of each book hold, as far as anything here asks for it.
const ENTRIES = {
  experiments: {name: isText, title: isText, left_out: tableOf(isCount)},
  shapes: {operation: isText, dims: (value) => tableOf((extent) => isNumber(extent) && extent > 0)(value) && Object.keys(value).length > 0,
    options: isText, text: isText, size: orNone(isNumber), unit: isText, less: isFlag},
  variants: {implementation: isText, device: isText, parameters: tableOf(isScalar), name: isText, without: tableOf(isText),
    said: tableOf(isText), family: isText, colour: (value) => listOf(isColour)(value) && value.length === 2},
  hosts: {machine: isText, id: isText, cores: isNumber, reference: orNone(isFlag), set: orNone(isText)},
  regimes: {...Object.fromEntries(REGIME.map((name) => [name, orNone(isText)])), scope: isText, cache: isText, distribution: isText},
  runs: {id: isText, date: isText, commit: isText},
  notes: {chosen: orNone(tableOf(isScalar)), bound_by: orNone(isText), marks: orNone(listOf(isText)), timing: orNone(isText),
    energy_source: orNone(isText), doubtful: orNone(isFlag)}};

function fieldFault(book, entry) {
  if (!isObject(entry)) return book;
  const wrong = Object.entries(ENTRIES[book]).find(([name, sound]) => !sound(entry[name]));
  return wrong ? `${book}.${wrong[0]}` : "";
}

// Where it is not sound: "variants.colour"; empty where all of it is.
function unsound(payload) {
  if (!isObject(payload) || payload.kind !== "gemmlab explorer" || payload.version !== 2) return "kind, version";
  for (const book of Object.keys(ENTRIES)) {
    if (!Array.isArray(payload[book])) return book;
    for (const entry of payload[book]) {
      const wrong = fieldFault(book, entry);
      if (wrong) return wrong;
    }
  }
  if (!tableOf(isText)(payload.words)) return "words";
  return columnFault(payload) || sampleFault(payload);
}

function columnFault({columns: given, ...payload}) {
  if (!isObject(given) || !Array.isArray(given.median)) return "columns";
  const count = given.median.length, positive = ["median", "rate"];
  for (const name of NUMBERS) {
    const sound = positive.includes(name) ? (value) => isNumber(value) && value > 0 : orNone(isNumber);
    if (!listOf(sound)(given[name]) || given[name].length !== count) return `columns.${name}`;
  }
  for (const [name, book] of Object.entries(BOOKS)) {
    const there = (place) => isCount(place) && place < payload[book].length;
    if (!listOf(there)(given[name]) || given[name].length !== count) return `columns.${name}`;
  }
  return "";
}

function sampleFault({columns: given, samples}) {
  const sound = isObject(samples) && listOf(isCount)(samples.kept) && listOf(isNumber)(samples.steps) &&
    samples.kept.length === given.median.length && samples.kept.reduce((sum, one) => sum + one, 0) === samples.steps.length;
  return sound ? "" : "samples";
}
