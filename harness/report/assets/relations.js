// What machine.json says of pairs of machine instructions, as tables: [{title, says, corner, columns, rows: [{name,
// cells}]}], of which a cell is {text, title, shade}.
const relationShade = (cycles, least) => (least > 0 ? Math.max(0, Math.min(5, Math.floor(5 * Math.log2(Math.min(cycles / least, 2)) + 0.5))) : 0);
/// The source operands of a machine instruction, each with its numbers.
const asked = (row) => (row.machine.operands ?? []).map((each) => ({ ...each, cycles: estimate(row, `latency.${each.source}`), least: numberOf(row, `minimum_stall.${each.source}`), among: numberOf(row, `minimum_stall_among_warps.${each.source}`) }));
const operandLetter = (source) => (source >= 0 && source < 26 ? String.fromCharCode(65 + source) : String(source));
/// Where a curve over the number of instructions leaves the line through its beginning, with the cycles of an
/// instruction and sub-partition before and after. Nothing if there are fewer than four points.
const fetchBend = ({ warps, curve = [] }) => {
  const points = 4, within = 0.05, schedulers = 4, share = Math.max(1, warps / schedulers);
  if (curve.length < points) return null;
  const slope = (from, to) => (curve[to].cycles - curve[from].cycles) / (curve[to].n - curve[from].n), before = slope(0, points - 1);
  const far = curve.findIndex(({ n, cycles }, i) => i > 0 && cycles > (curve[0].cycles + before * (n - curve[0].n)) * (1 + within));
  return { last: curve[far < 0 ? curve.length - 1 : far - 1].n, slow: far < 0 ? 0 : curve[far].n, before: before / share, after: slope(curve.length - 2, curve.length - 1) / share };
};
const relationGrids = (all) => {
  const name = (form) => form.replace(/^@\S+ /, "").split(" ")[0], withZero = (form) => name(form) + (/,.* RZ/.test(form) ? " with RZ" : "");
  // Of a multiply of a warp group its operands too, which say where A comes from.
  const multiply = (form) => (form.includes("GMMA") ? form.slice(form.indexOf(" ") + 1) : name(form));
  const short = (cycles) => digits(cycles, cycles < 10 ? 3 : 4), percent = (share) => (100 * share).toFixed(0), none = (study) => study.reason?.text ?? "no interval";
  const byKey = new Map(all.map((row) => [row.id, row])), value = (study) => numberOf(study, "interval"), of = (kind) => all.filter((row) => row.kind === kind && row.forms?.length), hiddenShade = (share) => relationShade(1 + Math.max(0, Math.min(1, share)), 1);
  const alone = (form) => { const twice = value(of("pair").find(({ forms }) => forms.length === 2 && forms.every((each) => each === form)) ?? {}); return twice === undefined ? undefined : twice / 2; };
  const hidden = (a, b, both) => (a + b - both) / Math.min(a, b);
  const overlap = (study) => {
    const [a, b] = study.forms.map((form, i) => (study.machine.of_each?.length === 2 ? numberOf(byKey.get(form) ?? {}, "interval") * study.machine.of_each[i] : alone(form)));
    return isNumber(a) && isNumber(b) && isNumber(value(study)) ? { a, b, hidden: hidden(a, b, value(study)) } : null;
  };
  const counters = (study) => {
    const list = (prefix, suffix) => Object.entries(study.counters ?? {}).filter(([metric, cycles]) => cycles >= 0.5 && metric.startsWith(prefix) && metric.endsWith(suffix)).map(([metric, cycles]) => `${metric.slice(prefix.length, -suffix.length)} ${cycles.toFixed(1)}`).join(", ");
    const waiting = list("smsp__warps_issue_stalled_", ".sum"), pipes = list("smsp__pipe_", "_cycles_active.sum");
    return (waiting ? `; a warp waits a turn for ${waiting}` : "") + (pipes ? `; busy cycles of pipes a turn and warp: ${pipes}` : "");
  };
  const grid = (title, corner, says, fill) => {
    const columns = [], rows = [];
    fill((row, column, cell) => {
      if (!columns.includes(column)) columns.push(column);
      let at = rows.find((each) => each.name === row);
      if (!at) rows.push(at = { name: row, cells: [] });
      at.cells[columns.indexOf(column)] = cell.text ? cell : { ...cell, shade: -1 };
    });
    return { title, says, corner, columns, rows: rows.map((row) => ({ ...row, cells: columns.map((_, i) => row.cells[i] ?? { text: "", title: "", shade: -1 }) })) };
  };
  const waited = (row) => {
    const [producer, consumer] = row.forms, [{ source, cycles, least, among, note }] = asked(row);
    const way = `${name(producer)} to ${name(consumer)}, operand ${operandLetter(source)}: `, timed = cycles?.value;
    if (least === undefined) return timed === undefined ? { text: "", title: way + (note ?? "") } : { text: short(timed), title: `${way}${short(timed)} cycles by scoreboard`, shade: relationShade(1 + timed / 32, 1) };
    const busy = among ?? least, at = timed ?? least;
    return { text: (busy > least ? `${least} (${busy})` : String(least)) + (Math.abs(at - least) > 0.5 ? ` = ${short(at)}` : ""), title: `${way}minimum stall count ${least}; among other warps ${busy}; timed ${timed === undefined ? "nothing" : short(timed)} cycles`, shade: relationShade(1 + at / 32, 1) };
  };
  const alternating = (study) => {
    const both = overlap(study), [a, b] = study.forms;
    if (!both) return { text: "", title: none(study) };
    const cell = { text: percent(both.hidden), title: `${withZero(a)} and ${withZero(b)}: ${short(value(study))} cycles for one of each, alternating; alone ${short(both.a)} and ${short(both.b)}${counters(study)}`, shade: hiddenShade(both.hidden) };
    for (const other of of("pair").filter((each) => each.machine.run !== 1 && estimate(each, "interval") && each.forms.join("|") === study.forms.join("|"))) {
      const share = overlap(other)?.hidden ?? 0;
      cell.title += `; ${short(value(other))} in runs of ${other.machine.run}${counters(other)}`;
      if (Math.abs(share - both.hidden) > 0.1) cell.text += ` (${percent(share)})`;
    }
    return cell;
  };
  const together = (study) => {
    const both = overlap(study), [a, b] = study.machine.of_each;
    return both ? { text: percent(both.hidden), title: `${short(value(study))} cycles for ${a} ${name(study.forms[0])} and ${b} ${name(study.forms[1])}; alone ${short(both.a)} and ${short(both.b)}${counters(study)}`, shade: hiddenShade(both.hidden) } : { text: "", title: none(study) };
  };
  const plain = (study, cell) => {
    const both = overlap(study), cycles = Math.min(...(study.machine.cells ?? []).filter((each) => !each.yield && each.cycles > 0).map((each) => each.cycles));
    if (!both || !isNumber(cycles)) return cell;
    const share = hidden(both.a, both.b, cycles);
    return { ...cell, title: `${cell.title}; ${short(cycles)} cycles without the yield hint`, text: cell.text + (Math.abs(share - both.hidden) > 0.1 ? ` (${percent(share)})` : "") };
  };
  const groups = (kind) => of(kind).filter(({ forms, machine }) => forms.length === 2 && machine.of_each?.length === 2);
  return [
    grid("Producer to consumer", "producer", "Cycles from an instruction (row) to another one that reads its result (column; A is its first source operand). Fixed latencies: the least stall count with which the consumer still computes the right result, in brackets among other warps if that is more, and after = the cycles that the chain takes at it, if the stall count is not all that delays. Scoreboards: the time until the waiting consumer issues. Empty: a stale read would not show, or the two cannot be chained.",
      (put) => { for (const row of of("dependence")) {
        const [producer, consumer] = row.forms.map(name), [{ source }] = row.machine.operands;
        put(producer, consumer + (source > 0 ? ` ${operandLetter(source)}` : ""), waited(row));
      } }),
    grid("Two instructions together", "together with", "The share of the shorter instruction's time that is hidden behind the longer one, in percent: 100 if both together take as long as the longer one, 0 if they take as long as one after the other. Diagonal: cycles of one instruction on a sub-partition. Independent instructions that alternate, several warps; in brackets with runs of four, if that differs by more than 10.",
      (put) => {
        for (const study of of("pair").filter(({ forms, machine }) => forms.length === 2 && machine.run === 1)) {
          const [a, b] = study.forms.map(withZero), own = alone(study.forms[0]);
          if (a !== b) { const cell = alternating(study); put(a, b, cell); put(b, a, cell); } else if (own !== undefined) put(a, a, { text: short(own), title: `${a}: ${short(own)} cycles`, shade: -1 });
        }
      }),
    grid("Register banks and reuse", "instruction, reuse", "Cycles an instruction and sub-partition, over the bank (register number modulo 2) of its source registers A, B, C, and over which of them have the reuse flag. Each source of a multiply is in both banks.",
      (put) => {
        const least = new Map([...groupBy(of("bank").filter((study) => estimate(study, "interval")), (study) => study.forms[0])].map(([form, all]) => [form, Math.min(...all.map(value))]));
        for (const study of of("bank")) {
          const banks = study.machine.banks?.length ? study.machine.banks.join(" ") : "both", reuse = (study.machine.reuse ?? []).map((flag, i) => (flag ? operandLetter(i) : "")).join(""), row = name(study.forms[0]) + (reuse ? `, reuse ${reuse}` : "");
          put(row, banks, estimate(study, "interval") ? { text: short(value(study)), title: `${row}, banks ${banks}: ${short(value(study))} cycles`, shade: relationShade(value(study), least.get(study.forms[0])) } : { text: "", title: `${row}: ${none(study)}` });
        }
      }),
    grid("Instructions together with wgmma", "together with", "Each warp-group multiply (column) is followed by as many independent copies of the instruction (row) as take equally long alone. The number is the share of that time that is hidden, in percent: 100 if both together take as long as one of them, 0 if they take as long as one after the other. A multiply whose text has R before gdesc reads A from registers. One or two warp groups.",
      (put) => { for (const study of groups("with_wgmma")) put(name(study.forms[1]), multiply(study.forms[0]), together(study)); }),
    grid("Two instructions in different warps", "together with", "Half of the warps of a sub-partition execute independent copies of one instruction, the other half those of the other, as many of each as take equally long alone. The number is the share of the shorter time that is hidden, in percent: 100 if both together take as long as one of them, 0 if they take as long as one after the other. One or two warps of each kind on a sub-partition, with and without the yield hint, whichever is faster; in brackets without the hint, if that differs by more than 10: a warp that never waits then keeps the scheduler.",
      (put) => {
        for (const study of groups("between_warps")) {
          const a = multiply(study.forms[0]), b = name(study.forms[1]), cell = plain(study, together(study));
          put(b, a, cell);
          if (!a.includes("GMMA")) put(a, b, cell);
        }
      }),
    grid("Instruction fetch", "instruction", "The number of independent instructions in straight-line code up to which each takes the same time, and the cycles of an instruction and sub-partition before and after. Warps of a sub-partition drift apart, so that they no longer share what they fetch. First pass: no cache of the SM has the code yet.",
      (put) => {
        for (const study of of("fetch")) for (const cell of study.machine.cells ?? []) {
          const bend = fetchBend(cell), row = name(study.forms[0]) + (cell.stall > 1 ? `, stall count ${cell.stall}` : "") + (cell.yield ? ", yield" : "") + (study.machine.first_pass ? ", first pass" : ""), column = `${cell.warps} warp${cell.warps === 1 ? "" : "s"}`;
          if (bend) put(row, column, { text: bend.slow ? `${bend.last}: ${short(bend.before)} \u2192 ${short(bend.after)}` : short(bend.before), title: `${row}, ${column}:${cell.curve.map(({ n, cycles }) => ` ${n}: ${digits(cycles, 5)}`).join(",")}`, shade: relationShade(bend.after, bend.before) });
        }
      }),
  ].filter(({ rows }) => rows.length);
};
