// The sections of a suite that combine rows of several probes; each is nothing without its data.
const partOf = (id, title, asks, ...children) => el("section", { id }, el("h2", "", title), asks ? el("p", "asks", asks) : null, children);

/// The memory system from the SM outwards: a box for each level, what it holds, and the links between them.
const memoryPicture = (picture, has, below) => {
  if (!picture) return null;
  const line = (row) => el("div", { class: "num", title: row.tooltip }, el("dt", "", row.label), el("dd", row.stated ? "stated" : "", has(row.probe) ? el("a", { href: `#${encodeURIComponent(`probe:${row.probe}`)}` }, row.value) : row.value, row.more ? el("small", "", row.more) : null));
  const most = Math.max(1, ...picture.levels.flatMap((level) => level.link.map((row) => row.rate ?? 0)));
  const levels = picture.levels.flatMap((level) => {
    const box = el("div", "level", el("h3", "", level.name, level.count ? el("i", "", level.count) : null), el("div", "boxes", level.boxes.map((each) => el("div", each.name ? "box" : "own", each.name ? el("h4", "", each.name) : null, el("dl", "", each.rows.map(line))))));
    if (!level.link.length) return [box];
    const band = el("span", { class: "band", "aria-hidden": "true" }), rate = Math.max(0, ...level.link.map((row) => row.rate ?? 0));
    band.style.setProperty("--wide", `${Math.max(3, 34 * rate / most).toFixed(1)}px`);
    return [box, el("div", "link", band, el("dl", "", level.link.map(line)))];
  });
  return partOf("memory", "The memory system", "", el("figure", { class: "picture", "aria-label": "the memory system" }, levels),
    el("p", "note", "Each number leads to the probe that found it. Numbers in thin type are stated by the driver; \u201cnot found\u201d means that the curve does not show it. A band is as wide as the rate of its reads. GB/s are of all SMs, at the clock that was measured around the number.", picture.preferred), below);
};

/// Every shape and type of wgmma and mma.sync.
const tensorTable = (tensor) => {
  if (!tensor) return null;
  const cell = (title, unit, key) => ({ title, unit, css: "n", text: (row) => row[key]?.text ?? dash, nodes: (row) => (row[key] ? [link(row[key].id, row[key].text), row[key].note ? el("i", "", row[key].note) : null] : dash), raw: (row) => row[key]?.value ?? row[key]?.text });
  const table = tableOf({ label: "tensor cores", rows: tensor.lines, id: (row) => `${row.group} ${row.shape} ${row.source}`.trim(), lead: 3,
    columns: [{ title: "instruction", css: "mono", text: (row) => row.group, choice: (row) => row.group, choices: "instructions" }, { title: "shape", css: "mono", text: (row) => row.shape }, { title: "operands", text: (row) => row.source },
      cell("latency", "cycles", "latency"), cell("interval", "cycles", "interval"), cell("random", "FMA/clk/SM", "random"), cell("zeros", "FMA/clk/SM", "zeros"), { title: "of peak", css: "n", text: (row) => row.share || dash, raw: (row) => parseFloat(row.share) },
      cell("random", "TFLOP/s", "sustained"), cell("zeros", "TFLOP/s", "sustained_zeros"), { title: "becomes", css: "mono", text: (row) => row.becomes }, { title: "not measured", text: (row) => row.missing?.text ?? "", nodes: (row) => (row.missing ? link(row.missing.id, row.missing.text) : "") }] });
  return partOf("tensor", "Tensor cores", "Every shape and type of wgmma and mma.sync; each number links to its case. Latency: the letters are the operands that the chain goes through; that of a wgmma includes its commit and wait. FMA/clk/SM: the best over warps and accumulators, with random data and with zeros. TFLOP/s (TOP/s of integers): two operations an FMA on all SMs; in grey, computed from one SM.",
    table.node, el("p", "note", "A rate of a sparse product counts the multiplications that are left out. Grey \u201crandom\u201d next to zeros is the same case with random data, where that is not the best. Clock and power next to TFLOP/s are those of the same launches, on all SMs. ", tensor.peaks));
};

