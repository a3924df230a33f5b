// The distribution of the samples of one point: a histogram above a strip of all that are kept.
const MOST_BINS = 30;

// Value at a part of ascending values, linear between two, as report/explorer/spread.py has it.
function quantile(values, share) {
  const place = share * (values.length - 1), low = Math.floor(place), high = Math.min(low + 1, values.length - 1);
  return values[low] + (values[high] - values[low]) * (place - low);
}

function binsOf(values) {
  const [low, high] = [values[0], values[values.length - 1]];
  const count = low === high ? 1 : Math.min(MOST_BINS, Math.max(5, Math.ceil(2 * Math.sqrt(values.length))));
  const width = (high - low) / count || low * 0.01;
  const from = (place) => low + place * width;
  const bins = Array.from({length: count}, (_, place) => ({from: from(place), to: from(place + 1), count: 0}));
  for (const value of values) bins[Math.min(count - 1, Math.floor((value - low) / width))].count += 1;
  return bins;
}

function spreadSpec(entry, values, width, unit) {
  const {row} = entry.point, paint = paints(true), scaledBy = (value) => value / unit[0];
  const bins = binsOf(values.map(scaledBy)), colour = entry.line.colours[paint.night ? 1 : 0];
  const axis = axisPaint(paint), ends = [bins[0].from, bins[bins.length - 1].to];
  const interval = columns.low[row] > 0 ? [{low: scaledBy(columns.low[row]), high: scaledBy(columns.high[row])}] : [];
  const across = (field) => ({scale: "x", field}), high = {scale: "y", value: 0};
  return {width, height: 190, padding: 6, autosize: {type: "fit", contains: "padding"}, background: null,
    data: [{name: "bins", values: bins}, {name: "samples", values: values.map((value) => ({at: scaledBy(value)}))},
      {name: "interval", values: interval}, {name: "median", values: [{at: scaledBy(columns.median[row])}]}],
    scales: [{name: "x", type: "linear", domain: ends, range: "width", zero: false, nice: true},
      {name: "y", type: "linear", domain: {data: "bins", field: "count"}, range: [{signal: "height - 28"}, 0], nice: true,
        zero: true}],
    axes: [{scale: "x", orient: "bottom", title: `${text.time} (${unit[1]})`, format: ",~r", ...axis},
      {scale: "y", orient: "left", title: text.count_axis, grid: true, tickCount: 4, ...axis}],
    marks: [{type: "rect", from: {data: "interval"}, encode: {enter: {x: across("low"), x2: across("high"), y: {value: 0},
      y2: {signal: "height"}, fill: {value: paint.soft}, opacity: {value: 0.25}}}},
    {type: "rect", from: {data: "bins"}, encode: {enter: {x: {...across("from"), offset: 0.5},
      x2: {...across("to"), offset: -0.5}, y: {scale: "y", field: "count"}, y2: high,
      fill: {value: colour}, opacity: {value: 0.8}}}},
    {type: "rule", from: {data: "samples"}, encode: {enter: {x: across("at"), y: {signal: "height - 22"},
      y2: {signal: "height - 6"}, stroke: {value: colour}, opacity: {value: 0.7}}}},
    {type: "rule", from: {data: "median"}, encode: {enter: {x: across("at"), y: {value: 0}, y2: {signal: "height"},
      stroke: {value: paint.ink}, strokeWidth: {value: 1.5}}}}]};
}

const pointName = ({line, point}) => `${line.id}-${shortName(String(xName(point)))}`;

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
  note.textContent = `${kept} ${text.median} ${yText("time", Y.time.of(row))}; ${said.join("; ")}`;
  chart.replaceChildren();
  await window.vegaEmbed(chart, spreadSpec(entry, values, Math.max(240, chart.clientWidth), unit),
    {mode: "vega", renderer: "svg", actions: false, hover: false, tooltip: false});
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
