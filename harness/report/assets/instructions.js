// instructions.html: the PTX instructions of one GPU, or of several side by side. `tables` are instructions.json, and
// `extra.tables` has for each what C++ says of its rows (instruction_words() in C++).
const plainPtx = (ptx) => ptx.replace(/\{(\w+)\}/g, "$1");
/// A page with one large table, which its search filters. `entries` are {id, name, mnemonic, words, measured}.
const tablePage = ({ label, entries, columns, why, lead, detail, mark, above }) => {
  const byKey = new Map(entries.map((entry) => [entry.id, entry])), search = byId("search");
  let near = {}, sought = [];
  // What a search finds comes with the nearest name first; rows without a number come after those with one.
  const find = (query) => {
    if (!site.tokens(query).length) return entries.filter((entry) => entry.words.includes(query.trim().toLowerCase()));
    const terms = site.parse(query, near);
    const points = new Map(entries.map((entry) => [entry, site.score(terms, entry.search ??= site.entryOf(site.tokens(entry.mnemonic), 0, entry.words))]));
    const rank = (entry) => points.get(entry) - (entry.measured ? 0 : 6);
    return entries.filter((entry) => points.get(entry) > 0).sort((a, b) => rank(b) - rank(a));
  };
  const readable = (of) => `#${new URLSearchParams(Object.entries(of).filter((pair) => pair[1])).toString().replace(/%2F/g, "/").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/\+/g, "%20")}`;
  const state = { q: "", i: "" };
  const keep = () => { if (state.q || state.i || location.hash) history.replaceState(null, "", state.q || state.i ? readable(state) : location.pathname + location.search); };
  const table = tableOf({ label, name: document.title, rows: entries, id: (entry) => entry.id, note: (entry) => entry.name, columns, why, lead, detail, mark, tall: true, find, asked: (entry) => { state.i = entry ? entry.id : ""; keep(); } });
  byId("main").append(...above.flat(9).filter(Boolean), table.node);
  const look = (query) => {
    state.q = query;
    table.apply(query);
    keep();
    site.show(query, 6, (hit) => !location.pathname.endsWith(hit.href.split("#")[0].replace(/^[./]+/, "")));
  };
  search.addEventListener("input", () => look(search.value));
  search.addEventListener("keydown", (event) => {
    if (event.key === "ArrowDown" || event.key === "ArrowUp") { event.preventDefault(); table.move(event.key === "ArrowDown" ? 1 : -1); }
    if (event.key === "Enter") table.enter();
    if (event.key === "Escape") { search.value = ""; look(""); }
  });
  document.addEventListener("keydown", (event) => {
    if (event.key !== "/" || event.ctrlKey || event.metaKey || /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName)) return;
    event.preventDefault();
    search.focus();
    search.select();
  });
  site.near().then((words) => { near = words; if (state.q) table.apply(state.q); });
  const typed = search.value;
  if (typed) look(typed);
  return (id) => {
    const asked = new URLSearchParams(location.hash.slice(1)), key = byKey.has(id) ? id : asked.get("i");
    if (asked.get("q") && asked.get("q") !== state.q) { search.value = asked.get("q"); look(search.value); }
    if (key && key !== state.i) table.reveal(key);
  };
};
const tallyBar = (counts) => el("ul", "tally", counts.map(([name, count, css]) => el("li", css ?? name, el("b", "", String(count)), ` ${name}`)));

