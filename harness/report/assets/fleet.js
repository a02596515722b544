// The sheet of a fleet: `fleet` is what `warpclock fleet --json` prints. Its sections may also have a square for each GPU
// (`map`: [class, title]) and the deviation of rows from their medians (`spread`), as shares. Only what is the same on
// each GPU of several is compared.
const fleetSheet = ({ fleet }) => {
  const withUnit = (value, unit) => digits(value, 5) + (unit && unit !== "1" ? ` ${unit}` : ""), signed = (value, text) => (value < 0 ? "-" : "+") + text(Math.abs(value)), deviation = (share) => signed(share, (size) => `${digits(100 * size, 3)} %`), sigmas = (z) => signed(z, (size) => size.toFixed(1));
  const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`, name = (row) => `${row.id} ${row.estimate}`, all = fleet.gpus, of = (label) => all.find((gpu) => gpu.label === label);
  const far = (row) => Math.max(row.max - row.median, row.median - row.min) / Math.abs(row.median), bad = (gpu) => gpu.outliers > 0 || gpu.not_measured.length > 0;
  const square = (gpu) => [bad(gpu) ? "bad" : gpu.conditions ? "warned" : "good", [gpu.label, gpu.outliers ? count(gpu.outliers, "outlier") : "", gpu.not_measured.length ? `${count(gpu.not_measured.length, "row")} not measured` : "", gpu.conditions].filter(Boolean).join(", ")];
  const table = (label, heads, rows) => (rows.length ? [{ label, heads, rows }] : []);
  const owners = (values) => { const all = Object.entries(values); return all.length > 2 && all.every(([, gpus]) => gpus.length === 1) ? `${all.length} different` : all.map(([value, gpus]) => `${value || "not known"} (${gpus.length})`).join(", "); };
  const sections = fleet.models.map(({ model, said, rows: measured }, index) => {
    const gpus = all.filter((gpu) => gpu.model === model), outliers = fleet.outliers.filter((one) => of(one.gpu).model === model), mine = (row) => outliers.filter((one) => name(one) === name(row));
    const rows = measured.filter((row) => row.gpus > 1 && row.median !== 0 && !row.varies), spread = rows.sort((a, b) => (b.outliers > 0) - (a.outliers > 0) || far(b) - far(a));
    return { id: `model-${index}`, title: model, notes: [said], map: gpus.map(square),
      spread: spread.slice(0, 40).map((row) => { const size = Math.abs(row.median); return { name: name(row), low: (row.min - row.median) / size, high: (row.max - row.median) / size, sigma: row.sigma / size, limit: (row.threshold ?? 0) / size, dots: mine(row).map((one) => [one.deviation, `${one.gpu} ${deviation(one.deviation)}`]) }; }),
      tables: [...table("outliers", ["GPU", "row", "#value", "#median", "#deviation", "#sigmas", "clock and memory errors"], outliers.map((one) => [one.gpu, name(one), withUnit(one.value, one.unit), withUnit(one.median, one.unit), deviation(one.deviation), isNumber(one.z) ? sigmas(one.z) : "all others equal", of(one.gpu).conditions])),
        ...table("what differs in what the records say", ["fact", "values and on how many GPUs"], fleet.board_facts.filter((one) => one.model === model).map((one) => [one.fact, owners(one.values)])),
        ...table("where the boards differ, by probe", ["probe", "#rows", "#differ", "differs most", "#least", "of", "#most", "of", "goes with"], fleet.board_topics.filter((one) => one.model === model).map((one) => [one.probe, String(one.rows), String(one.differing), name(one), withUnit(one.low, one.unit), one.lowest, withUnit(one.high, one.unit), one.highest, (one.goes_with ?? []).join(", ")])),
        ...table("distribution of each row", ["row", "#median", "#sigma", "#least", "#most", "#finds", "#outliers"], spread.map((row) => [name(row), withUnit(row.median, row.unit), `${digits(100 * row.sigma / Math.abs(row.median), 2)} %`, digits(row.min, 5), digits(row.max, 5), row.not_judged || `${digits(100 * row.detects, 2)} %`, String(row.outliers ?? 0)])),
        ...table("the GPUs", ["GPU", "serial", "PCI", "driver", "VBIOS", "#SM MHz", "#most W", "#most \u00b0C", "throttling", "ECC", "memory errors", "#rows", "#outliers", "#not measured"], [...gpus].sort((a, b) => b.outliers + b.not_measured.length - a.outliers - a.not_measured.length).map((gpu) => [gpu.label, gpu.serial, gpu.pci, gpu.driver, gpu.vbios, digits(gpu.sm_mhz, 4), digits(gpu.power_w, 3), digits(gpu.temperature_c, 3), gpu.throttling, gpu.ecc, gpu.errors, String(gpu.rows), String(gpu.outliers), String(gpu.not_measured.length)]))] };
  });
  const add = (id, title, heads, rows, none) => { if (rows.length || none) sections.push({ id, title, notes: rows.length ? [] : [none], tables: table(title, heads, rows) }); };
  add("failures", "GPUs without a record", ["file", "why"], fleet.failures.map((one) => [one.path, one.text]));
  if (fleet.gate) add("baseline", "Differences from the baseline", ["GPU", "row", "#value", "#baseline", "#allowed distance"], fleet.gate.failures.map((one) => [one.gpu, name(one), one.why ?? withUnit(one.value, one.unit), ...(one.why ? ["", ""] : [withUnit(one.baseline, one.unit), withUnit(one.allowed, one.unit)])]), `None in ${count(fleet.gate.compared, "comparison")}.`);
  add("nodes", "Nodes", ["node", "#GPUs", "row", "#median of its GPUs", "#median", "#deviation"], fleet.nodes.map((one) => [one.host, String(one.gpus), name(one), withUnit(one.value, one.unit), withUnit(one.median, one.unit), deviation(one.deviation)]));
  add("parts", "Parts of GPUs", ["GPU", "part", "probe", "#value", "#median of the others", "#sigmas"], fleet.parts.map((one) => [one.gpu, `${one.part} ${one.index}`, one.probe, digits(one.value, 5), digits(one.median, 5), sigmas(one.z)]));
  return { sections };
};
pages.fleet = (records, extra) => {
  const sheet = fleetSheet(extra);
  const reveal = pages.sheet(records, sheet);
  const map = (squares) => {
    const small = squares.length <= 2000, size = small ? 16 : 7, step = size + 2, columns = small ? 56 : 130, rows = Math.ceil(squares.length / columns);
    const svg = shape("svg", { class: "fleet-map", width: Math.min(columns, squares.length) * step, height: rows * step, role: "img", "aria-label": "a square for each GPU" }), paths = new Map();
    squares.forEach(([css, title], i) => {
      const x = i % columns * step, y = Math.floor(i / columns) * step;
      if (small || css !== "good") svg.append(shape("rect", { class: css, x, y, width: size, height: size }, shape("title", {}, title)));
      else paths.set(css, `${paths.get(css) ?? ""}M${x} ${y}h${size}v${size}h-${size}z`);
    });
    for (const [css, d] of paths) svg.append(shape("path", { class: css, d }));
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "map of the GPUs" }, svg);
  };
  const spread = (rows) => {
    const names = 430, plot = 560, head = 24, tall = 16, reaches = rows.map((row) => Math.max(row.high, -row.low)).sort((a, b) => a - b);
    // A row far from all others must not make them a point.
    const reach = Math.max(1.1 * reaches[Math.floor(reaches.length * 9 / 10)], 0.002), at = (share) => names + plot / 2 * (1 + Math.max(-1, Math.min(1, share / reach))), height = head + rows.length * tall;
    const svg = shape("svg", { class: "fleet-rows", width: names + plot + 30, height: height + 6, role: "img", "aria-label": "deviation of each row from its median" });
    const bar = (css, from, to, y, size) => shape("rect", { class: css, x: at(from), y, width: Math.max(1, at(to) - at(from)), height: size });
    for (const tick of [-1, -0.5, 0, 0.5, 1]) svg.append(shape("path", { class: "gr", d: `M${at(tick * reach)} ${head}V${height}` }), shape("text", { x: at(tick * reach), y: 14, "text-anchor": "middle" }, `${digits(100 * tick * reach, 2)} %`));
    rows.forEach((row, i) => {
      const top = head + i * tall, middle = top + tall / 2, name = row.name.length > 66 ? `${row.name.slice(0, 65)}\u2026` : row.name;
      svg.append(shape("text", { x: names - 8, y: top + tall - 4, "text-anchor": "end" }, name, shape("title", {}, row.name)), bar("range", row.low, row.high, middle - 0.5, 1), bar("sigmas", -3 * row.sigma, 3 * row.sigma, middle - 3, 6));
      if (row.limit > 0) svg.append(bar("limit", -row.limit, -row.limit, middle - 6, 12), bar("limit", row.limit, row.limit, middle - 6, 12));
      for (const [share, title] of row.dots ?? []) svg.append(shape("circle", { cx: at(share), cy: middle, r: 4 }, shape("title", {}, title)));
    });
    return [el("h3", "", "Rows that differ most between the GPUs"), el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": "deviations" }, svg)];
  };
  for (const section of sheet.sections) {
    const node = byId(section.id), before = node.querySelector(".view, .scroll, details");
    for (const each of [section.map ? map(section.map) : null, section.spread?.length ? spread(section.spread) : null].flat().filter(Boolean)) node.insertBefore(each, before);
  }
  return reveal;
};
