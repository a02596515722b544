// The sections of a suite that combine rows of several probes; each is nothing without its data.

/// The lines of the table of tensor cores: `groups` are tensor_words() in C++, whose numbers name their case.
const tensorLines = (groups, rowOf, sms) => groups.flatMap((group) => group.lines.map((line) => {
  const number = (of, places) => (of ? { text: fixed(of.value, places), value: of.value, id: of.id } : undefined);
  const latencies = groupBy(line.latency, ({ value }) => fixed(value, Number.isInteger(value) ? 0 : 1));
  const operands = (own) => own.map(({ operand }) => operand).join(", ");
  // The rate of all SMs at the clock at which they ran: tensor cores lower it, which readings between launches do not show.
  const teraops = (all) => {
    const clock = all && rowOf(all.id)?.clock?.in_window ? clockOf(rowOf(all.id).clock) : undefined;
    if (!clock || !sms) return undefined;
    const { energy_j: joules, energy_s: seconds } = rowOf(all.id).clock, each = 2 * all.value * sms / 1e6;
    return { text: clockedText(each, clock, 0), value: each * clock.mhz, id: all.id, note: `${clockText(clock)} MHz${seconds ? `, ${fixed(joules / seconds, 0)} W` : ""}` };
  };
  const rates = [line.random, line.zeros, line.sustained, line.sustained_zeros].filter(Boolean).map(({ value }) => value);
  const reasons = [...groupBy(line.missing ?? [], (id) => `${rowOf(id)?.outcome}: ${rowOf(id)?.reason?.code}`)];
  const zeros = number(line.zeros, 0);
  if (zeros && line.random_of_zeros !== undefined) zeros.note = `random ${fixed(line.random_of_zeros, 0)}`;
  return { group: `${group.instruction} ${group.inputs} \u2192 ${group.accumulator}`, shape: line.shape, source: line.source, becomes: line.becomes,
    share: rates.length && group.peak > 0 ? `${fixed(100 * Math.max(...rates) / group.peak, 1)} %` : "",
    latency: line.latency.length ? { ...line.latency[0], text: [...latencies].map(([text, own]) => text + (operands(own) ? ` (${operands(own)})` : "")).join(", ") } : undefined,
    interval: number(line.interval, 1), random: number(line.random, 0), zeros, sustained: teraops(line.sustained), sustained_zeros: teraops(line.sustained_zeros),
    missing: reasons.length ? { id: line.missing[0], text: reasons.map(([text, ids]) => (ids.length > 1 ? `${ids.length} ${text}` : text)).join(", ") } : undefined };
}));
const peaksText = (groups) => {
  const sources = groupBy(groups.filter(({ peak_source }) => peak_source), ({ peak_source }) => peak_source);
  const rates = (own) => unique(own.map(({ inputs, peak }) => `${inputs} ${fixed(peak, 0)}`)).join(", ");
  return sources.size ? `Peaks in FMA/clk/SM: ${[...sources].map(([source, own]) => `${rates(own)} (${source})`).join("; ")}.` : "";
};
/// Every shape and type of wgmma and mma.sync.
const tensorTable = (groups, rowOf, sms) => {
  if (!groups) return null;
  const cell = (title, unit, key) => ({ title, unit, css: "n", text: (row) => row[key]?.text ?? dash, nodes: (row) => (row[key] ? [link(row[key].id, row[key].text), row[key].note ? el("i", "", row[key].note) : null] : dash), raw: (row) => row[key]?.value ?? row[key]?.text });
  const table = tableOf({ label: "tensor cores", rows: tensorLines(groups, rowOf, sms), id: (row) => `${row.group} ${row.shape} ${row.source}`.trim(), lead: 3,
    columns: [{ title: "instruction", css: "mono", text: (row) => row.group, choice: (row) => row.group, choices: "instructions" }, { title: "shape", css: "mono", text: (row) => row.shape }, { title: "operands", text: (row) => row.source },
      cell("latency", "cycles", "latency"), cell("interval", "cycles", "interval"), cell("random", "FMA/clk/SM", "random"), cell("zeros", "FMA/clk/SM", "zeros"), { title: "of peak", css: "n", text: (row) => row.share || dash, raw: (row) => parseFloat(row.share) },
      cell("random", "TFLOP/s", "sustained"), cell("zeros", "TFLOP/s", "sustained_zeros"), { title: "becomes", css: "mono", text: (row) => row.becomes }, { title: "not measured", text: (row) => row.missing?.text ?? "", nodes: (row) => (row.missing ? link(row.missing.id, row.missing.text) : "") }] });
  return partOf("tensor", "Tensor cores", "Every shape and type of wgmma and mma.sync; each number links to its case. Latency: the letters are the operands that the chain goes through; that of a wgmma includes its commit and wait. FMA/clk/SM: the best over warps and accumulators, with random data and with zeros. TFLOP/s (TOP/s of integers): two operations an FMA on all SMs, at the clock at which they ran.",
    table.node, el("p", "note", "A rate of a sparse product counts the multiplications that are left out. Grey \u201crandom\u201d next to zeros is the same case with random data, where that is not the best. Clock and power next to TFLOP/s are those of the same launches, on all SMs. ", peaksText(groups)));
};

