// Which points are chosen, and which of them make a line: the same but for x. Hosts are never mixed in one.

// What points have, for the lists to choose from: "s" -> scope -> how many points; "x" -> an x -> how many values it has.
function offers(rows) {
  const found = Object.fromEntries([..."dscqghvypnx"].map((name) => [name, new Map()]));
  const add = (name, key) => found[name].set(key, (found[name].get(key) || 0) + 1);
  for (const row of rows) {
    const {scope, cache, group = ""} = regimeOf(row), {text: shape, dims, less} = shapeOf(row);
    for (const [name, key] of [["d", variantOf(row).device], ["s", scope], ["c", cache], ["q", group], ["g", shape],
      ["h", columns.host[row]], ["v", `${columns.variant[row]}|${group}`]]) add(name, key);
    for (const name of Object.keys(variantOf(row).parameters)) add("p", name);
    for (const name of Object.keys(dims)) add("n", name);
    for (const name of ["rate", "time", "speedup"]) add("y", name);
    for (const name of ["share", "energy", "eta"]) if (columns[name][row] >= 0) add("y", name);
    if (columns.energy[row] > 0 && !less) add("y", "efficiency");
  }
  const kinds = (x) => new Set(rows.map((row) => xOf(row, x)).filter((value) => value !== null)).size;
  for (const x of ["size", "shape", ...[...found.n.keys()].map((name) => `d.${name}`), "implementation",
    ...[...found.p.keys()].sort().map((name) => `p.${name}`)]) found.x.set(x, kinds(x));
  return found;
}

// Does the host pass what is chosen: all, this page's own machine, the one that stands in, or a host by its name?
function hostFits(place, wanted) {
  const host = books.hosts[place];
  return wanted === "all" || (wanted === "own" ? !host.reference : wanted === "reference" ? host.reference : identity("hosts", host) === wanted);
}

// The rows of the experiment that pass what is chosen, with their x; of the chosen host and shape, or of those that are named.
function chosenRows(rows, host = state.h, shape = state.g) {
  const fits = (wanted, value) => wanted === "all" || wanted === value, byShape = !ofShape(state.x);
  const hosts = books.hosts.map((_, place) => hostFits(place, host)), found = [];
  for (const row of rows) {
    const x = xOf(row, state.x), {scope, cache, group = ""} = regimeOf(row);
    if (x !== null && hosts[columns.host[row]] && scope === state.s && fits(state.d, variantOf(row).device) &&
        fits(state.c, cache) && fits(state.q, group) && (!byShape || fits(shape, shapeOf(row).text))) found.push({row, x});
  }
  return found;
}

// The implementation with its parameters but that across; empty where implementations are across.
function variantPart({implementation, parameters}) {
  if (state.x === "implementation") return "";
  const others = {...parameters};
  if (state.x.startsWith("p.")) delete others[state.x.slice(2)];
  return JSON.stringify([implementation, others]);
}

// What of the shape is the same all along a line.
function restOf(row) {
  const {text: whole, dims, options} = shapeOf(row);
  if (state.x === "shape") return "";
  if (!ofShape(state.x)) return whole;
  const others = Object.keys(dims).filter((name) => state.x !== "size" && name !== state.x.slice(2));
  return [...others.map((name) => `${extentName(name)} ${dims[name]}`), options].filter(Boolean).join(", ");
}

// The lines of the chosen points: [{id, peer, variant, rest, rows: [{row, x}], first}], in the order of the records. `peer` is the same
// on all hosts and shapes. Where implementations are across, each stands there with its fastest parameters.
function linesOf(points) {
  const lines = new Map(), variants = books.variants.map(variantPart), across = state.x === "implementation";
  for (const point of points) {
    const {row} = point, variant = variants[columns.variant[row]], rest = restOf(row);
    const key = `${variant}|${columns.regime[row]}|${columns.host[row]}|${rest}`;
    if (!lines.has(key)) {
      const parts = [variant, JSON.stringify(regimeOf(row))];
      const id = shortName([...parts, rest, identity("hosts", hostOf(row))].join("|"));
      lines.set(key, {id, peer: shortName(parts.join("|")), variant, rest, rows: [], first: row});
    }
    const line = lines.get(key), known = across && line.rows.find(({x}) => x === point.x);
    if (!known) line.rows.push(point);
    else if (columns.median[row] < columns.median[known.row]) known.row = row;
  }
  return nameLines([...lines.values()]);
}

// What may tell two lines of one name apart, in the order in which it is said: [[what, words]].
function facts(line) {
  const {parameters, said, implementation} = variantOf(line.first), regime = regimeOf(line.first), found = [];
  const across = state.x === "implementation", label = ["cache", "distribution", "allocation", "module_loading", "replica", "handicap"];
  if (!across) for (const name of Object.keys(parameters)) if (`p.${name}` !== state.x) found.push([name, said[name] || name]);
  for (const name of REGIME) {
    const value = regime[name] ? word(regime[name]) : "";
    found.push([name, value && label.includes(name) ? `${text[name]} ${value}` : value]);
  }
  found.push(["rest", line.rest]);
  if (!across) found.push(["id", implementation]);
  found.push(["host", hostName(hostOf(line.first))]);
  return found;
}

const baseName = (row) => state.x === "implementation" ? "" : variantOf(row).without[state.x.slice(2)] || variantOf(row).name;

// Gives each line the name of its implementation, and behind it what tells it from others of that name.
function nameLines(lines) {
  for (const [base, group] of groupedBy(lines, (line) => baseName(line.first))) {
    for (const line of group) line.facts = new Map(facts(line));
    const apart = enough(group.map((line) => line.facts));
    for (const line of group) {
      Object.assign(line, {base, apart});
      line.name = nameOf(line, apart);
    }
  }
  return lines;
}

const nameOf = (line, apart) => [line.base, ...apart.map((name) => line.facts.get(name))].filter(Boolean).join(", ") || line.facts.get("rest") ||
  line.facts.get("host");

// Labels of the lines that are drawn. What these have in common is said once, and not at each: returns it, with host, scope and cache.
function labelled(drawn) {
  const values = (name) => [...new Set(drawn.map((line) => line.facts.get(name)).filter((value) => value !== undefined))];
  const apart = [...new Set(drawn.flatMap((line) => line.apart))], alike = drawn.length > 1 ? apart.filter((name) => values(name).length === 1) : [];
  for (const line of drawn) line.label = nameOf(line, line.apart.filter((name) => !alike.includes(name)));
  const told = [...new Set(["scope", "cache", "rest", ...alike, "host"])].filter((name) => name !== "id");
  return told.map((name) => values(name).filter(Boolean).map((value) => name === "scope" ? `${text.scope} ${value}` : value).join(", "))
    .filter(Boolean);
}

function groupedBy(all, keyOf) {
  const groups = new Map();
  for (const one of all) {
    const key = keyOf(one);
    if (!groups.has(key)) groups.set(key, []);
    groups.get(key).push(one);
  }
  return groups;
}

const differ = (all, name) => new Set(all.map((facts) => facts.get(name))).size > 1;

// Of the facts that differ, from the front as many as tell all apart; the host is always said.
function enough(all) {
  const names = [...new Set(all.flatMap((one) => [...one.keys()]))], kept = [];
  const apart = () => new Set(all.map((one) => kept.map((name) => one.get(name)).join("|"))).size;
  for (const name of names.filter((one) => differ(all, one))) {
    const before = apart();
    kept.push(name);
    if (name !== "host" && apart() === before) kept.pop();
  }
  return kept;
}
