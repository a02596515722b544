// Rows of machine.json (machine_json.hpp says how they are written).
// No window of a machine instruction has other instructions in it.
const mixed = () => false;
const letter = (source) => (source >= 0 && source < 26 ? String.fromCharCode(65 + source) : String(source));
const tenth = (value) => digits(Math.floor(value * 10 + 0.5) / 10, 6);
const isLine = (cell) => isNumber(cell.cycles) && cell.cycles > 0;
const opcode = (row) => (/^(?:@\S+ )?\s*(\S*)/.exec(row.text) || ["", ""])[1];
const latencyText = (row) => row.latencies.filter((each) => each.cycles && isNumber(each.cycles.value)).map((each) => `${letter(each.from)} ${tenth(each.cycles.value)}`).join(" \u00b7 ");
// "4", "A 4 \u00b7 B 5", "by scoreboard"; least_stalls() in C++.
const stallText = (row) => {
  if (row.scoreboard) return "by scoreboard";
  const known = row.latencies.filter((each) => each.least !== undefined);
  return new Set(known.map((each) => each.least)).size === 1 ? String(known[0].least) : known.map((each) => `${letter(each.from)} ${each.least}`).join(" \u00b7 ");
};
const oneWarp = (row) => Math.min(...row.cells.filter((cell) => cell.warps === 1 && isLine(cell)).map((cell) => cell.cycles));
const hasSurface = (row) => row.cells.some((cell) => cell.stall !== row.cells[0].stall || cell.yield !== row.cells[0].yield);
const disagrees = (each) => each.cycles && isNumber(each.cycles.value) && each.least !== undefined && Math.abs(each.cycles.value - each.least) > 0.5;
// machine_findings() in C++.
const findings = (row) => {
  const out = (row.scoreboard ? [] : row.latencies.filter(disagrees)).map((each) => `${letter(each.from)}: ${digits(each.cycles.value, 4)} cycles by timing, least right stall count ${each.least}`);
  const known = row.scoreboard ? [] : row.latencies.filter((each) => each.least !== undefined), most = Math.max(0, ...known.map((each) => each.least));
  for (const each of known) if (each.busy > each.least) out.push(`${letter(each.from)}: among other warps of its sub-partition the least right stall count is ${each.busy}`);
  if (most > 0 && row.encoded !== undefined && row.encoded !== most) out.push(`ptxas leaves at least ${row.encoded} cycles; the largest least right stall count is ${most}`);
  return out;
};
// Shade of a cell of a heat map; heat_shade() in C++.
const shade = (cycles, least) => Math.max(0, Math.min(5, Math.floor(5 * Math.log2(Math.min(cycles / least, 2)) + 0.5)));
// What a row leaves out is put back, and indexes become what they mean.
const decode = (row, table) => {
  const text = (index) => (index === undefined ? "" : table.texts[index]);
  const estimate = (array) => {
    if (!array) return undefined;
    const [kind, value, low = value, high = value, note] = array, [, unit, method, n] = table.kinds[kind];
    return { value, low, high, unit, method, n, note: text(note) };
  };
  row.id = row.key;
  row.text = row.text || "";
  row.latencies = (row.latencies || []).map((each) => ({ operand: "", through: "", wrong: [], ...each, cycles: estimate(each.cycles), note: text(each.note) }));
  row.cells = (row.cells || []).map(([place, curve, cycles = 0, low = cycles, high = cycles, note]) => {
    const [warps, stall, hint, ...ns] = table.machine[place];
    return { warps, stall, yield: hint !== 0, curve: curve.map((each, i) => [ns[i], each]), cycles, low, high, note: text(note) };
  });
  row.interval = estimate(row.interval);
  row.outcome = row.interval || row.latencies.some((each) => each.cycles || each.least !== undefined) ? "measured" : "unmeasured";
  const [code, why, place] = row.reason === undefined ? ["no-number", [...new Set([...row.latencies, ...row.cells].map((each) => each.note).filter(Boolean))].join("; "), ""] : table.reasons[row.reason];
  row.findings = findings(row);
  row.failed = row.reason !== undefined;
  row.reason = ["", code, place ? `${place}: ${why}` : why];
};