/// "flag within a block: 100.0 cycles, 50.0 ns at 2000 MHz; the longest of 2 cases: 105.0"
const handoffText = ({ by, within, cycles, cases, longest }, clock) => `${by} within a ${within}: ${fixed(cycles, 1)} cycles` +
  (clock ? `, ${fixed(1e3 * cycles / clock.mhz, 1)}${clock.low === clock.high ? "" : ` (${fixed(1e3 * cycles / clock.high, 1)} to ${fixed(1e3 * cycles / clock.low, 1)})`} ns at ${clockText(clock)} MHz` : "") +
  (cases > 1 ? `; the longest of ${cases} cases: ${fixed(longest, 1)}` : "");
/// A bar for each mechanism, a colour for each scope.
const handoffChart = (handoffs, rowOf) => {
  if (!handoffs) return null;
  const title = "Hand-off latency by mechanism", words = handoffs.measured.map((each) => each.by), why = (id) => ` (${rowOf(id)?.outcome}: ${rowOf(id)?.reason?.code})`;
  const point = (each) => ({ x: each.at, y: each.cycles, low: each.cycles, high: each.longest, id: each.id, text: handoffText(each, clockOf(rowOf(each.id)?.clock)) });
  const lines = [...groupBy(handoffs.measured.map((each, at) => ({ ...each, at })), (each) => each.within)].map(([name, of]) => ({ name, points: of.map(point) }));
  return partOf("handoffs", title, "The cycles from one side's signal until the other side continues: between warps of a block, blocks of a cluster, and blocks of the grid.",
    el("div", "charts", chart({ title, bars: true, lines, x: { label: "", words }, y: { label: "cycles" } })),
    el("p", "note", "Half of a round trip. The bar is the fastest case of a mechanism and links to it; the whisker ends at its slowest case.", handoffs.missing?.length ? [" Not measured: ", handoffs.missing.flatMap((each, i) => [i ? "; " : "", link(each.id, each.name), why(each.id)]), "."] : ""));
};

