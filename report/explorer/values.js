// What the axes can show: x of a point, y with its interval.

// x of a point; null where it has none. "d.m" is an extent, "p.block" a parameter.
function xOf(row, x) {
  if (x === "size") return shapeOf(row).size;
  if (x === "shape") return shapeOf(row).text;
  if (x === "implementation") return variantOf(row).implementation;
  const [kind, name] = [x[0], x.slice(2)], value = kind === "d" ? shapeOf(row).dims[name] : variantOf(row).parameters[name];
  return value === undefined || value === "" ? null : value;
}

const ofShape = (x) => x === "size" || x === "shape" || x.startsWith("d.");
const extentName = (name) => name.length === 1 ? name.toUpperCase() : name;

// "size (M = N = K)", as the point's operation has it.
function xTitle(x, row) {
  if (x === "size") return fill(text.size_of, {name: Object.keys(shapeOf(row).dims).map(extentName).join(" = ")});
  return x.startsWith("d.") ? extentName(x.slice(2)) : x.startsWith("p.") ? x.slice(2) : text[x];
}

const Y = {
  rate: {title: ({unit}) => unit, of: (row) => scaled(row, columns.rate[row], !shapeOf(row).less)},
  time: {title: () => text.time, less: true, of: (row) => scaled(row, columns.median[row], false)},
  speedup: {title: ({peer}) => fill(text.times, {name: peer}), of: (row, peer) => ratio(peer, row)},
  share: {title: () => text.percent, of: (row) => scaled(row, columns.share[row] * 100, true)},
  energy: {title: () => text.joules, less: true, of: (row) => ({value: columns.energy[row]})},
  efficiency: {title: ({unit}) => `${unit}/W`, of: (row) => ({value: columns.rate[row] * columns.median[row] / columns.energy[row]})},
  eta: {title: () => text.eta, less: true, of: (row) => ({value: columns.eta[row]})}};
const isRatio = () => state.y === "speedup";

// A value with the interval that belongs to the median's: as it lies, or turned round for what falls as time grows.
function scaled(row, value, falls) {
  const [low, high, median] = [columns.low[row], columns.high[row], columns.median[row]];
  if (!(low > 0)) return {value};
  return falls ? {value, low: value * median / high, high: value * median / low}
    : {value, low: value * low / median, high: value * high / median};
}

// How many times as fast as `peer` a point is: the ratio of the medians, its ends by MOVER on the log scale, as unpaired()
// of records/cases/ratios.py has it.
function ratio(peer, row) {
  if (peer === undefined) return {value: NaN};
  const value = columns.median[peer] / columns.median[row];
  if (peer === row) return {value: 1, low: 1, high: 1};
  if (!(columns.low[peer] > 0 && columns.low[row] > 0)) return {value};
  const away = (high, low) => Math.max(Math.log(high / low), 0);
  const down = Math.hypot(away(columns.median[peer], columns.low[peer]), away(columns.high[row], columns.median[row]));
  const up = Math.hypot(away(columns.high[peer], columns.median[peer]), away(columns.median[row], columns.low[row]));
  return {value, low: value * Math.exp(-down), high: value * Math.exp(up)};
}

// "{count} points" with its braces filled in.
const fill = (pattern, values) => pattern.replace(/\{(\w+)\}/g, (hole, name) => name in values ? values[name] : hole);

// Three digits, none after the point from 100 on, as the report's tables have them.
function plain(value, digits) {
  const size = Math.abs(value);
  if (size && (size < 1e-3 || size >= 1e7)) return value.toExponential(2).replace("e+", "e");
  const after = digits !== undefined ? digits : decimals(size);
  return value.toLocaleString("en-US", {minimumFractionDigits: after, maximumFractionDigits: after});
}

function decimals(size) {
  if (size >= 99.95) return 0;
  if (size >= 9.995) return 1;
  if (size >= 0.9995 || size === 0) return 2;
  return size >= 0.1 ? 3 : 4;
}

const UNITS = [[1, "s"], [1e-3, "ms"], [1e-6, "µs"], [1e-9, "ns"]];

// "12.3 ms [12.1, 12.6]".
function duration(seconds, low, high) {
  const [scale, unit] = UNITS.find(([size]) => seconds >= size * 0.9995) || UNITS[3];
  return `${withEnds(seconds / scale, low / scale, high / scale)} ${unit}`;
}

// "12.3 [12.1, 12.6]"; without an interval "12.3".
function withEnds(value, low, high) {
  const close = value >= 0.9995 && value < 1.0995 ? 3 : decimals(Math.abs(value));
  const tiny = value && Math.abs(value) < 1e-3 || Math.abs(value) >= 1e7;
  const number = (one) => tiny ? plain(one) : plain(one, close);
  return low > 0 ? `${number(value)} [${number(low)}, ${number(high)}]` : number(value);
}

// The value of a point as it is read.
function yText(y, point) {
  if (y === "time") return duration(point.value, point.low, point.high);
  const {unit} = shapeOf(point.row);
  const units = {rate: ` ${unit}`, share: " %", energy: " J", efficiency: ` ${unit}/W`, speedup: "×"};
  return withEnds(point.value, point.low, point.high) + (units[y] || "");
}
