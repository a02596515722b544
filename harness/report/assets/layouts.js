// What a probe found beside its rows: features of curves, the value of each place (an SM), and where the elements of a
// matrix are.

const gigabytesText = (rate, sms, clock) => {
  const each = rate * sms / 1e3;
  return `${clockedText(each, clock, each * clock.mhz < 1000 ? 1 : 0)} GB/s`;
};

/// The cells of a feature. `shown`: the parameters that tell curves apart; `clock` of the rows that it is found in.
const featureCells = (feature, shown, sms, clock) => {
  const place = (value) => (value >= 1024 && value < 1e18 ? `${human(value)} (${fixed(value, 0)})` : digits(value, 4));
  // The digits after the point were measured, so they are shown even for an integer.
  const number = (value) => (["", "B"].includes(feature.unit ?? "") ? place(value) : `${fixed(value, decimals([value + 0.001]))} ${feature.unit}`);
  const { confidence = 0, from = 0, to = 0 } = feature;
  const sure = confidence >= 0.9995 ? "over 99.9 % sure" : confidence > 0 ? `${fixed(100 * confidence, 1)} % sure`
    : to > 0 ? `${place(from)} to ${place(to)}, residual ${fixed(100 * (feature.residual ?? 0), 2)} %` : "";
  const curve = shown.filter((name) => feature.parameters?.[name] !== undefined).map((name) => `${name}=${feature.parameters[name]}`).join(",");
  const all = clock && sms ? ` (${gigabytesText(feature.value, sms, clock)})` : "";
  return [curve, feature.name, number(feature.value) + all, `${number(feature.low)} to ${number(feature.high)}`, sure, feature.where || dash, feature.note ?? ""];
};

/// Which places have the same value, in the order of their first.
const placeGroups = (places) => [...groupBy(places.map((value, place) => ({ value, place })).filter(({ value }) => value > 0), ({ value }) => value).values()].map((group) => group.map(({ place }) => place));
/// A square for the value of each place in each row; {order, low, high} of the places is from C++.
const placesMap = (probe, rows, { order, low, high }) => {
  const shades = 9, cell = 6, tall = 12, left = 74, top = 34, unit = rows[0]?.measures?.[0]?.unit ?? "", below = top + tall * rows.length, width = left + cell * order.length + 12;
  const svg = shape("svg", { class: "chart places", viewBox: `0 0 ${width} ${below + 30}`, role: "img", "aria-label": `${probe.name} by place: ${digits(low, 4)} to ${digits(high, 4)} ${unit}` },
    shape("text", { class: "t", x: left, y: 14 }, `place (SM), by its side and mean: ${order.length} places, ${digits(low, 4)} to ${digits(high, 4)} ${unit}`));
  for (let i = 0; i < order.length; i += 8) svg.append(shape("text", { class: "t", x: left + cell * (i + 0.5), y: top - 6, "text-anchor": "middle" }, order[i]));
  rows.forEach((row, r) => {
    const y = top + tall * r, paths = Array(shades).fill("");
    order.forEach((place, i) => {
      const value = row.places[place] ?? 0;
      if (value > 0) paths[high > low ? Math.min(shades - 1, Math.max(0, Math.floor((value - low) / (high - low) * shades))) : 0] += `M${left + cell * i} ${y}h${cell}v${tall}h-${cell}z`;
    });
    if (row.parameters?.[probe.along] !== undefined) svg.append(shape("text", { class: "t", x: left - 6, y: y + tall - 3, "text-anchor": "end" }, `${probe.along} ${row.parameters[probe.along]}`));
    paths.forEach((d, s) => { if (d) svg.append(shape("path", { class: `p p${s}`, d })); });
  });
  return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `places of ${probe.name}` }, svg);
};