/// What a table and a chart say of the lines of pipeline_words() in C++. The exposed time of a tile is what its computation
/// does not cover; negative noise is zero.
const pipelineLines = ({ lines, latency }, rowOf) => lines.map((line) => {
  const exposed = (tile) => Math.max(0, tile - line.alone), model = new Map(line.model);
  const points = line.points.map(({ stages, id, tile }) => {
    if (!tile) return { stages, id, text: `${rowOf(id)?.outcome}, ${rowOf(id)?.reason?.code}` };
    // A prediction without its error is not shown.
    const error = model.has(stages) && tile[0] > 0 ? model.get(stages) / tile[0] - 1 : undefined;
    return { stages, id, exposed: tile.map(exposed), error, text: `${fixed(tile[0], 1)} cycles a tile, of them ${fixed(exposed(tile[0]), 1)} exposed`,
      model: error === undefined ? undefined : `${fixed(exposed(model.get(stages)), 0)} (${signedPercent(error)})` };
  });
  const hides = line.points.find(({ tile }) => tile?.[0] <= 1.05 * line.alone)?.stages;
  return { work: line.work, alone: line.alone, alone_measured: line.alone_measured, points, predicted: line.model.map(([stages, tile]) => [stages, exposed(tile)]),
    hides: hides === undefined ? `more than ${line.points.at(-1).stages}` : String(hides), predicted_hides: line.model_hides === undefined ? (latency ? "none, for want of bandwidth" : dash) : String(line.model_hides) };
});
/// A sentence for each place that copies come from, with what the model computes with and its errors; and one of all.
const modelSentences = (sources) => {
  const errors = (points) => {
    const all = points.filter(({ error }) => error !== undefined), size = ({ error }) => Math.abs(error), worst = all.reduce((most, each) => (most && size(most) >= size(each) ? most : each), null);
    return all.length ? `mean absolute error ${fixed(100 * all.reduce((sum, each) => sum + size(each), 0) / all.length, 1)} % over ${all.length} prediction${all.length === 1 ? "" : "s"}, the furthest ${signedPercent(worst.error)} (${worst.id})` : "";
  };
  const cost = (of, text, unit) => (of ? `${text} ${fixed(of.value, 1)} ${unit} (${of.probe})` : ""), points = (source) => source.lines.flatMap((line) => line.points);
  const known = sources.filter(({ latency }) => latency), all = errors(sources.flatMap(points));
  const sentences = known.map((source) => `From ${source.source}, ${[cost(source.latency, "a copy takes", "cycles"), cost(source.issue, "its issue", "cycles"), cost(source.rate, "an SM among all gets", "B/clk")].filter(Boolean).join(", ")}${errors(points(source)) ? `; ${errors(points(source))}` : ""}.`);
  return sentences.length > 1 && all ? [...sentences, `In all, ${all}.`] : sentences;
};
/// How much of a copy's latency pipeline stages hide, measured and by a model.
const pipelineCharts = (pipelines, rowOf) => {
  if (!pipelines) return null;
  const sources = pipelines.sources.map((source) => ({ ...source, lines: pipelineLines(source, rowOf) }));
  const stages = unique(sources.flatMap((source) => source.lines.flatMap((line) => line.points.map((point) => point.stages)))).sort((a, b) => a - b);
  const figures = sources.map((source) => chart({ title: `Exposed latency of copies from ${source.source} over stages`, caption: `from ${source.source}`, x: { label: "stages" }, y: { label: "exposed, cycles a tile" },
    lines: source.lines.flatMap((line) => [
      { name: line.work, points: line.points.filter((point) => point.exposed).map((point) => ({ x: point.stages, y: point.exposed[0], low: point.exposed[1], high: point.exposed[2], id: point.id, text: `${line.work}, stages=${point.stages}: ${point.text}` })),
        missing: line.points.filter((point) => !point.exposed).map((point) => ({ x: point.stages, id: point.id, text: `${line.work}, stages=${point.stages}: ${point.text}` })) },
      { name: "", dashed: true, points: line.predicted.map(([x, y]) => ({ x, y, low: y, high: y, text: `model, ${line.work}, stages=${x}: ${digits(y, 4)} cycles exposed` })) }]) }));
  const rows = sources.flatMap((source) => source.lines.map((line) => ({ source: source.source, ...line })));
  const table = tableOf({ label: "exposed latency", rows, id: (row) => `${row.source}, ${row.work}`, columns: [
    { title: "from", text: (row) => row.source }, { title: "tile", css: "mono", text: (row) => row.work }, { title: "hidden from", unit: "stages", css: "n", text: (row) => row.hides }, { title: "by the model", unit: "stages", css: "n", text: (row) => row.predicted_hides },
    { title: "alone", unit: "cycles", css: "n", text: (row) => fixed(row.alone, 0), nodes: (row) => (row.alone_measured ? fixed(row.alone, 0) : el("i", "", fixed(row.alone, 0))), raw: (row) => row.alone },
    ...stages.map((stage) => { const of = (row) => row.points.find((point) => point.stages === stage); return { title: String(stage), unit: stage === 1 ? "stage" : "stages", css: "n", text: (row) => (of(row) ? `${of(row).exposed ? fixed(of(row).exposed[0], 0) : "\u2715"} ${of(row).model ?? ""}` : ""),
      nodes: (row) => (of(row) ? [link(of(row).id, of(row).exposed ? fixed(of(row).exposed[0], 0) : "\u2715"), of(row).model ? el("i", "", of(row).model) : null] : ""), raw: (row) => of(row)?.exposed?.[0] }; })] });
  return partOf("pipelines", "Pipeline stages that hide a copy", `A pipeline of n stages copies up to n \u2212 1 tiles ahead while it computes one. Exposed cycles are the part of a tile's time that is not its computation. Solid lines are measured, dashed lines are a model. ${pipelines.tile}`,
    el("div", "charts", figures), table.node, el("p", "note", "A cell has the exposed cycles, and in grey those of the model with its error of the whole tile. In the model a tile takes the longest of three times: its computation plus the issue of its copy; the latency of a copy divided by stages \u2212 1, the copies in flight; its bytes divided by the rate that an SM gets when all SMs copy. With one stage it takes the copy plus the computation. Latency is hidden where a tile takes at most 5 % longer than its computation alone. A grey computation was not measured without copies; it is the tile with the most stages. ", modelSentences(sources).join(" ")));
};
