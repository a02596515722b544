// The page of `predict --page`: what limits a kernel in a sentence, as bars, and as rows of a timeline: warps of
// sub-partition 0 over cycles, and below its pipes and what goes to L2 or DRAM (prediction_words() in C++).
/// What limits a kernel, and the rest of the sentence: ["pipe fma", " limits it: busy for 94 % of the cycles. Next: issue, 61 %."]
const limiterSentence = ({ bounds = [], limiter, wait }) => {
  const alone = "one warp alone", own = bounds.find(({ name }) => name === limiter), next = bounds.find(({ name }) => name !== limiter && name !== alone);
  const percent = (share) => `${(100 * share).toFixed(0)} %`, other = next ? `${next.name}, ${percent(next.share)}` : "";
  if (!own) return null;
  if (limiter !== alone) return [limiter, ` limits it: busy for ${percent(own.share)} of the cycles.${other ? ` Next: ${other}.` : ""}`];
  const waits = wait ? ` The longest waits are before ${wait.at} ${wait.opcode}: ${wait.cycles.toFixed(0)} cycles, ${wait.why}.` : "";
  return ["The latencies of one warp", ` limit it: ${other ? `the busiest resource is ${other}.` : "no resource is busy."}${waits}`];
};
pages.predict = (records, extra) => {
  const most = 1500, tall = 14, wide = 170, head = 22, nav = byId("sections");
  const timeline = (kernel) => {
    const all = (kernel.timeline ?? []).filter((each) => each.warp % extra.sub_partitions === 0), first = all[0]?.cycle ?? 0, issues = all.filter((each) => each.cycle < first + most);
    if (!issues.length) return null;
    const last = issues.at(-1).cycle, scale = last - first <= 270 ? 4 : 2, pipes = unique(issues.map((each) => each.pipe).filter(Boolean)), waits = [], rows = [];
    const colour = (pipe) => (pipes.includes(pipe) ? `p${pipes.indexOf(pipe) % 8}` : "none"), wait = (why) => `w${extra.waits.indexOf(why)}`;
    const title = (each) => `cycle ${each.cycle}: ${each.at} ${each.instruction}, waited for: ${each.why}`;
    const bar = (from, cycles, css, inset, each) => shape("rect", { class: css, x: (from - first) * scale, y: inset, width: Math.max(1, cycles * scale - (scale > 2 ? 1 : 0.4)), height: tall - 2 * inset }, shape("title", {}, title(each)));
    const share = (name) => { const found = kernel.bounds?.find((bound) => bound.name === name); return found ? ` ${(100 * found.share).toFixed(0)} %` : ""; };
    for (const [warp, own] of [...groupBy(issues, (each) => each.warp)].sort((a, b) => a[0] - b[0])) {
      let before;
      const marks = own.flatMap((each) => {
        const out = [];
        if (before !== undefined && each.cycle > before + 1) { out.push(bar(before + 1, each.cycle - before - 1, wait(each.why), 4, each)); if (!waits.includes(each.why)) waits.push(each.why); }
        out.push(bar(each.cycle, 1, colour(each.pipe), 1, each));
        before = each.cycle;
        return out;
      });
      rows.push({ name: `warp ${warp}`, marks });
    }
    const warps = rows.length;
    rows.push({ name: `issue slot${share("issue")}`, limiter: kernel.limiter === "issue", marks: issues.map((each) => bar(each.cycle, 1, "slot", 1, each)) });
    for (const pipe of pipes) {
      const unit = kernel.limiter === `unit ${pipe}`;
      rows.push({ name: `pipe ${pipe}${share(`pipe ${pipe}`)}${unit ? `, unit${share(kernel.limiter)}` : ""}`, limiter: unit || kernel.limiter === `pipe ${pipe}`, marks: issues.filter((each) => each.pipe === pipe).map((each) => bar(each.cycle, Math.max(1, each.busy), colour(pipe), 1, each)) });
    }
    for (const path of unique(issues.flatMap((each) => each.paths ?? [])).sort()) rows.push({ name: `accesses to ${path}${share(path)}`, limiter: kernel.limiter === path, marks: issues.filter((each) => each.paths?.includes(path)).map((each) => bar(each.cycle, 1, colour(each.pipe), 1, each)) });
    const height = head + rows.length * tall + 6, width = (last - first + 20) * scale;
    const names = shape("svg", { width: wide, height, role: "img", "aria-label": "names of the rows" }), marks = shape("svg", { width, height, role: "img", "aria-label": "issues of warps over cycles" });
    for (let cycle = Math.ceil(first / 50) * 50; cycle <= last; cycle += 50) marks.append(shape("path", { class: "gr", d: `M${(cycle - first) * scale} ${head - 4}V${height}` }), shape("text", { x: (cycle - first) * scale + 2, y: 14 }, `${cycle}${cycle - first < 50 ? " cycles" : ""}`));
    rows.forEach((row, i) => {
      const y = head + i * tall + (i < warps ? 0 : 6);
      if (row.limiter) { marks.append(shape("rect", { class: "limiter", x: 0, y, width, height: tall })); names.append(shape("rect", { class: "limiter", x: 0, y, width: wide, height: tall })); }
      names.append(shape("text", { class: row.limiter ? "limiter" : null, x: 4, y: y + tall - 3 }, row.name));
      marks.append(shape("g", { transform: `translate(0 ${y})` }, row.marks));
    });
    const key = (css, text) => el("span", `key ${css}`, text);
    return [el("h3", "", "Warps of sub-partition 0 over cycles; below, its pipes and what goes to L2 or DRAM"), el("p", "timeline-key", el("b", "", "issue on"), " ", pipes.map((pipe) => [key(colour(pipe), `pipe ${pipe}`), " "]), key("none", "no pipe"), waits.length ? [" ", el("b", "", "wait for"), " ", waits.map((why) => [key(wait(why), why), " "])] : null),
      el("div", "timeline", names, el("div", { tabindex: 0, role: "region", "aria-label": "timeline" }, marks))];
  };
  const bounds = (kernel) => (kernel.bounds?.length ? [el("h3", "", "Share of the cycles that each would take alone"), el("div", "bounds", kernel.bounds.slice(0, 8).map(({ name, share }) => { const limits = name === kernel.limiter;
    return el("div", limits ? "limiter" : "", el("span", "", name), shape("svg", { viewBox: "0 0 100 10", preserveAspectRatio: "none", "aria-hidden": "true" }, shape("rect", { width: Math.min(100, Math.max(0, 100 * share)), height: 10 })), el("i", "", `${(100 * share).toFixed(0)} %${limits ? ", the limiter" : ""}`)); }))] : null);
  extra.kernels.forEach((kernel, k) => {
    nav.append(el("ul", "", el("li", "", el("a", { href: `#k${k}` }, kernel.name))));
    byId("main").append(el("section", { id: `k${k}` }, el("h2", "", kernel.name), limiterSentence(kernel) ? el("p", "verdict", el("b", "", limiterSentence(kernel)[0]), limiterSentence(kernel)[1]) : null, bounds(kernel), timeline(kernel), el("h3", "", "In words"), el("pre", { tabindex: 0 }, kernel.text)));
  });
  return (id) => byId(id)?.scrollIntoView();
};
