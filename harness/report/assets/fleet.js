// The page of a fleet: a sheet whose sections may also have a square for each GPU (`map`: [class, title]) and the
// deviation of rows from their medians (`spread`), as shares.
pages.fleet = (records, sheet) => {
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