/// A bar for each mechanism, a colour for each scope.
const handoffChart = (handoffs) => {
  if (!handoffs) return null;
  const title = "Hand-off latency by mechanism", words = handoffs.measured.map((each) => each.by);
  const lines = [...groupBy(handoffs.measured.map((each, at) => ({ ...each, at })), (each) => each.within)].map(([name, of]) => ({ name, points: of.map((each) => ({ x: each.at, y: each.cycles, low: each.cycles, high: each.longest, id: each.id, text: each.text })) }));
  return partOf("handoffs", title, "The cycles from one side's signal until the other side continues: between warps of a block, blocks of a cluster, and blocks of the grid.",
    el("div", "charts", chart({ title, bars: true, lines, x: { label: "", words }, y: { label: "cycles" } })),
    el("p", "note", "Half of a round trip. The bar is the fastest case of a mechanism and links to it; the whisker ends at its slowest case.", handoffs.missing?.length ? [" Not measured: ", handoffs.missing.flatMap((each, i) => [i ? "; " : "", link(each.id, each.name), ` (${each.why})`]), "."] : ""));
};

/// How much of a copy's latency pipeline stages hide, measured and by a model.
const pipelineCharts = (pipelines) => {
  if (!pipelines) return null;
  const stages = unique(pipelines.sources.flatMap((source) => source.lines.flatMap((line) => line.points.map((point) => point.stages)))).sort((a, b) => a - b);
  const figures = pipelines.sources.map((source) => chart({ title: `Exposed latency of copies from ${source.source} over stages`, caption: `from ${source.source}`, x: { label: "stages" }, y: { label: "exposed, cycles a tile" },
    lines: source.lines.flatMap((line) => [
      { name: line.work, points: line.points.filter((point) => point.exposed).map((point) => ({ x: point.stages, y: point.exposed[0], low: point.exposed[1], high: point.exposed[2], id: point.id, text: `${line.work}, stages=${point.stages}: ${point.text}` })),
        missing: line.points.filter((point) => !point.exposed).map((point) => ({ x: point.stages, id: point.id, text: `${line.work}, stages=${point.stages}: ${point.text}` })) },
      { name: "", dashed: true, points: line.predicted.map(([x, y]) => ({ x, y, low: y, high: y, text: `model, ${line.work}, stages=${x}: ${digits(y, 4)} cycles exposed` })) }]) }));
  const rows = pipelines.sources.flatMap((source) => source.lines.map((line) => ({ source: source.source, ...line })));
  const table = tableOf({ label: "exposed latency", rows, id: (row) => `${row.source}, ${row.work}`, columns: [
    { title: "from", text: (row) => row.source }, { title: "tile", css: "mono", text: (row) => row.work }, { title: "hidden from", unit: "stages", css: "n", text: (row) => row.hides }, { title: "by the model", unit: "stages", css: "n", text: (row) => row.predicted_hides },
    { title: "alone", unit: "cycles", css: "n", text: (row) => fixed(row.alone, 0), raw: (row) => row.alone },
    ...stages.map((stage) => { const of = (row) => row.points.find((point) => point.stages === stage); return { title: String(stage), unit: stage === 1 ? "stage" : "stages", css: "n", text: (row) => (of(row) ? `${of(row).exposed ? fixed(of(row).exposed[0], 0) : "\u2715"} ${of(row).model ?? ""}` : ""),
      nodes: (row) => (of(row) ? [link(of(row).id, of(row).exposed ? fixed(of(row).exposed[0], 0) : "\u2715"), of(row).model ? el("i", "", of(row).model) : null] : ""), raw: (row) => of(row)?.exposed?.[0] }; })] });
  return partOf("pipelines", "Pipeline stages that hide a copy", `A pipeline of n stages copies up to n \u2212 1 tiles ahead while it computes one. Exposed cycles are the part of a tile's time that is not its computation. Solid lines are measured, dashed lines are a model. ${pipelines.tile}`,
    el("div", "charts", figures), table.node, el("p", "note", "A cell has the exposed cycles, and in grey those of the model with its error of the whole tile. In the model a tile takes the longest of three times: its computation plus the issue of its copy; the latency of a copy divided by stages \u2212 1, the copies in flight; its bytes divided by the rate that an SM gets when all SMs copy. With one stage it takes the copy plus the computation. Latency is hidden where a tile takes at most 5 % longer than its computation alone. A grey computation was not measured without copies; it is the tile with the most stages. ", pipelines.sentences.join(" ")));
};
