// Rows of machine.json (table_fields.hpp has their keys).
// No window of a machine instruction has other instructions in it.
const letter = (source) => (source >= 0 && source < 26 ? String.fromCharCode(65 + source) : String(source));
const tenth = (value) => digits(Math.floor(value * 10 + 0.5) / 10, 6);
const isLine = (cell) => isNumber(cell.cycles) && cell.cycles > 0;
const opcode = (row) => (/^(?:@\S+ )?\s*(\S*)/.exec(row.text) || ["", ""])[1];
const latencyText = (row) => row.latencies.filter((each) => each.cycles && isNumber(each.cycles.value)).map((each) => `${letter(each.source)} ${tenth(each.cycles.value)}`).join(" \u00b7 ");
// "4", "A 4 \u00b7 B 5", "by scoreboard"; least_stalls() in C++.
const stallText = (row) => {
  if (row.scoreboard) return "by scoreboard";
  const known = row.latencies.filter((each) => each.minimum_stall !== undefined);
  return new Set(known.map((each) => each.minimum_stall)).size === 1 ? String(known[0].minimum_stall) : known.map((each) => `${letter(each.source)} ${each.minimum_stall}`).join(" \u00b7 ");
};
const oneWarp = (row) => Math.min(...row.cells.filter((cell) => cell.warps === 1 && isLine(cell)).map((cell) => cell.cycles));
const hasSurface = (row) => row.cells.some((cell) => cell.stall !== row.cells[0].stall || cell.yield !== row.cells[0].yield);
const disagrees = (each) => each.cycles && isNumber(each.cycles.value) && each.minimum_stall !== undefined && Math.abs(each.cycles.value - each.minimum_stall) > 0.5;
// machine_findings() in C++.
const findings = (row) => {
  const out = (row.scoreboard ? [] : row.latencies.filter(disagrees)).map((each) => `${letter(each.source)}: ${digits(each.cycles.value, 4)} cycles by timing, minimum stall count ${each.minimum_stall}`);
  const known = row.scoreboard ? [] : row.latencies.filter((each) => each.minimum_stall !== undefined), most = Math.max(0, ...known.map((each) => each.minimum_stall));
  for (const each of known) if (each.minimum_stall_among_warps > each.minimum_stall) out.push(`${letter(each.source)}: among other warps of its sub-partition the minimum stall count is ${each.minimum_stall_among_warps}`);
  if (most > 0 && row.encoded_cycles !== undefined && row.encoded_cycles !== most) out.push(`ptxas encodes at least ${row.encoded_cycles} cycles; the largest minimum stall count is ${most}`);
  return out;
};
// Shade of a cell of a heat map; heat_shade() in C++.
const shade = (cycles, least) => Math.max(0, Math.min(5, Math.floor(5 * Math.log2(Math.min(cycles / least, 2)) + 0.5)));
// What a row leaves out is put back.
const decode = (row) => {
  const estimate = (each) => each && { note: "", ...each };
  row.latencies = (row.latencies ?? []).map((each) => ({ operand: "", return_path: "", wrong_stalls: [], note: "", ...each, cycles: estimate(each.cycles) }));
  row.cells = (row.cells ?? []).map((each) => ({ cycles: 0, low: 0, high: 0, note: "", ...each, curve: (each.curve ?? []).map(({ n, cycles }) => [n, cycles]) }));
  row.issue_interval = estimate(row.issue_interval);
  row.outcome = row.issue_interval || row.latencies.some((each) => each.cycles || each.minimum_stall !== undefined) ? "measured" : "unmeasured";
  row.disagreements = findings(row);
  row.failed = row.reason !== undefined;
  const { code, text, place } = row.reason ?? { code: "no-number", text: [...new Set([...row.latencies, ...row.cells].map((each) => each.note).filter(Boolean))].join("; ") };
  row.reason = ["", code, place ? `${place}: ${text}` : text];
};
