// What is known of one instruction on one GPU, as nodes. Everything foreign goes in as text.
const el = (tag, css, ...children) => {
  const node = document.createElement(tag);
  if (css) node.className = css;
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
};
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const fixed = (value, places) => (isNumber(value) ? value.toFixed(places) : "\u2013");
const digits = (value, count) => (isNumber(value) ? String(Number(value.toPrecision(count))) : "\u2013");
const plain = (ptx) => ptx.replace(/\{(\w+)\}/g, "$1");
const estimate = (row, name) => row.estimates.find((each) => each.name === name);
const operands = (row) => row.estimates.filter((each) => each.name.startsWith("latency.")).map((each) => each.name.slice(8));
// "IMAD x2, IADD3"
const counted = (words) => {
  const out = [];
  for (const word of words || []) {
    if (out.length && out[out.length - 1][0] === word) out[out.length - 1][1] += 1;
    else out.push([word, 1]);
  }
  return out.map(([word, count]) => (count > 1 ? `${word} \u00d7${count}` : word)).join(", ");
};

const detail = (() => {
  "use strict";
  const space = document.querySelector("svg").namespaceURI;
  const shape = (tag, attributes, text) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const pairs = (list) => el("dl", "pairs", list.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value))));
  const table = (heads, rows) => el("div", "scroll", el("table", "mini",
    el("thead", "", el("tr", "", heads.map((head) => el("th", "", head)))),
    el("tbody", "", rows.map((cells) => el("tr", "", cells.map((cell, i) => el(i ? "td" : "th", "", cell)))))));
  const part = (title, note, ...children) => el("section", "part", el("h3", "", title, note ? el("span", "", note) : null), ...children);
  const range = (e) => (e.low === e.high ? "" : `${digits(e.low, 6)}\u2013${digits(e.high, 6)}`);
  const unfold = ([, base, ...over]) => over.flatMap((each) => (Array.isArray(each) ? Array(each[1]).fill(each[0]) : [each]))
    .map((each) => (isNumber(each) ? Math.round((base + each) * 100) / 100 : each));

  // Rate over warps (log2), a line for each ILP.
  const curve = (points, plateau) => {
    const ilps = [...new Set(points.map((p) => p[1]))].sort((a, b) => a - b);
    const warps = [...new Set(points.map((p) => p[0]))].sort((a, b) => a - b);
    const top = 1.12 * Math.max(...points.map((p) => p[4] || p[2]), plateau || 0, 1e-9), width = 560, height = 230;
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
        mark.append(shape("title", {}, `${p[0]} warps, ILP ${ilp}: ${digits(p[2], 5)} (${digits(p[3], 5)}\u2013${digits(p[4], 5)})`));
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

  const latencies = (row) => {
    const via = (operand) => ((row.runs || []).find((run) => run.measure === `latency.${operand}`) || {}).via || [];
    const rows = operands(row).map((operand) => {
      const e = estimate(row, `latency.${operand}`), encoded = estimate(row, `encoded.${operand}`);
      const differs = encoded && Math.abs(encoded.value - e.value) > 0.5;
      return [operand, el("b", "", fixed(e.value, 2)), range(e), encoded ? el("span", differs ? "warn" : "", digits(encoded.value, 4)) : "\u2013",
        via(operand).map(([name, cycles]) => `${name} \u2212${digits(cycles, 4)}`).join(", "), `${e.method}, ${e.n} samples${e.note ? "; " + e.note : ""}`];
    });
    return rows.length ? part("Latency", "cycles from the operand to the result", table(["from", "measured", "interval", "encoded", "taken off", "method"], rows)) : null;
  };

  const throughput = (row) => {
    const rate = estimate(row, "throughput"), interval = estimate(row, "interval"), knee = estimate(row, "saturation");
    if (!rate && !(row.curve || []).length) return null;
    const tile = (name, value, unit, note) => el("div", "", el("dt", "", name), el("dd", "", el("b", "", value), " ", unit, note ? el("span", "", note) : null));
    const tiles = el("dl", "tiles", rate ? tile("throughput", digits(rate.value, 4), "results/clk/SM", range(rate)) : null,
      interval ? tile("interval", digits(interval.value, 4), "cycles", "a warp instruction and scheduler") : null,
      knee ? tile("saturates at", digits(knee.value, 4), "warps \u00d7 ILP", "95 % of the plateau") : null);
    return part("Throughput", "", tiles, (row.curve || []).length ? curve(row.curve, rate && rate.value) : null);
  };

  const sass = (run, texts) => {
    const controls = el("pre", "control"), code = el("pre", "");
    const put = (text, behind) => {
      const split = /^B\S+:S\d+ {2}/.exec(text), control = split ? split[0].trimEnd() : "", rest = split ? text.slice(split[0].length) : text;
      controls.append(control + "\n");
      const opcode = /^(?:@\S+ )?\s*(\S+)/.exec(rest), known = opcode && run.opcodes.includes(opcode[1]) && !opcode[1].startsWith("CS2R");
      if (!known) code.append(rest);
      else code.append(rest.slice(0, opcode[0].length - opcode[1].length), el("b", "", opcode[1]), rest.slice(opcode[0].length));
      code.append(behind ? el("em", "", behind) : "", "\n");
    };
    for (const each of run.sass || []) {
      if (!Array.isArray(each)) { put(texts[each]); continue; }
      const [count, ...body] = each;
      if (body.length > 1) { controls.append("\n"); code.append(el("em", "", `\u00d7${count} these ${body.length} lines`), "\n"); }
      body.forEach((index, i) => put(texts[index], body.length === 1 ? ` \u00d7${count}` : i === body.length - 1 ? " \u2518" : ""));
    }
    return el("div", "sass", controls, code);
  };

  const samples = (run) => {
    const rows = (run.samples || []).flatMap(([warps, ...all]) => all.map((series) => {
      const values = unfold(series).filter(isNumber), sorted = [...values].sort((a, b) => a - b);
      const same = sorted[0] === sorted[sorted.length - 1];
      return [String(warps), String(series[0]), digits(sorted[sorted.length >> 1], 7), same ? `${values.length} \u00d7 the same` : values.map((v) => digits(v, 7)).join(" ")];
    }));
    return rows.length ? table(["warps", "copies", "median", "cycles of the window, a launch each"], rows) : null;
  };

  const windows = (row, texts) => (row.runs || []).map((run) => {
    const verdict = run.verdict || "verified", good = verdict === "verified";
    const node = el("details", "run", el("summary", "", el("code", "", run.measure), el("span", `badge ${good ? "measured" : "rejected"}`, verdict),
      run.trick ? el("span", "tag", run.trick) : null, isNumber(run.encoded) ? el("i", "", `encoded ${digits(run.encoded, 5)}`) : null));
    node.addEventListener("toggle", () => {
      if (!node.open || node.children.length > 1) return;
      const opcodes = [];
      for (let i = 0; i + 1 < run.opcodes.length; i += 2) opcodes.push(el("li", "", run.opcodes[i], el("i", "", `\u00d7${run.opcodes[i + 1]}`)));
      node.append(run.text !== undefined ? el("p", "reason", texts[run.text]) : "", run.note !== undefined ? el("p", "note", texts[run.note]) : "", run.sass ? sass(run, texts) : "", el("ul", "ops", opcodes),
        samples(run) || "", run.hash ? el("p", "hash", run.hash) : "");
    });
    return node;
  });

  const conditions = (row, texts) => {
    const list = Object.entries(row.counters || {}).map(([name, value]) => [name, digits(value, 10)]);
    if (row.counters_missing !== undefined) list.push(["no counters", texts[row.counters_missing]]);
    const [sm, memory, watts, celsius, ...throttle] = row.clock || [];
    for (const [name, value, unit] of [["SM clock", sm, "MHz"], ["memory clock", memory, "MHz"], ["power", watts, "W"], ["temperature", celsius, "\u00b0C"]]) {
      if (value) list.push([name, `${digits(value, 6)} ${unit}`]);
    }
    if (throttle.length) list.push(["throttle", el("span", "warn", throttle.join(", "))]);
    return list.length ? part("Counters and conditions", "", pairs(list)) : null;
  };

  return (row, texts) => {
    const [stage, code, text] = row.reason || [], outcome = row.outcome || "measured", measured = outcome === "measured";
    const runs = windows(row, texts);
    return [
      measured ? null : el("p", `reason ${outcome}`, el("b", "", `${outcome} at ${stage}: ${code}`), " ", text),
      (row.findings || []).length ? el("ul", "found", row.findings.map((each) => el("li", "", each))) : null,
      (row.became || []).length || (row.pipes || []).length ? pairs([["becomes", el("code", "", counted(row.became))],
        ...(row.pipes || []).length ? [["pipe", row.pipes.join(", ")]] : [], ...(row.labels || []).map((label) => ["note", label])]) : null,
      measured ? latencies(row) : null, measured ? throughput(row) : null,
      runs.length ? part("Timed windows", "machine code between the clock reads, with its scheduling", ...runs) : null,
      conditions(row, texts),
    ].filter(Boolean);
  };
})();
