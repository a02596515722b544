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
