  // Rate over warps (log2), a line for each ILP.
  const curve = (points, plateau) => {
    const ilps = [...new Set(points.map((p) => p[1]))].sort((a, b) => a - b);
    const warps = [...new Set(points.map((p) => p[0]))].sort((a, b) => a - b);
    const top = 1.12 * Math.max(...points.map((p) => p[2]), plateau || 0, 1e-9), height = 230;
    const width = Math.max(300, Math.min(560, document.getElementById("body").clientWidth || 560));  // so that its text keeps its size
    const low = Math.log2(warps[0]), high = Math.max(Math.log2(warps[warps.length - 1]), low + 1e-9);
    const x = (value) => 44 + (Math.log2(value) - low) / (high - low) * (width - 110);
    const y = (value) => height - 34 - value / top * (height - 52);
    const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}`, role: "img" });
    svg.append(shape("title", {}, "results per clock and SM over warps"));
    const step = 10 ** Math.floor(Math.log10(top / 2)), tick = [1, 2, 5, 10].find((k) => top / (k * step) <= 5) * step;
    for (let value = 0; value <= top; value += tick) {
      svg.append(shape("line", { class: value ? "gr" : "ax", x1: 44, x2: width - 62, y1: y(value), y2: y(value) }),
        shape("text", { class: "t", x: 38, y: y(value) + 4, "text-anchor": "end" }, digits(value, 3)));
    }
    for (const value of warps) svg.append(shape("text", { class: "t", x: x(value), y: height - 17, "text-anchor": "middle" }, value));
    svg.append(shape("text", { class: "t", x: (width - 18) / 2, y: height - 2, "text-anchor": "middle" }, "warps per SM"),
      shape("text", { class: "t y", x: 0, y: 9 }, "results/clk/SM"));
    if (isNumber(plateau)) svg.append(shape("line", { class: "pl", x1: 44, x2: width - 62, y1: y(plateau), y2: y(plateau) }));
    let free = height;
    ilps.forEach((ilp, i) => {
      const own = points.filter((p) => p[1] === ilp && isNumber(p[2])).sort((a, b) => a[0] - b[0]);
      if (!own.length) return;
      const group = shape("g", { class: `s${i % 8}` });
      group.append(shape("path", { class: "ln", d: "M" + own.map((p) => `${x(p[0]).toFixed(1)} ${y(p[2]).toFixed(1)}`).join("L") }));
      for (const p of own) {
        const mark = shape("circle", { class: "mk", cx: x(p[0]), cy: y(p[2]), r: 3.5 });
        mark.append(shape("title", {}, `${p[0]} warps, ILP ${ilp}: ${digits(p[2], 5)}`));
        group.append(mark);
      }
      svg.append(group);
    });
    // Labels at the ends of lines, kept apart from the lowest up.
    const ends = ilps.map((ilp, i) => [ilp, i, points.filter((p) => p[1] === ilp).sort((a, b) => b[0] - a[0])[0]]);
    for (const [ilp, i, end] of ends.filter((each) => isNumber(each[2][2])).sort((a, b) => a[2][2] - b[2][2] || b[0] - a[0])) {
      free = Math.min(y(end[2]) + 4, free - 13);
      svg.append(shape("text", { class: `t v s${i % 8}`, x: width - 54, y: free }, `ILP ${ilp}`));
    }
    return svg;
  };

  // Without "via SEL (4 cycles, encoded)", which has a column.
  const note = (e) => e.note.split("; ").filter((each) => !each.startsWith("via ")).join("; ");
  const latencies = (row) => {
    const via = (operand) => row.experiments.find((run) => run.name === `latency.${operand}`)?.via ?? [];
    const rows = operands(row).map((operand) => {
      const e = estimate(row, `latency.${operand}`), encoded = estimate(row, `encoded.${operand}`) ?? estimate(row, "encoded");
      const differs = encoded && !row.forms.length && Math.abs(encoded.value - e.value) > 0.5;
      return [operand, el("b", "", fixed(e.value, 2)), range(e), encoded ? el("span", differs ? "warn" : "", digits(encoded.value, 4)) : "\u2013",
        via(operand).map(({ instruction, cycles }) => `${instruction} \u2212${digits(cycles, 4)}`).join(", ") || "\u2013", `${e.method}, ${e.n} samples${note(e) ? "; " + note(e) : ""}`];
    });
    return rows.length ? part("Latency", "cycles from the operand to the result", cells(["from", "measured", "interval", "encoded", "subtracted", "method"], rows)) : null;
  };

  const throughput = (row) => {
    const rate = estimate(row, "throughput"), interval = estimate(row, "interval"), knee = estimate(row, "saturation");
    const points = row.curve.map(({ warps, ilp, rate }) => [warps, ilp, rate]);
    if (!rate && !points.length) {
      const refused = row.experiments.filter(({ name, verdict }) => name.startsWith("throughput") && verdict !== "verified");
      return refused.length ? part("Throughput", "", el("p", "how", `None is published: ${refused.map(({ name, verdict }) => `${name} is rejected (${verdict})`).join(", ")}.`)) : null;
    }
    const tile = (name, value, unit, note) => el("div", "", el("dt", "", name), el("dd", "", el("b", "", value), " ", unit, note ? el("span", "", note) : null));
    // A warp executes four products of f16 with shape m8n8k4 at once.
    const mnk = /^w?mma\.\S*?\bm(\d+)n(\d+)k(\d+)\./.exec(row.ptx), of_quads = /^mma\.(?!\S*f64)\S*m8n8k4\./.test(row.ptx);
    const products = rate && mnk && !of_quads && /^(mma|wmma\.mma)\./.test(row.ptx) && rate.value / 32 * mnk[1] * mnk[2] * mnk[3];
    const tiles = el("dl", "tiles", rate ? tile("throughput", digits(rate.value, 4), "results/clk/SM", range(rate)) : null,
      products ? tile("multiply-adds", digits(products, 4), "FMA/clk/SM", "by the shape of the instruction") : null,
      interval ? tile("interval", digits(interval.value, 4), "cycles", "a warp instruction and scheduler") : null,
      knee ? tile("saturates at", digits(knee.value, 4), "warps \u00d7 ILP", "95 % of the plateau") : null);
    return part("Throughput", row.window, tiles, points.length ? curve(points, rate && rate.value) : null);
  };

  const sass = (run) => {
    const controls = el("pre", "control"), code = el("pre", "");
    for (const line of run.sass) {
      const gap = line.startsWith("B") ? line.indexOf("  ") : -1, rest = gap < 0 ? line : line.slice(gap + 2);
      controls.append((gap < 0 ? "" : line.slice(0, gap)) + "\n");
      const opcode = /^(?:@\S+ )?\s*(\S+)/.exec(rest), known = opcode && run.opcodes.some((each) => each.opcode === opcode[1]) && !opcode[1].startsWith("CS2R");
      if (!known) code.append(rest);
      else code.append(rest.slice(0, opcode[0].length - opcode[1].length), el("b", "", opcode[1]), rest.slice(opcode[0].length));
      code.append("\n");
    }
    return el("div", "sass", controls, code);
  };

  const samples = (run) => {
    const rows = run.samples.map(({ warps, n, cycles }) => {
      const values = cycles.filter(isNumber), sorted = [...values].sort((a, b) => a - b);
      const same = sorted[0] === sorted[sorted.length - 1];
      return [String(warps), String(n), digits(sorted[sorted.length >> 1], 7), same ? `${values.length} \u00d7 the same` : values.map((v) => digits(v, 7)).join(" ")];
    });
    return rows.length ? cells(["warps", run.trips > 1 ? `copies, in each of ${run.trips} trips` : "copies", "median", "cycles of the window, a launch each"], rows) : null;
  };

  const windows = (row) => row.experiments.map((run) => {
    const good = run.verdict === "verified", tag = run.safeguard;
    const node = el("details", "run", el("summary", "", el("code", "", run.name), el("span", `badge ${good ? "measured" : "rejected"}`, run.verdict),
      tag ? el("span", "tag", tag) : null, isNumber(run.encoded_cycles) ? el("i", "", `encoded ${digits(run.encoded_cycles, 5)} cycles`) : null));
    node.addEventListener("toggle", () => {
      if (!node.open || node.children.length > 1) return;
      const opcodes = run.opcodes.map(({ opcode, count }) => el("li", "", opcode, el("i", "", `\u00d7${count}`)));
      node.append(run.reason ? el("p", "reason", run.reason) : "", run.note ? el("p", "note", run.note) : "", run.safeguard === "composed" ? el("p", "how", "The copies are those of the machine code of one instance, placed one after another.") : "", run.sass.length ? sass(run) : "", el("ul", "ops", opcodes),
        samples(run) || "", run.sass_hash ? el("p", "hash", `window ${run.sass_hash}`) : "");
    });
    return node;
  });

  const conditions = (row) => {
    const list = Object.entries(row.counters ?? {}).map(([metric, value]) => [metric, digits(value, 6)]);
    if (row.counters_missing) list.push(["no counters", row.counters_missing]);
    const clock = row.clock ?? {}, throttle = clock.throttle ?? [];
    for (const [name, value, unit] of [["SM clock", clock.sm_mhz, "MHz"], ["SM clock, lowest", clock.sm_low_mhz, "MHz"], ["SM clock, highest", clock.sm_high_mhz, "MHz"], ["memory clock", clock.memory_mhz, "MHz"], ["temperature", clock.temperature_c, "\u00b0C"]]) {
      if (value) list.push([name, `${digits(value, 6)} ${unit}`]);
    }
    if (throttle.length) list.push(["throttle", el("span", "warn", throttle.join(", "))]);
    return list.length ? part("Counters and conditions", "", pairs(list)) : null;
  };

  return (row) => {
    const [stage, code, text] = row.reason, measured = row.outcome === "measured";
    const all = windows(row);
    return [
      measured ? null : el("p", `reason ${row.outcome}`, el("b", "", `${row.outcome} at ${stage}: ${code}`), " ", text),
      row.disagreements.length ? el("ul", "found", row.disagreements.map((each) => el("li", "", each))) : null,
      row.expansion.length || row.pipes.length ? pairs([["becomes", el("code", "", counted(row.expansion))],
        ...row.forms.map((form, i) => [i ? "or" : "form", el("code", "", form)]),
        ...row.pipes.length ? [["pipe", row.pipes.join(", ")]] : [], ...row.labels.map((label) => ["note", label])]) : null,
      measured ? latencies(row) : null, measured ? throughput(row) : null,
      all.length ? part("Timed windows", "machine code between the clock reads, with its scheduling", ...all) : null,
      conditions(row),
    ].filter(Boolean);
  };
})();
