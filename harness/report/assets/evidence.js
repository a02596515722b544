// The evidence of a row: machine code with its scheduling, PTX, samples, clock.

/// The SM clock around rows, in MHz: {mhz, low, high}; null if it is unknown.
const clockOf = (clock) => (clock?.sm_mhz ? { mhz: clock.sm_mhz, low: clock.sm_low_mhz ?? clock.sm_mhz, high: clock.sm_high_mhz ?? clock.sm_mhz } : null);
/// A number of which the clock is a factor: "98.4", "98.4 (97.1 to 98.9)" if the clock moved.
const clockedText = (perMegahertz, { mhz, low, high }, places) =>
  fixed(perMegahertz * mhz, places) + (low === high ? "" : ` (${fixed(perMegahertz * low, places)} to ${fixed(perMegahertz * high, places)})`);
const clockText = ({ mhz, low, high }) => (low === high ? fixed(mhz, 0) : `${fixed(low, 0)} to ${fixed(high, 0)}`);

/// Blocks that cover the lines in order: a body of at most 64 lines that occurs several times in a row is one block.
const repeats = (lines) => {
  const blocks = [];
  for (let first = 0; first < lines.length;) {
    let best = { first, length: 1, count: 1 };
    for (let length = 1; length <= 64 && first + 2 * length <= lines.length; ++length) {
      let count = 1;
      const same = (at) => { for (let i = 0; i < length; ++i) if (lines[first + i] !== lines[at + i]) return false; return true; };
      while (first + (count + 1) * length <= lines.length && same(first + count * length)) ++count;
      if (count > 1 && count * length > best.count * best.length) best = { first, length, count };
    }
    blocks.push(best);
    first += best.length * best.count;
  }
  return blocks;
};
/// Calls `write(line, after)` for each line of the text with each body once; `before` is what precedes a body of several.
const folds = (lines, write, before) => {
  for (const { first, length, count } of repeats(lines)) {
    if (count > 1 && length > 1) before(`\u00d7${count} these ${length} lines\n`);
    for (let i = 0; i < length; ++i) write(lines[first + i], i + 1 < length || count === 1 ? "" : length > 1 ? "\u2518" : ` \u00d7${count}`);
  }
};

/// Lines "B------:R-:W-:-:S05  CS2R R2, SR_CLOCKLO": the scheduling apart, targets marked, clock reads grey.
const sassFigure = (lines, targets) => {
  const controls = el("pre", "control"), code = el("pre", "");
  folds(lines, (line, after) => {
    const gap = /^B\S*:S\d+ {2}/.exec(line), rest = gap ? line.slice(gap[0].length) : line, opcode = /^(\s*(?:@\S+\s+)?)(\S+)/.exec(rest);
    controls.append(`${gap ? gap[0].trim() : ""}\n`);
    const clock = opcode && /^(CS2R|S2UR)/.test(opcode[2]), target = opcode && !clock && targets.has(opcode[2].replace(/;$/, ""));
    if (clock || target) code.append(opcode[1], el(clock ? "i" : "b", "", opcode[2]), rest.slice(opcode[0].length));
    else code.append(rest);
    if (after) code.append(el("em", "", after));
    code.append("\n");
  }, (text) => { controls.append("\n"); code.append(el("em", "", text)); });
  return el("div", { class: "sass", tabindex: 0 }, controls.textContent.trim() ? controls : null, code);
};
/// The opcodes that occur most often, without the clock reads.
const targetsOf = (opcodes) => {
  const own = opcodes.filter(({ opcode }) => !/^(CS2R|S2)/.test(opcode)), most = Math.max(0, ...own.map(({ count }) => count));
  return new Set(own.filter(({ count }) => count === most).map(({ opcode }) => opcode));
};
const opcodeList = (opcodes) => el("ul", "ops", opcodes.map(({ opcode, count }) => el("li", "", opcode, el("i", "", `\u00d7${count}`))));
const ptxFigure = (ptx) => {
  const text = el("pre", { tabindex: 0 });
  folds(ptx.replace(/\n$/, "").split("\n"), (line, after) => { text.append(line); if (after) text.append(el("em", "", after)); text.append("\n"); }, (before) => text.append(el("em", "", before)));
  return el("figure", "", el("figcaption", "", "PTX it came from"), text);
};
const card = (title, note, ...children) => el("section", "", el("h5", "", title, note ? el("span", "", note) : null), children);

/// A strip of the launches of each series around its median, and all values.
const samplesCard = (samples, head = (series) => [series.n], heads = ["n"]) => {
  if (!samples?.length) return null;
  const centres = samples.map((series) => middle(series.cycles));
  const reach = Math.max(1, ...samples.flatMap((series, i) => series.cycles.filter(isNumber).map((value) => Math.abs(value - centres[i]))));
  const rows = samples.map((series, i) => {
    const values = series.cycles.filter(isNumber), places = decimals(values), low = Math.min(...values), high = Math.max(...values);
    const marks = unique(values.map((value) => (60 + 56 * (value - centres[i]) / reach).toFixed(1)));
    return el("tr", "", head(series).map((each) => el("th", "", String(each))), el("td", "", fixed(centres[i], places)),
      el("td", "", low === high ? "" : `${fixed(low, places)}${dash}${fixed(high, places)}`),
      el("td", "", low === high ? `${values.length} \u00d7 the same` : shape("svg", { class: "strip", viewBox: "0 0 120 14", "aria-hidden": "true" }, shape("path", { class: "sm", d: marks.map((x) => `M${x} 3v8`).join("") }))));
  });
  const lines = () => samples.map((series) => `${heads.map((name, i) => `${name}=${head(series)[i]}`).join(" ")}: ${series.cycles.map((value) => fixed(value, decimals(series.cycles))).join(" ")}`).join("\n");
  return el("section", "samples", el("h5", "", "Samples", el("span", "", `cycles of the whole window, one a launch; strips span \u00b1${digits(reach, 4)}`)),
    el("table", "mini", el("thead", "", el("tr", "", [...heads, "median", "range", "launches"].map((each) => el("th", "", each)))), el("tbody", "", rows)),
    folded("", "raw samples", () => el("pre", "", lines())));
};
const conditionsCard = (clock, told) => {
  if (!clock?.sm_mhz) return null;
  const list = [`SM ${fixed(clock.sm_mhz, 1)} MHz${clock.sm_high_mhz ? ` (${fixed(clock.sm_low_mhz, 0)} to ${fixed(clock.sm_high_mhz, 0)})` : ""}`, clock.memory_mhz ? `memory ${fixed(clock.memory_mhz, 0)} MHz` : "",
    clock.energy_s ? `${fixed(clock.energy_j / clock.energy_s, 0)} W over ${fixed(clock.energy_s, 2)} s` : "", clock.temperature_c ? `${fixed(clock.temperature_c, 0)} \u00b0C` : ""];
  return card("Conditions", "", el("p", "conditions", list.filter(Boolean).join("; "), "; ", clock.throttle?.length ? el("span", "warn", `throttled: ${clock.throttle.join(", ")}`) : "not throttled"), told);
};