/// Which element of a matrix each part of each owner (a lane, or 128 swizzled bytes of shared memory) holds, by element:
/// {swizzle, rows, columns, matrices, packed, owners, parts}; an owner of -1 was not found. Null if the row has none:
/// its facts are foreign, and are of a matrix of at most 4096 elements.
const matrixLayout = (probe, row) => {
  const find = (probe.finds ?? []).find(({ what }) => what === "fragment" || what === "swizzle"), most = 4096;
  if (!find || !row.places?.length) return null;
  const whole = (value, limit) => (Number.isInteger(value) && value >= 1 && value <= limit ? value : 0);
  const fact = (name, limit) => whole(row.facts?.[name], limit), swizzle = find.what === "swizzle";
  const rows = fact("rows", most), columns = fact("columns", most), packed = fact("packed", 32), one = rows * columns, found = Math.min(row.places.length, most);
  if (!one || one > most || !packed) return null;
  const matrices = Math.ceil(found / one), elements = matrices * one, holders = swizzle ? elements / 8 : 32;
  if (holders < 1 || elements % holders || elements > most) return null;
  const each = elements / holders, owners = Array(elements).fill(-1), parts = Array(elements).fill(0);
  row.places.slice(0, found).forEach((value, place) => {
    const element = whole(value, elements) - 1;
    if (element >= 0) { owners[element] = Math.floor(place / each); parts[element] = place % each; }
  });
  return { swizzle, rows, columns, matrices, packed, owners, parts };
};
/// The block of elements [height, width] that is one register everywhere; [1, 1] if there is none.
const layoutBlock = ({ rows, columns, matrices, packed, owners, parts }) => {
  const fits = ([height, width]) => {
    if (rows % height || columns % width) return false;
    for (let row = 0; row < matrices * rows; row += height) {
      for (let column = 0; column < columns; column += width) {
        const first = row * columns + column;
        if (owners[first] < 0 || parts[first] % packed) return false;
        for (let i = 0; i < packed; ++i) {
          const at = first + Math.floor(i / width) * columns + i % width;
          if (owners[at] !== owners[first] || parts[at] !== parts[first] + i) return false;
        }
      }
    }
    return true;
  };
  return [[1, packed], [packed, 1]].find(fits) ?? [1, 1];
};
const spanText = (first, count) => (count === 1 ? String(first) : `${first}${dash}${first + count - 1}`);
/// The cell of the block that begins with an element: "T17 r2"; of one of several parts "T17 r2.1"; "L5 u3" of 16 bytes.
const layoutCell = ({ swizzle, packed, owners, parts }, [height, width], i) => {
  const owner = owners[i], part = parts[i], register = Math.floor(part / packed);
  if (owner < 0) return { css: "none", title: "not found", text: dash };
  if (swizzle) return { css: `s${part % 8} k2`, title: `bytes ${spanText(owner * 128 + part * 16, 16)} of shared memory`, text: `L${owner} u${part}` };
  return { css: `s${(owner >> 2) % 8} k${owner % 4}`, title: `lane ${owner}, register ${register}, element ${spanText(part, width * height)}`,
    text: `T${owner} r${register}${packed > 1 && width * height === 1 ? `.${part % packed}` : ""}` };
};
/// The different layouts of a probe, each with the ids of the rows that found it.
const sharedLayouts = (probe, rows) => [...groupBy(rows.map((row) => ({ id: row.id, layout: matrixLayout(probe, row) })).filter(({ layout }) => layout), ({ layout }) => JSON.stringify(layout)).values()]
  .map((same) => ({ layout: same[0].layout, ids: same.map(({ id }) => id) }));
const layoutFigures = (probe, rows) => {
  const all = sharedLayouts(probe, rows), steps = (end, step) => Array.from({ length: Math.ceil(end / step) }, (_, i) => i * step);
  const table = (layout, matrix) => {
    const block = layoutBlock(layout), [height, width] = block;
    const cell = (row, column) => { const { css, title, text } = layoutCell(layout, block, (matrix * layout.rows + row) * layout.columns + column); return el("td", { class: css, title }, text); };
    return el("table", "lay", el("thead", "", el("tr", "", el("td"), steps(layout.columns, width).map((column) => el("th", { scope: "col" }, spanText(column, width))))),
      el("tbody", "", steps(layout.rows, height).map((row) => el("tr", "", el("th", { scope: "row" }, spanText(row, height)), steps(layout.columns, width).map((column) => cell(row, column))))));
  };
  return all.length ? [el("p", "note", all[0].layout.swizzle ? "Rows and columns are of the box, a column 16 bytes. L5 u3: in shared memory they are the 16 bytes number 3 of the 128 bytes number 5. Equal u are the same banks, and have one colour."
    : "Rows and columns are of the matrix. T17 r2: register 2 of lane 17 holds these elements. Four lanes share a hue."),
  el("div", { class: "layouts scroll", tabindex: 0, role: "region", "aria-label": "layouts" }, all.map(({ layout, ids }) => el("figure", "",
    el("figcaption", "", link(ids[0], ids[0]), ids.length > 1 ? folded("", `and ${ids.length - 1} more`, () => ids.slice(1).map((id) => el("div", "", link(id, id)))) : null),
    el("div", "matrices", Array.from({ length: layout.matrices }, (_, matrix) => table(layout, matrix))))))] : null;
};
