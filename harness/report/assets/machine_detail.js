  // "1-3 5" of 1, 2, 3, 5.
  const runs = (numbers) => {
    const out = [];
    for (const each of numbers) {
      if (out.length && out[out.length - 1][1] === each - 1) out[out.length - 1][1] = each; else out.push([each, each]);
    }
    return out.map(([from, to]) => (from === to ? from : `${from}\u2013${to}`)).join(" ");
  };
  const latencies = (row) => {
    const rows = row.latencies.map((each) => [`${letter(each.source)} ${each.operand}`, each.cycles ? el("b", "", fixed(each.cycles.value, 2)) : "\u2013", each.cycles ? range(each.cycles) : "",
      each.minimum_stall !== undefined ? el("b", disagrees(each) && !row.scoreboard ? "warn" : "", String(each.minimum_stall)) : row.scoreboard ? "by scoreboard" : "\u2013", each.minimum_stall_among_warps !== undefined && !row.scoreboard ? String(each.minimum_stall_among_warps) : "\u2013", runs(each.wrong_stalls) || "\u2013",
      [each.return_path && `back through ${each.return_path}${each.return_path_cycles ? `, less its ${digits(each.return_path_cycles, 4)}` : ""}`, each.cycles && `${each.cycles.method}, ${each.cycles.n} samples`,
        each.cycles && each.cycles.note, each.note].filter(Boolean).join("; ")]);
    return rows.length ? part("Latency", "cycles from the operand to the result", cells(["from", "timed", "interval", "minimum stall", "among warps", "wrong with", "method"], rows)) : null;
  };

  // Cycles of the window over the number of instructions.
  const spark = (cell) => {
    const points = cell.curve.filter((point) => point.every(isNumber)), width = 144, height = 56;
    if (points.length < 2) return points.map(([n, cycles]) => `${n}: ${digits(cycles, 6)}`).join();
    const [left, right] = [Math.min(...points.map((p) => p[0])), Math.max(...points.map((p) => p[0]))], top = Math.max(...points.map((p) => p[1]), 1e-9);
    const x = (n) => 4 + (n - left) / Math.max(right - left, 1e-9) * (width - 8), y = (cycles) => height - 14 - cycles / top * (height - 20);
    const svg = shape("svg", { class: "spark", viewBox: `0 0 ${width} ${height}`, role: "img" }), group = shape("g", { class: isLine(cell) ? "s0" : "s1" });
    svg.append(shape("title", {}, `cycles of the window: ${points.map(([n, cycles]) => `${digits(cycles, 6)} for ${n}`).join(", ")}`));
    group.append(shape("path", { class: "ln", d: "M" + points.map(([n, cycles]) => `${x(n).toFixed(1)} ${y(cycles).toFixed(1)}`).join("L") }));
    for (const [n, cycles] of points) {
      const mark = shape("circle", { class: "mk", cx: x(n), cy: y(cycles), r: 2.5 });
      mark.append(shape("title", {}, `${n} instructions: ${digits(cycles, 6)} cycles`));
      group.append(mark);
    }
    svg.append(group, shape("text", { class: "t", x: 2, y: height - 2 }, `n = ${left}`), shape("text", { class: "t", x: width - 2, y: height - 2, "text-anchor": "end" }, right),
      shape("text", { class: "t", x: 2, y: 9 }, `${digits(top, 5)} cycles`));
    return svg;
  };

  // Warps down, stall counts across; a map without and one with the yield hint.
  const surface = (row) => {
    if (!hasSurface(row)) return null;
    const known = row.cells.filter(isLine), least = Math.min(...known.map((cell) => cell.cycles));
    const values = (name) => [...new Set(row.cells.map((cell) => cell[name]))].sort((a, b) => a - b);
    const stalls = values("stall"), maps = values("yield").map((hint) => {
      const body = values("warps").map((warps) => el("tr", "", el("th", "", `${warps} warp${warps === 1 ? "" : "s"}`), stalls.map((stall) => {
        const cell = row.cells.find((each) => each.yield === hint && each.warps === warps && each.stall === stall), node = el("td", "");
        if (!cell) return node;
        node.textContent = isLine(cell) ? digits(cell.cycles, 3) : "\u2715";
        if (isLine(cell)) node.className = `o${shade(cell.cycles, least)}`;
        node.title = `${warps} warps, stall count ${stall}${hint ? ", yield hint" : ""}: ${isLine(cell) ? `${digits(cell.cycles, 5)} cycles` : cell.note || "the curve is no line"}`;
        return node;
      })));
      return el("div", "scroll", el("table", "surface", el("caption", "", hint ? "with the yield hint" : "without the yield hint"),
        el("thead", "", el("tr", "", el("th", "", "stall count"), stalls.map((stall) => el("th", "", String(stall))))), el("tbody", "", body)));
    });
    return part("Warps, stall count and yield", "cycles an instruction and sub-partition; darker is slower than the least, up to twice", ...maps);
  };

  const issue = (row) => {
    if (!row.cells.length) return null;
    const interval = row.issue_interval, tiles = interval ? el("dl", "tiles", el("div", "", el("dt", "", "issue interval"), el("dd", "", el("b", "", digits(interval.value, 4)), " cycles",
      el("span", "", [range(interval), interval.note].filter(Boolean).join("; "))))) : null;
    const table = cells(["warps", "stall", "yield", "cycles", "curve", "interval", "note"], row.cells.map((cell) => [String(cell.warps), String(cell.stall), cell.yield ? "yes" : "",
      isLine(cell) ? el("b", "", digits(cell.cycles, 5)) : "no line", spark(cell), isLine(cell) ? range(cell) : "", cell.note]));
    const folded = el("details", "run", el("summary", "", `${row.cells.length} cells`), table);
    folded.open = row.cells.length <= 8;
    return part("Issue", "cycles an instruction and sub-partition, and of the window over its number of instructions", tiles, folded);
  };

  // To the PTX that becomes this opcode, where there is such a page.
  const ptx = (row) => {
    const page = document.querySelector(".pages a[href$='instructions.html']");
    if (!page || !opcode(row)) return null;
    const link = el("a", "", `PTX instructions with ${opcode(row)}`);
    link.href = `${page.getAttribute("href")}#${new URLSearchParams({ q: opcode(row) })}`;
    return link;
  };

  return (row) => {
    const to = ptx(row);
    return [
      row.outcome !== "measured" || row.failed ? el("p", "reason", el("b", "", row.reason[1]), " ", row.reason[2]) : null,
      row.disagreements.length ? el("ul", "found", row.disagreements.map((each) => el("li", "", each))) : null,
      pairs([["instruction", el("code", "", row.text)], ["word", el("code", "", `0x${row.word.slice(0, 16)} 0x${row.word.slice(16)}`)], ...row.encoded_cycles !== undefined ? [["encoded", `at least ${row.encoded_cycles} cycles before the result is read`]] : [], ...to ? [["in PTX", to]] : []]),
      latencies(row), surface(row), issue(row),
    ].filter(Boolean);
  };
})();
