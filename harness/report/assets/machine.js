// machine.html: the forms of machine instructions. `rows` are those of machine.json, `extra` what C++ says of it
// (machine_words() in C++).
const isLine = (cell) => isNumber(cell.cycles) && cell.cycles > 0;
// "4", or "A 4 \u00b7 B 5".
const leastStalls = (row) => {
  const known = asked(row).filter((each) => each.least !== undefined);
  return row.machine.scoreboard ? "by scoreboard" : unique(known.map((each) => each.least)).length === 1 ? String(known[0].least) : known.map((each) => `${operandLetter(each.source)} ${each.least}`).join(" \u00b7 ");
};
/// Cycles of one warp alone: the lowest of its cells that are linear.
const oneWarp = (row) => Math.min(...(row.machine.cells ?? []).filter((cell) => cell.warps === 1 && isLine(cell)).map((cell) => cell.cycles));
// If the timed latency and the minimum stall count differ by more than half a cycle, if other warps require a larger
// one, and if ptxas leaves more or fewer cycles than the largest.
const machineFindings = (row) => {
  const encoded = numberOf(row, "encoded"), known = row.machine.scoreboard ? [] : asked(row).filter((each) => each.least !== undefined), most = Math.max(0, ...known.map((each) => each.least)), letter = (each) => operandLetter(each.source);
  return [...known.filter((each) => isNumber(each.cycles?.value) && Math.abs(each.cycles.value - each.least) > 0.5).map((each) => `${letter(each)}: ${digits(each.cycles.value, 4)} cycles by timing, minimum stall count ${each.least}`),
    ...known.filter((each) => each.among > each.least).map((each) => `${letter(each)}: among other warps of its sub-partition the minimum stall count is ${each.among}`),
    most > 0 && encoded && encoded !== most ? `ptxas encodes at least ${encoded} cycles; the largest minimum stall count is ${most}` : null].filter(Boolean);
};
pages.machine = ([{ rows }], extra) => {
  for (const row of rows) row.machine ??= {};
  const forms = rows.filter(({ kind }) => kind === "form");
  const opcode = (row) => (/^(?:@\S+ )?\s*(\S*)/.exec(row.machine.text) || ["", ""])[1];
  const hasSurface = (row) => (row.machine.cells ?? []).some((cell) => cell.stall !== row.machine.cells[0].stall || Boolean(cell.yield) !== Boolean(row.machine.cells[0].yield));
  const said = new Map(forms.map((row, i) => [row.id, { ...extra.rows[i], stall: leastStalls(row), encoded: estimate(row, "encoded") ? String(numberOf(row, "encoded")) : "", alone: isNumber(oneWarp(row)) ? digits(oneWarp(row), 4) : "", findings: machineFindings(row) }]));
  const measures = { latency: (row) => asked(row).some((each) => each.cycles), "minimum stall count": (row) => asked(row).some((each) => each.least !== undefined),
    scoreboard: (row) => row.machine.scoreboard, "issue interval": (row) => estimate(row, "interval"), "stall counts and yield": hasSurface, findings: (row) => said.get(row.id).findings?.length };
  const entries = forms.map((row) => {
    const words = said.get(row.id), kinds = Object.keys(measures).filter((name) => measures[name](row));
    return { id: row.id, name: row.machine.text, row, words: [row.id, row.machine.text, row.machine.word, ...kinds, row.reason?.code, row.reason?.text, ...asked(row).flatMap((each) => [each.return_path, each.note])].filter(Boolean).join(" ").toLowerCase(), said: words, kinds, mnemonic: opcode(row), measured: row.outcome === "measured" };
  });
  const most = (values) => { const known = values.filter(isNumber); return known.length ? Math.max(...known) : undefined; };
  const text = (title, unit, key, raw) => ({ title, unit, css: "n", text: (entry) => entry.said[key] || dash, raw: (entry) => raw(entry.row) });
  const columns = [
    { title: "form", css: "mono name", text: (entry) => entry.name, nodes: (entry) => { const at = entry.name.search(/\s|$/); return [el("b", "", entry.name.slice(0, at)), entry.name.slice(at)]; }, choice: (entry) => entry.mnemonic.split(".")[0], choices: "opcodes" },
    { ...text("latency", "cycles", "latency", (row) => most(asked(row).map((each) => each.cycles?.value))), text: (entry) => (entry.said.findings?.length ? "! " : "") + (entry.said.latency || dash), choice: (entry) => entry.kinds, choices: "measurements",
      nodes: (entry) => [entry.said.findings?.length ? el("span", { class: "mark", title: entry.said.findings.join("\n") }, "! ") : null, entry.said.latency || dash] },
    text("minimum", "stall count", "stall", (row) => most(asked(row).map((each) => each.least))),
    text("encoded", "cycles", "encoded", (row) => numberOf(row, "encoded")), text("interval", "cycles", "interval", (row) => numberOf(row, "interval")),
    { ...text("one warp", "cycles", "alone", () => undefined), raw: (entry) => (entry.said.alone ? Number(entry.said.alone) : undefined), choice: (entry) => entry.row.reason?.code ?? "measured", choices: "outcomes" }];
  const why = ({ row: { reason } }) => (reason ? `${reason.code} ${reason.text}` : null);

  const range = (e) => (e.low === e.high ? "" : `${digits(e.low, 6)}${dash}${digits(e.high, 6)}`);
  // "1-3 5" of 1, 2, 3, 5.
  const runs = (numbers) => {
    const out = [];
    for (const each of numbers ?? []) if (out.length && out.at(-1)[1] === each - 1) out.at(-1)[1] = each; else out.push([each, each]);
    return out.map(([from, to]) => (from === to ? from : `${from}${dash}${to}`)).join(" ");
  };
  const latencies = (row) => {
    const lines = asked(row).map((each) => [`${operandLetter(each.source)} ${each.operand ?? ""}`, each.cycles ? el("b", "", fixed(each.cycles.value, 2)) : dash, each.cycles ? range(each.cycles) : "",
      each.least !== undefined ? el("b", "", String(each.least)) : row.machine.scoreboard ? "by scoreboard" : dash, each.among !== undefined && !row.machine.scoreboard ? String(each.among) : dash, runs(each.wrong_stalls) || dash,
      [each.return_path && `back through ${each.return_path}${each.return_path_cycles ? `, less its ${digits(each.return_path_cycles, 4)}` : ""}`, each.cycles && `${each.cycles.method}, ${each.cycles.n} samples`, each.cycles?.note, each.note].filter(Boolean).join("; ")]);
    return lines.length ? card("Latency", "cycles from the operand to the result", plainTable("latencies", ["from", "#timed", "interval", "#minimum stall", "#among warps", "wrong with", "method"], lines, "mini")) : null;
  };
  /// A map of cells: shades of how much slower than the least, and the whole result as a title.
  const heat = (label, corner, heads, rows) => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label }, el("table", "surface", el("thead", "", el("tr", "", el("th", "", corner), heads.map((head) => el("th", { scope: "col" }, head)))),
    el("tbody", "", rows.map(([name, cells]) => el("tr", "", el("th", { scope: "row" }, name), cells.map((cell) => el("td", { class: cell?.shade >= 0 ? `o${cell.shade}` : "", title: cell?.title }, cell?.text ?? "")))))));
  const surface = (row) => {
    if (!hasSurface(row)) return null;
    const least = Math.min(...row.machine.cells.filter(isLine).map((cell) => cell.cycles)), values = (get) => unique(row.machine.cells.map(get)).sort((a, b) => a - b), stalls = values((cell) => cell.stall);
    return card("Warps, stall count and yield", "cycles an instruction and sub-partition; darker is slower than the least, up to twice", values((cell) => Boolean(cell.yield)).map((hint) => [el("p", "note", hint ? "with the yield hint" : "without the yield hint"),
      heat("issue over warps and stall counts", "stall count", stalls.map(String), values((cell) => cell.warps).map((warps) => [`${warps} warp${warps === 1 ? "" : "s"}`, stalls.map((stall) => {
        const cell = row.machine.cells.find((each) => Boolean(each.yield) === hint && each.warps === warps && each.stall === stall);
        return cell && { text: isLine(cell) ? digits(cell.cycles, 3) : "\u2715", shade: isLine(cell) ? relationShade(cell.cycles, least) : -1, title: `${warps} warps, stall count ${stall}${hint ? ", yield hint" : ""}: ${isLine(cell) ? `${digits(cell.cycles, 5)} cycles` : cell.note || "the curve is no line"}` };
      })]))]));
  };
  const issue = (row) => {
    const cells = row.machine.cells ?? [], interval = estimate(row, "interval");
    if (!cells.length) return null;
    const lines = cells.map((cell) => ({ name: `${cell.warps} warps, stall ${cell.stall}${cell.yield ? ", yield" : ""}`, points: (cell.curve ?? []).filter(({ n, cycles }) => isNumber(n) && isNumber(cycles)).map(({ n, cycles }) => ({ x: n, y: cycles, low: cycles, high: cycles, text: `${cell.warps} warps, stall count ${cell.stall}${cell.yield ? ", yield hint" : ""}: ${digits(cycles, 6)} cycles for ${n}` })) })).filter((line) => line.points.length);
    const table = () => [lines.length ? el("div", "charts", chart({ title: "cycles of the window over its instructions", x: { label: "instructions" }, y: { label: "cycles of the window" }, lines })) : null,
      plainTable("issue", ["#warps", "#stall", "yield", "#cycles", "interval", "note"], cells.map((cell) => [String(cell.warps), String(cell.stall), cell.yield ? "yes" : "", isLine(cell) ? el("b", "", digits(cell.cycles, 5)) : "no line", isLine(cell) ? range(cell) : "", cell.note ?? ""]), "mini")];
    return card("Issue", "cycles an instruction and sub-partition", interval ? el("dl", "tiles", el("div", "", el("dt", "", "issue interval"), el("dd", "", el("b", "", digits(interval.value, 4)), " cycles", el("span", "", [range(interval), interval.note].filter(Boolean).join("; "))))) : null,
      cells.length <= 8 ? table() : folded("run", `${cells.length} cells`, table));
  };
  // To the PTX that becomes this opcode, where there is such a page.
  const ptx = (row) => {
    const page = document.querySelector(".pages a[href$='instructions.html']");
    return page && opcode(row) ? el("a", { href: `${page.getAttribute("href")}#${new URLSearchParams({ q: opcode(row) })}` }, `PTX instructions with ${opcode(row)}`) : "";
  };
  const detail = ({ row, said: words }) => el("div", "cards one", row.reason ? el("p", "reason", el("b", "", row.reason.code), " ", row.reason.text) : null, words.findings?.length ? el("ul", "findings", words.findings.map((each) => el("li", "", each))) : null,
    pairs([["instruction", el("code", "", row.machine.text)], ["word", el("code", "", `0x${(row.machine.word ?? "").slice(0, 16)} 0x${(row.machine.word ?? "").slice(16)}`)], ["encoded", words.encoded === "" ? "" : `at least ${words.encoded} cycles before the result is read`], ["in PTX", ptx(row)]]),
    latencies(row), surface(row), issue(row));

  /// For each number of warps and hint the fewest cycles over all stall counts.
  const surfaces = () => {
    const rows = forms.filter((row) => hasSurface(row) && row.machine.cells.some(isLine)), key = (cell) => `${cell.yield ? 1 : 0} ${String(cell.warps).padStart(3, "0")}`;
    if (!rows.length) return null;
    const places = unique(rows.flatMap((row) => row.machine.cells.filter(isLine).map(key))).sort();
    return folded("guide", `Issue interval over warps and the yield hint: ${rows.length} instructions measured over stall counts`, () => [el("p", "note", "Cycles an instruction and sub-partition at the best stall count; darker is slower than the row's best, up to twice. Each row opens to all its stall counts."),
      heat("issue intervals", "instruction", places.map((place) => `${Number(place.slice(2))} warp${Number(place.slice(2)) === 1 ? "" : "s"}${place[0] === "1" ? ", yield" : ""}`), rows.map((row) => {
        const best = new Map();
        for (const cell of row.machine.cells.filter(isLine)) if (!best.has(key(cell)) || best.get(key(cell)).cycles > cell.cycles) best.set(key(cell), cell);
        const least = Math.min(...[...best.values()].map((cell) => cell.cycles));
        return [el("a", { href: `#i=${encodeURIComponent(row.id)}` }, row.machine.text), places.map((place) => { const cell = best.get(place); return cell && { text: digits(cell.cycles, 4), shade: relationShade(cell.cycles, least), title: `${cell.warps} warps, stall count ${cell.stall}${cell.yield ? ", yield hint" : ""}: ${digits(cell.cycles, 5)} cycles` }; })];
      }))]);
  };
  const grids = relationGrids(rows).map((grid) => folded("guide", grid.title, () => [el("p", "note", grid.says), heat(grid.title, grid.corner, grid.columns, grid.rows.map((row) => [row.name, row.cells]))]));
  return tablePage({ label: "machine instructions", entries, columns, why, lead: 1, detail, above: [tallyBar(extra.counts), el("div", "guides", grids, surfaces())] });
};
