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

// In what window the throughput was measured; rate_window() in C++.
const rateWindow = (row, table) => {
  const rate = estimate(row, "throughput"), ilp = /^\d+ warps x (.*)$/.exec(rate && rate.note || "");
  if (!ilp || row.outcome !== "measured") return "";
  for (const [ask] of row.runs) {
    const [measure, verdict, trick] = table.asks[ask];
    if (measure !== `throughput.ilp${ilp[1]}` || verdict !== "verified") continue;
    if (trick === "gathered") return "mixed with LOP3";
    return trick.startsWith("refreshed") ? `operands ${trick}` : trick.replace(/^woven /, "mixed with ");
  }
  return "";
};
const mixed = (row) => row.window.startsWith("mixed ");
// What a row leaves out is put back, and indexes become what they mean, but for what only the details need.
const decode = (row, table) => {
  const text = (index) => (index === undefined ? "" : table.texts[index]), list = (index) => (index === undefined ? [] : table.lists[index]);
  const pairs = (mix) => mix.flatMap((each, i) => (i % 2 ? [] : [[table.opcodes[each], mix[i + 1]]]));
  const [family, ...name] = row.id.split("/");
  row.family = row.family ?? family;
  if (row.ptx.startsWith(" ")) row.ptx = name.join("/") + row.ptx;
  row.outcome = row.outcome ?? "measured";
  row.section = text(row.section);
  row.types = text(row.types);
  row.reason = list(row.reason);
  row.labels = list(row.labels);
  row.pipes = list(row.pipes);
  row.became = row.became === undefined ? [] : pairs(table.mixes[row.became]).flatMap(([opcode, count]) => Array(count).fill(opcode));
  row.estimates = (row.estimates || []).map(([kind, value, low = value, high = value, note]) => {
    const [name, unit, method, n] = table.kinds[kind];
    return { name, value, low, high, unit, method, n, note: text(note) };
  });
  row.runs = row.runs || [];
  row.window = rateWindow(row, table);
};
