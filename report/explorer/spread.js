// The distribution of the samples of one point: a histogram above a strip of all that are kept.
const MOST_BINS = 30;

// Value at a part of ascending values, linear between two, as report/explorer/spread.py has it.
function quantile(values, share) {
  const place = share * (values.length - 1), low = Math.floor(place), high = Math.min(low + 1, values.length - 1);
  return values[low] + (values[high] - values[low]) * (place - low);
}

function spreadSpec(entry, values, width, unit) {
  const {row} = entry.point, base = baseOf(width), {labelColor: ink, domainColor: soft} = base.config.axis;
  const scaledBy = (value) => value / unit[0], colour = {value: colourOf(entry.line)}, x = (field, more) => ({x: numeric(field, more)});
  const layer = (numbers, mark, encoding) => ({data: {values: numbers}, mark, encoding});
  const interval = columns.low[row] > 0 ? [{low: scaledBy(columns.low[row]), high: scaledBy(columns.high[row])}] : [];
  const samples = values.map((value) => ({at: scaledBy(value)}));
  return {...base, height: 150, layer: [
    layer(interval, {type: "rect", opacity: 0.25}, {...x("low"), x2: {field: "high"}, color: {value: soft}}),
    layer(samples, {type: "bar", opacity: 0.8}, {color: colour, y: {aggregate: "count", title: text.count_axis},
      ...x("at", {bin: {maxbins: MOST_BINS}, scale: {zero: false}, title: `${text.time} (${unit[1]})`})}),
    layer(samples, {type: "tick", thickness: 1, size: 12, yOffset: -7, opacity: 0.6}, {...x("at"), y: {value: "height"}, color: {value: ink}}),
    layer([{at: scaledBy(columns.median[row])}], "rule", {...x("at"), color: {value: ink}})]};
}

const pointName = ({line, point}) => `${line.id}-${shortName(String(point.x))}`;

async function showSpread(entry) {
  const box = part(".x-spread"), [head, chart, note] = box.children, {row} = entry.point, values = samplesOf(row);
  if (!values.length) return;
  state.p = pointName(entry);
  keepState();
  box.hidden = false;
  const unit = UNITS.find(([size]) => columns.median[row] >= size * 0.9995) || UNITS[3];
  head.textContent = fill(text.spread, {line: entry.line.name, value: xText(entry.point)});
  const all = columns.count[row] <= values.length;
  const kept = fill(all ? text.kept_all : text.kept, {count: plain(columns.count[row], 0), shown: values.length});
  const said = [0, 0.05, 0.25, 0.5, 0.75, 0.95, 1].map((share) => {
    return `${share * 100} %: ${(quantile(values, share) / unit[0]).toPrecision(4)} ${unit[1]}`;
  });
  note.textContent = `${kept} ${text.median} ${yText("time", {row, ...Y.time.of(row)})}; ${said.join("; ")}`;
  chart.replaceChildren();
  await embed(chart, spreadSpec(entry, values, Math.max(240, chart.clientWidth), unit), "svg");
  box.dataset.point = state.p;
}

// After a new drawing: the point whose samples are shown, if it is still there.
function followSpread() {
  const entry = state.p && pixels.find((one) => pointName(one) === state.p);
  if (entry) return showSpread(entry);
  state.p = "";
  part(".x-spread").hidden = true;
  return null;
}
