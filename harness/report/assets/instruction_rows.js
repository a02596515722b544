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
const rateWindow = (row) => {
  const rate = estimate(row, "throughput"), ilp = /^\d+ warps x (.*)$/.exec(rate && rate.note || "");
  if (!ilp || row.outcome !== "measured") return "";
  if (row.forms.length) return "composed";
  const run = row.experiments.find((each) => each.name === `throughput.ilp${ilp[1]}` && each.verdict === "verified");
  return run ? run.safeguard : "";
};
// What a row leaves out is put back.
const decode = (row) => {
  for (const key of ["section", "types"]) row[key] = row[key] ?? "";
  for (const key of ["forms", "labels", "pipes", "expansion", "estimates", "disagreements", "curve", "experiments"]) row[key] = row[key] ?? [];
  const { stage, code, text } = row.reason ?? {};
  row.reason = row.reason ? [stage, code, text ?? ""] : [];
  row.estimates = row.estimates.map((each) => ({ note: "", ...each }));
  row.experiments = row.experiments.map((run) => ({ safeguard: "", via: [], opcodes: [], sass: [], samples: [], ...run }));
  row.window = rateWindow(row);
};
