// Rows of instructions.json (table_fields.hpp has their keys), and what list and details make of them.
// Everything foreign goes into the page as text.
const el = (tag, css, ...children) => {
  const node = document.createElement(tag);
  if (css) node.className = css;
  node.append(...children.flat().filter((child) => child !== null && child !== undefined && child !== ""));
  return node;
};
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const fixed = (value, places) => (isNumber(value) ? value.toFixed(places) : "\u2013");
const digits = (value, count) => (isNumber(value) ? String(Number(value.toPrecision(count))) : "\u2013");
// From columns_of() in C++.
const rowsOf = (columns, count) => {
  const rows = Array.from({ length: count }, () => ({}));
  for (const [name, column] of Object.entries(columns)) {
    if (Array.isArray(column)) { column.forEach((value, i) => { if (value !== null) rows[i][name] = value; }); continue; }
    const inner = rowsOf(column.of, column.counts.reduce((sum, each) => sum + each, 0));
    let at = 0;
    column.counts.forEach((each, i) => { if (each !== null) rows[i][name] = column.one ? inner[at++] : inner.slice(at, at += each); });
  }
  return rows;
};