pages.instructions = (tables, extra) => {
  const several = tables.length > 1, entries = new Map();
  const operands = (row) => (row.estimates ?? []).filter((each) => each.name.startsWith("latency.")).map((each) => each.name.slice(8));
  tables.forEach((table, gpu) => table.rows.forEach((row, i) => {
    if (!entries.has(row.id)) entries.set(row.id, { id: row.id, name: plainPtx(row.ptx), family: row.family, on: [], said: [] });
    const entry = entries.get(row.id);
    row.instruction ??= {};
    entry.on[gpu] = row;
    entry.said[gpu] = extra.tables[gpu].rows[i];
  }));
  const all = [...entries.values()];
  for (const entry of all) {
    const on = entry.on.filter(Boolean), said = entry.said.filter(Boolean);
    entry.mnemonic = entry.name.split(" ")[0];
    entry.measured = on.some((row) => row.outcome === "measured");
    entry.types = unique(on.flatMap((row) => (row.instruction.types ?? "").split(" "))).filter(Boolean);
    entry.pipes = unique(on.flatMap((row) => row.pipes ?? []));
    entry.words = [entry.id, entry.name, ...on.flatMap((row) => [...row.instruction.expansion ?? [], ...row.pipes ?? [], row.instruction.types, row.outcome, row.reason?.stage, row.reason?.code, row.reason?.text, ...row.instruction.disagreements ?? []]), ...said.flatMap((each) => [each.window, ...each.labels ?? []])].filter(Boolean).join(" ").toLowerCase();
  }
  const short = (gpu) => extra.tables[gpu].name.replace(/^NVIDIA /, "");
  const of = (gpu, get) => (entry) => (entry.on[gpu]?.outcome === "measured" ? get(entry.on[gpu], entry.said[gpu]) : undefined);
  const shown = (gpu, get) => (entry) => {
    const row = entry.on[gpu];
    if (!row) return "not in its table";
    return row.outcome === "measured" ? get(row, entry.said[gpu]) || dash : row.outcome;
  };
  const slowest = (row) => Math.max(...operands(row).map((operand) => numberOf(row, `latency.${operand}`)));
  const columns = [{ title: "instruction", css: "mono name", text: (entry) => entry.name, nodes: (entry) => { const at = entry.name.search(/\s|$/); return [el("b", "", entry.name.slice(0, at)), entry.name.slice(at)]; }, choice: (entry) => entry.family, choices: "families" }];
  tables.forEach((table, gpu) => {
    const title = (text) => (several ? `${short(gpu)} ${text}` : text), apart = (entry) => (entry.said[gpu]?.other_code ? "~ " : ""), found = (entry) => apart(entry) + (entry.on[gpu]?.instruction.disagreements?.length ? "! " : "");
    const latency = shown(gpu, (row, said) => said.latency), number = (name) => shown(gpu, (row) => (isNumber(numberOf(row, name)) ? digits(numberOf(row, name), 4) : dash));
    columns.push({ title: title("latency"), unit: "cycles", css: "n", text: (entry) => found(entry) + latency(entry), raw: of(gpu, (row) => (operands(row).length ? slowest(row) : undefined)), choice: (entry) => entry.on[gpu]?.outcome, choices: several ? `outcomes of ${short(gpu)}` : "outcomes",
      nodes: (entry) => [found(entry) ? el("span", { class: "mark", title: [entry.said[gpu].other_code, ...entry.on[gpu].instruction.disagreements ?? []].filter(Boolean).join("\n") }, found(entry)) : null, latency(entry)] },
    { title: title("results"), unit: "/clk/SM", css: "n", text: number("throughput"), raw: of(gpu, (row) => numberOf(row, "throughput")) });
    if (!several) columns.push({ title: "interval", unit: "cycles", css: "n", text: number("interval"), raw: of(gpu, (row) => numberOf(row, "interval")) },
      { title: "pipe", text: shown(gpu, (row) => (row.pipes ?? []).join(" ")), choice: (entry) => entry.pipes, choices: "pipes" });
    columns.push({ title: title("SASS"), css: "mono", text: shown(gpu, (row, said) => said.opcodes), choice: several ? null : (entry) => entry.types, choices: "types" });
  });
  const why = (entry) => {
    const gone = entry.on.filter(Boolean);
    return gone.some((row) => row.outcome === "measured") ? null : `${gone[0].outcome}: ${gone[0].reason?.code ?? ""} ${gone[0].reason?.text ?? ""}`;
  };

  const range = (e) => (e.low === e.high ? "" : `${digits(e.low, 6)}${dash}${digits(e.high, 6)}`);
  const note = (e) => (e.note ?? "").split("; ").filter((each) => each && !each.startsWith("via ")).join("; ");
  const latencies = (row) => {
    const via = (operand) => row.instruction.experiments?.find((run) => run.name === `latency.${operand}`)?.via ?? [];
    const lines = operands(row).map((operand) => {
      const e = estimate(row, `latency.${operand}`), encoded = estimate(row, `encoded.${operand}`) ?? estimate(row, "encoded"), differs = encoded && !row.forms?.length && Math.abs(encoded.value - e.value) > 0.5;
      return [operand, el("b", "", fixed(e.value, 2)), range(e), encoded ? el("span", differs ? "warn" : "", digits(encoded.value, 4)) : dash,
        via(operand).map(({ instruction, cycles }) => `${instruction} \u2212${digits(cycles, 4)}`).join(", ") || dash, `${e.method}, ${e.n} samples${note(e) ? `; ${note(e)}` : ""}`];
    });
    return lines.length ? card("Latency", "cycles from the operand to the result", plainTable("latencies", ["from", "#measured", "interval", "#encoded", "subtracted", "method"], lines, "mini")) : null;
  };
  const tile = (name, text, unit, below) => el("div", "", el("dt", "", name), el("dd", "", el("b", "", text), " ", unit, below ? el("span", "", below) : null));
  const throughput = (row, said) => {
    const rate = estimate(row, "throughput"), interval = estimate(row, "interval"), knee = estimate(row, "saturation"), points = row.instruction.curve ?? [];
    if (!rate && !points.length) {
      const refused = (row.instruction.experiments ?? []).filter(({ name, verdict }) => name.startsWith("throughput") && verdict !== "verified");
      return refused.length ? card("Throughput", "", el("p", "note", `None is published: ${refused.map(({ name, verdict }) => `${name} is rejected (${verdict})`).join(", ")}.`)) : null;
    }
    const lines = [...groupBy(points.filter((point) => isNumber(point.rate)), (point) => point.ilp)].sort((a, b) => a[0] - b[0]).map(([ilp, own]) => ({ name: `ILP ${ilp}`, points: own.sort((a, b) => a.warps - b.warps).map((point) => ({ x: point.warps, y: point.rate, low: point.rate, high: point.rate, text: `${point.warps} warps, ILP ${ilp}: ${digits(point.rate, 5)}` })) }));
    if (rate && lines.length) lines[0].plateau = { level: rate.value, knee: knee && lines[0].points.some((point) => point.x === knee.value) ? knee.value : lines[0].points[0].x };
    return card("Throughput", said.window, el("dl", "tiles", rate ? tile("throughput", digits(rate.value, 4), "results/clk/SM", range(rate)) : null, said.products ? tile("multiply-adds", said.products, "FMA/clk/SM", "by the shape of the instruction") : null,
      interval ? tile("interval", digits(interval.value, 4), "cycles", "a warp instruction and scheduler") : null, knee ? tile("saturates at", digits(knee.value, 4), "warps \u00d7 ILP", "95 % of the plateau") : null),
    lines.length ? el("div", "charts", chart({ title: "results per clock and SM over warps", x: { label: "warps per SM", log: true }, y: { label: "results/clk/SM" }, lines: lines.map((line) => ({ ...line, plateau: null })) })) : null);
  };
  const windows = (row) => (row.instruction.experiments ?? []).map((run) => {
    const good = run.verdict === "verified", part = folded("run", "", () => [run.reason ? el("p", "reason", run.reason) : null, run.note ? el("p", "note", run.note) : null,
      run.safeguard === "composed" ? el("p", "note", "The copies are those of the machine code of one instance, placed one after another.") : null,
      run.sass?.length ? sassFigure(run.sass, new Set((run.opcodes ?? []).map(({ opcode }) => opcode))) : null, opcodeList(run.opcodes ?? []),
      samplesCard(run.samples, (series) => [series.warps, series.n], ["warps", run.trips > 1 ? `copies, in each of ${run.trips} trips` : "copies"]), run.sass_hash ? el("p", "hash", `window ${run.sass_hash}`) : null]);
    part.querySelector("summary").append(el("code", "", run.name), " ", el("span", `badge ${good ? "measured" : "rejected"}`, run.verdict), run.safeguard ? el("span", "tag", run.safeguard) : "", isNumber(run.encoded_cycles) ? el("i", "", ` encoded ${digits(run.encoded_cycles, 5)} cycles`) : "");
    return part;
  });
  const one = (row, said) => {
    const measured = row.outcome === "measured", runs = windows(row), counters = [...Object.entries(row.counters ?? {}).map(([metric, count]) => [metric, digits(count, 6)]), ["no counters", row.counters_missing]];
    return [measured ? null : el("p", `reason ${row.outcome}`, el("b", "", `${row.outcome} at ${row.reason?.stage}: ${row.reason?.code}`), " ", row.reason?.text),
      said.other_code ? el("p", "note", `~ ${said.other_code}.`) : null,
      row.instruction.disagreements?.length ? el("ul", "findings", row.instruction.disagreements.map((each) => el("li", "", each))) : null,
      pairs([["becomes", said.opcodes ? el("code", "", said.opcodes) : ""], ...(row.forms ?? []).map((form, i) => [i ? "or" : "form", el("code", "", form)]), ["pipe", (row.pipes ?? []).join(", ")], ...(said.labels ?? []).map((text) => ["note", text])]),
      measured ? latencies(row) : null, measured ? throughput(row, said) : null, runs.length ? card("Timed windows", "machine code between the clock reads, with its scheduling", runs) : null,
      counters.some(([, text]) => text) ? card("Counters", "", pairs(counters)) : null, conditionsCard(row.clock)];
  };
  const detail = (entry) => [el("p", "note", [entry.id, entry.on.find(Boolean).instruction.section, entry.on.find(Boolean).instruction.types].filter(Boolean).join(" \u00b7 ")),
    entry.on.map((row, gpu) => (row ? [several ? el("h4", "", extra.tables[gpu].name) : null, el("div", "cards one", one(row, entry.said[gpu]))] : null))];

  const apart = all.filter((entry) => entry.said.some((said) => said?.other_code)).length;
  const above = extra.tables.map((table) => [several ? el("h3", "", table.name) : null, tallyBar(table.counts),
    table.guide ? folded("guide", `Results per clock and SM, next to the ${table.guide.title}: ${table.guide.summary}`, () => plainTable("next to the guide", ["row", "operation", "counterpart", "#guide", "#measured", "interval", "#ratio", "verdict", "note"], table.guide.lines)) : null]);
  if (apart) above.unshift(el("p", "note", `~, rows: ${apart}. Some of their numbers are no comparison of the GPUs: the record of another commit timed other machine code. Each row says which.`));
  return tablePage({ label: "instructions", entries: all, columns, why, lead: 1, detail, above });
};
