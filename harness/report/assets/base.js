// What all pages share: elements, numbers, and the data that a page carries. Foreign text becomes text nodes and
// attributes, never markup.
/// By kind of page: (records, extras) => what a link to a part of the page does.
const pages = {};
const svgSpace = "http://www.w3.org/2000/svg";

/// `about` is a class, or attributes; "onclick" and the like are listeners. Children that are null or "" are left out.
const make = (node, about, children) => {
  if (typeof about === "string") {
    if (about) node.setAttribute("class", about);
  } else {
    for (const [name, value] of Object.entries(about ?? {})) {
      if (typeof value === "function") node.addEventListener(name.slice(2), value);
      else if (value !== undefined && value !== null && value !== false) node.setAttribute(name, value === true ? "" : value);
    }
  }
  const none = (child) => child === null || child === undefined || child === false || child === "";
  node.append(...children.flat(9).filter((child) => !none(child)));
  return node;
};
const el = (tag, about, ...children) => make(document.createElement(tag), about, children);
const shape = (tag, about, ...children) => make(document.createElementNS(svgSpace, tag), about, children);
const byId = (id) => document.getElementById(id);
const link = (id, text, css) => el("a", { href: "#" + encodeURIComponent(id), class: css, title: text === id ? null : id }, text);

const groupBy = (list, key) => {
  const groups = new Map();
  for (const each of list) {
    const name = key(each);
    if (!groups.has(name)) groups.set(name, []);
    groups.get(name).push(each);
  }
  return groups;
};
const unique = (list) => [...new Set(list)];

/// What columns_of() in C++ made of an array of objects.
const rowsOf = (columns, count) => {
  const rows = Array.from({ length: count }, () => ({}));
  for (const [name, column] of Object.entries(columns)) {
    if (Array.isArray(column)) {
      column.forEach((value, i) => { if (value !== null) rows[i][name] = value; });
      continue;
    }
    const inner = rowsOf(column.of, column.counts.reduce((sum, each) => sum + each, 0));
    let at = 0;
    column.counts.forEach((each, i) => {
      if (each !== null) rows[i][name] = column.one ? inner[at++] : inner.slice(at, at += each);
    });
  }
  return rows;
};

/// The data of a page (render_page() in C++): JSON, packed; arrays of objects are columns. Null if it has none.
const carried = async (node) => {
  if (!node) return null;
  const text = await inflate(node);
  // What reorders the text around it is shown as what it is: damage.
  const data = JSON.parse(text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd"));
  for (const [name, value] of Object.entries(data)) {
    if (value?.counts && value.of) data[name] = rowsOf({ all: value }, 1)[0].all ?? [];
  }
  return data;
};

/// Of a row: an estimate, and its value.
const estimate = (row, name) => row.estimates?.find((each) => each.name === name);
const numberOf = (row, name) => estimate(row, name)?.value;
const isNumber = (value) => typeof value === "number" && Number.isFinite(value);
const dash = "\u2013";
/// Fixed point with a true minus sign.
const fixed = (value, places) => {
  if (!isNumber(value)) return dash;
  const text = Math.abs(value) >= 1e15 ? Math.abs(value).toExponential(3) : Math.abs(value).toFixed(places);
  return value < 0 && /[1-9]/.test(text) ? "\u2212" + text : text;
};
/// A share as "+3.4 %", "\u22120.5 %"; nothing has no sign.
const signedPercent = (share) => { const text = fixed(100 * share, 1); return `${share > 0 && text !== "0.0" ? "+" : ""}${text} %`; };
const digits = (value, count) => (isNumber(value) ? String(Number(value.toPrecision(count))).replace("-", "\u2212") : dash);
/// The decimals of a column of such values.
const decimals = (values) => {
  const finite = values.filter(isNumber), largest = Math.max(0, ...finite.map(Math.abs));
  if (finite.every(Number.isInteger) || largest >= 1e5) return 0;
  return largest >= 1000 ? 1 : largest >= 10 ? 2 : 3;
};
const human = (bytes) => {
  const units = ["B", "KiB", "MiB", "GiB", "TiB"];
  let at = 0;
  for (; bytes >= 1024 && at + 1 < units.length; ++at) bytes /= 1024;
  return `${Number(bytes.toPrecision(4))} ${units[at]}`;
};
const unitText = (unit) => (!unit || unit === "1" ? "" : unit.startsWith("1/") ? unit.slice(1) : unit);
const middle = (values) => {
  const sorted = values.filter(isNumber).sort((a, b) => a - b), half = sorted.length >> 1;
  return sorted.length ? (sorted.length % 2 ? sorted[half] : (sorted[half - 1] + sorted[half]) / 2) : NaN;
};

const copyText = async (text) => {
  try {
    await navigator.clipboard.writeText(text);
  } catch {
    const box = el("textarea", "copied", text);
    document.body.append(box);
    box.select();
    document.execCommand("copy");
    box.remove();
  }
};
const copyButton = (label, text) => {
  const button = el("button", { type: "button", class: "copy", onclick: async () => {
    await copyText(text());
    button.textContent = "copied";
    setTimeout(() => { button.textContent = label; }, 1500);
  } }, label);
  return button;
};
/// RFC 4180.
const csvText = (rows) => rows.map((cells) => cells.map((cell) => (/[",\r\n]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : String(cell))).join(",")).join("\r\n") + "\r\n";
const download = (name, text) => {
  const url = URL.createObjectURL(new Blob([text], { type: "text/csv" })), anchor = el("a", { href: url, download: name });
  anchor.click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
};

/// Calls `fill` when the node comes near the window, or is to be printed.
const whenNear = (() => {
  const waiting = new Map();
  const run = (node) => { const fill = waiting.get(node); waiting.delete(node); fill?.(); };
  const watch = new IntersectionObserver((entries) => {
    for (const each of entries) if (each.isIntersecting) { watch.unobserve(each.target); run(each.target); }
  }, { rootMargin: "900px 0px" });
  addEventListener("beforeprint", () => [...waiting.keys()].forEach(run));
  return (node, fill) => { waiting.set(node, fill); watch.observe(node); };
})();

/// A closed part of the page that is filled when it is opened; `part.fill()` fills it without.
const folded = (css, summary, fill) => {
  let filled = false;
  const part = el("details", { class: css, ontoggle: () => { if (part.open) part.fill(); } }, el("summary", "", summary));
  part.fill = () => { if (!filled) { filled = true; part.append(...[fill()].flat(9).filter(Boolean)); } };
  return part;
};
const pairs = (list) => el("dl", "pairs", list.filter(([, value]) => value !== "" && value !== undefined && value !== null)
  .map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value))));
/// A small table of text; heads that begin with # are those of numbers.
const plainTable = (label, heads, rows, css = "plain") => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": label },
  el("table", css, el("thead", "", el("tr", "", heads.map((head) => el("th", { scope: "col", class: head[0] === "#" ? "n" : null }, head.replace(/^#/, ""))))),
    el("tbody", "", rows.map((cells) => el("tr", "", cells.map((cell, i) => el("td", heads[i]?.[0] === "#" ? "n" : "", cell)))))));
