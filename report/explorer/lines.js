// Which points are chosen, and which of them make a line: the same but for x. Hosts are never mixed in one.

// What the points of an experiment have, for the lists to choose from: "s" -> scope -> how many points.
function offers(rows) {
  const found = Object.fromEntries([..."dscqghpymnk", "work"].map((name) => [name, new Map()]));
  const add = (name, key) => found[name].set(key, (found[name].get(key) || 0) + 1);
  for (const row of rows) {
    add("d", variantOf(row).device);
    add("s", regimeOf(row).scope);
    add("c", regimeOf(row).cache);
    add("q", regimeOf(row).group || "");
    add("g", shapeOf(row));
    found.work.set(shapeOf(row), workOf(row));
    for (const name of ["m", "n", "k"]) add(name, columns[name][row]);
    add("h", columns.host[row]);
    for (const name of Object.keys(variantOf(row).parameters)) add("p", name);
    add("y", "rate"); add("y", "time"); add("y", "speedup");
    add("y", "over");
    for (const name of ["share", "energy", "eta"]) if (columns[name][row] >= 0) add("y", name);
    if (columns.energy[row] > 0) add("y", "efficiency");
  }
  if (found.h.size < 2) found.y.delete("over");
  return found;
}

const hostKey = (place) => shortName(identity("hosts", books.hosts[place]));

// The rows of the experiment that pass what is chosen, with their x; of the chosen host, or of the one that is named.
function chosenRows(rows, host = state.h) {
  const fits = (wanted, value) => wanted === "all" || wanted === value;
  const byShape = !SHAPES.includes(state.x);
  const keys = books.hosts.map((_, place) => hostKey(place));
  const found = [];
  for (const row of rows) {
    const x = xOf(row, state.x);
    const {scope, cache, group = ""} = regimeOf(row);
    if (x !== null && fits(state.d, variantOf(row).device) && fits(host, keys[columns.host[row]]) &&
        fits(state.s, scope) && fits(state.c, cache) && fits(state.q, group) &&
        (!byShape || fits(state.g, shapeOf(row)))) found.push({row, x});
  }
  return found;
}

// The parts of a point that make its line: [implementation with its other parameters, regime, host, the rest of the shape].
const partsOf = {variant(row) {
  const {implementation, parameters} = variantOf(row);
  if (state.x === "implementation") return "";
  const others = {...parameters};
  if (state.x.startsWith("p.")) delete others[state.x.slice(2)];
  return JSON.stringify([implementation, others]);
}, regime: (row) => JSON.stringify(regimeOf(row)), host: (row) => identity("hosts", hostOf(row)),
rest(row) {
  if (state.x === "size" || state.x === "shape") return "";
  return ["m", "n", "k"].filter((name) => name !== state.x).map((name) => columns[name][row]).join("×");
}};

// The lines of the chosen points: [{id, peer, rows: [{row, x}], first}], in the order of the records.
function linesOf(points) {
  const lines = new Map();
  const variants = books.variants.map(() => null);  // a part is formed once an entry, not once a point
  for (const point of points) {
    const {row} = point;
    const variant = variants[columns.variant[row]] ??= partsOf.variant(row);
    const rest = partsOf.rest(row);
    const key = `${variant}|${columns.regime[row]}|${columns.host[row]}|${rest}`;
    let line = lines.get(key);
    if (!line) {
      const parts = [variant, partsOf.regime(row)];
      const id = shortName([...parts, rest, partsOf.host(row)].join("|"));
      line = {id, peer: shortName(parts.join("|")), rest, rows: [], first: row};
      lines.set(key, line);
    }
    line.rows.push(point);
  }
  const found = [...lines.values()];
  nameLines(found);
  return found;
}

// What may tell two lines of one name apart, in the order in which it is said.
function facts(line) {
  const {parameters, said} = variantOf(line.first), regime = regimeOf(line.first), found = [];
  if (state.x !== "implementation") {
    for (const name of Object.keys(parameters)) if (`p.${name}` !== state.x) found.push([name, said[name] || name]);
  }
  for (const name of ["scope", "host_memory", "allocation", "cache", "distribution", "module_loading", "load", "precision",
    "handicap", "replica", "group"]) found.push([name, regime[name] ? spoken(name, regime[name]) : ""]);
  if (!["size", "shape"].includes(state.x)) found.push(["rest", restText(line.first)]);
  if (state.x !== "implementation") found.push(["id", variantOf(line.first).implementation]);
  found.push(["host", hostName(hostOf(line.first))]);
  return found;
}

const spoken = (name, value) => ["scope", "precision", "group", "host_memory", "load"].includes(name) ? word(value)
  : `${text[name]} ${word(value)}`;

function restText(row) {
  if (!["m", "n", "k"].includes(state.x)) return shapeOf(row);
  const others = ["m", "n", "k"].filter((name) => name !== state.x);
  return others.map((name) => `${name.toUpperCase()} ${columns[name][row]}`).join(", ");
}

function baseName(row) {
  const variant = variantOf(row);
  if (state.x === "implementation") return "";
  return variant.without[state.x.slice(2)] || variant.name;
}

// Each line's name: that of its implementation, and behind it what tells it from others of that name.
function nameLines(lines) {
  const same = new Map();
  for (const line of lines) {
    const name = baseName(line.first);
    same.set(name, [...same.get(name) || [], line]);
  }
  for (const [name, group] of same) {
    const all = group.map((line) => new Map(facts(line)));
    const left = enough(all);
    group.forEach((line, place) => {
      const parts = [name, ...left.map((fact) => all[place].get(fact))].filter(Boolean);
      line.name = parts.join(", ") || hostName(hostOf(line.first));
    });
  }
}

// Of the facts that differ, from the front as many as tell all apart; the host is always said.
function enough(all) {
  const names = [...new Set(all.flatMap((one) => [...one.keys()]))], kept = [];
  const apart = () => new Set(all.map((one) => kept.map((name) => one.get(name)).join("|"))).size;
  for (const name of names.filter((one) => new Set(all.map((facts) => facts.get(one))).size > 1)) {
    const before = apart();
    kept.push(name);
    if (name !== "host" && apart() === before) kept.pop();
  }
  return kept;
}
