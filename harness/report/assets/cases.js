// The page of kernels that were predicted and measured: cases.html. Rows are kernel_words() in C++.

const rangeText = ([low, high]) => { const [from, to] = [fixed(low, 0), fixed(high, 0)]; return from === to ? from : `${from} to ${to}`; };
const signed = (percent) => `${percent < 0 ? "-" : "+"}${Math.abs(percent).toFixed(1)}`;
const errorText = ([low, high]) => (signed(low) === signed(high) ? `${signed(low)} %` : `${signed(low)} to ${signed(high)} %`);
const sharesText = (shares) => shares.map(({ name, share }) => `${name} ${(100 * share).toFixed(0)} %`).join(", ");
const middleOf = ([low, high]) => (low + high) / 2;
const idOf = ({ study, point }) => (point ? `${study}[${point}]` : study);
const nameOfPoint = (row) => `${row.point || "-"}${row.held_out ? " (held out)" : ""}`;

/// The cells of a row: case, predicted, measured, error, limiter by both, whether they agree, library.
const kernelCells = (row) => {
  const { measured } = row, cells = [nameOfPoint(row), row.refused ? "refused" : rangeText(row.predicted)];
  if (!measured) return [...cells, `${row.reason.outcome}: ${row.reason.code}`, "", sharesText(row.bounds), "", "", ""];
  const [cycles, low, high] = measured.cycles.map((each) => fixed(each, 0));
  return [...cells, `${cycles} (${low} to ${high})${measured.by === "events" ? " by events" : ""}`, row.error ? { text: errorText(row.error), bar: middleOf(row.error) } : "",
    sharesText(row.bounds), measured.limiter ? sharesText(measured.shares) : "no counters", row.agrees === undefined ? "" : row.agrees ? "yes" : `no: ${measured.limiter}`, row.library ?? ""];
};
/// Its sheet: of all kernels, of each study, and what has no number.
const kernelSheet = ({ rows, errors }) => {
  const compared = rows.some((row) => row.library), count = (which) => rows.filter(which).length;
  const heads = ["case", "#predicted|cycles", "#measured|cycles", "#error", "limiter, predicted", "limiter, counted", "agrees"];
  const legend = "Predicted: cycles of the launch, by warpclock predict; a range if the GPU has no row for an instruction. Measured: sm__cycles_active.max, the cycles in which an SM had a warp, of the SM with the most of them; median and range of five launches. " +
    "By events: the time of 15 launches less that of an empty kernel, times the SM clock. Error: predicted less measured, in percent of measured. Limiter: the two resources that are used most. Counted: pipes and issue slots as a share of CUPTI's peak, " +
    "L2 and DRAM as a share of the rates that this GPU reaches; if all are below 60 %, the latencies of one warp limit the kernel." + (compared ? " Library: what a call of it takes that does the same work, by events, in percent of what the kernel takes." : "");
  const studies = [...groupBy(rows, (row) => row.study)].map(([study, own]) => {
    const others = own.some((row) => row.library);
    return { id: `study:${study}`, title: study, notes: own[0].says ? [own[0].says] : [],
      tables: [{ label: study, heads: others ? [...heads, "library"] : heads, rows: own.map((row) => kernelCells(row).slice(0, others ? 8 : 7)) }] };
  });
  const gaps = rows.flatMap((row) => [row.refused ? `${idOf(row)} is not predicted: ${row.refused}` : "", row.measured ? "" : `${idOf(row)} is ${row.reason.outcome}: ${row.reason.code}: ${row.reason.text}`]).filter(Boolean);
  return { sections: [{ id: "all", title: "Of all kernels", notes: [legend], list: [`${rows.length} kernel${rows.length === 1 ? "" : "s"}: ${count((row) => row.measured)} measured, ${count((row) => row.refused)} without a prediction`, ...errors] },
    ...studies, ...(gaps.length ? [{ id: "gaps", title: "Without a prediction or a measurement", list: gaps }] : [])] };
};
/// The error of each kernel over its length, with a colour for what limits it.
const errorChart = (rows) => {
  const of = (row) => { const limiter = row.measured.limiter; return ["L2", "DRAM"].includes(limiter) ? limiter : !limiter ? "not counted" : limiter.startsWith("one warp") ? "latency" : "SM"; };
  const point = (row) => ({ x: row.measured.cycles[0], y: middleOf(row.error), low: row.error[0], high: row.error[1], text: `${idOf(row)}: ${errorText(row.error)}`, id: `study:${row.study}` });
  const lines = [...groupBy(rows.filter((row) => row.error), of)].map(([name, own]) => ({ name, points: own.map(point) }));
  return chart({ title: "Error of each prediction over measured cycles", dots: true, lines, x: { label: "measured, cycles", log: true }, y: { label: "error, %" }, below: "A colour for what the counters say limits a kernel." });
};
pages.cases = (records, extra) => {
  const reveal = pages.sheet(records, kernelSheet(extra));
  if (extra.rows.some((row) => row.error)) byId("all").append(el("div", "charts", errorChart(extra.rows)));
  return reveal;
};
