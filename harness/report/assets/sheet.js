// A sheet: a page of text and tables (page/sheet.hpp). A cell is a text or {text, href, note, bar}.
const sheetText = (cell) => (typeof cell === "string" ? cell : cell?.text ?? "");
/// A bar from the middle: to the left if the number is too low. Its whole width is 40 % in either direction.
const errorBar = (error) => {
  const at = Math.max(-40, Math.min(40, error)) / 40 * 30, size = Math.abs(error) <= 5 ? "near" : Math.abs(error) <= 15 ? "far" : "off";
  return shape("svg", { class: "error", viewBox: "0 0 60 10", role: "img", "aria-label": `${error.toFixed(1)} %` }, shape("path", { d: "M30 0v10" }), shape("rect", { class: size, x: 30 + Math.min(at, 0), y: 2, width: Math.max(1, Math.abs(at)), height: 6 }));
};
const sheetNodes = (cell) => {
  if (typeof cell === "string" || !cell) return cell ?? "";
  const text = cell.href ? el("a", { href: cell.href }, cell.text) : cell.text;
  return [text, cell.note ? el("i", "", cell.note) : null, cell.bar === undefined ? null : errorBar(cell.bar)];
};
const sheetTable = (table) => {
  const heads = table.heads.map((head) => { const [title, unit] = head.replace(/^#/, "").split("|"); return { title, unit, number: head[0] === "#" }; });
  if (table.plain) {
    return el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": table.label }, el("table", "plain sheet", el("thead", "", el("tr", "", heads.map((head) => el("th", { scope: "col", class: head.number ? "n" : null }, head.title, head.unit ? el("span", "", ` ${head.unit}`) : null)))),
      el("tbody", "", table.rows.map((row) => el("tr", "", row.map((cell, i) => el(i ? "td" : "th", { class: heads[i].number ? "n" : null, scope: i ? null : "row" }, sheetNodes(cell))))))));
  }
  const number = (text) => { const value = parseFloat(text.replace("\u2212", "-")); return Number.isNaN(value) ? text : value; };
  const at = new Map(table.rows.map((row, i) => [row, i]));
  return tableOf({ label: table.label, name: table.label, rows: table.rows, id: (row) => `${table.label} ${at.get(row)}`, columns: heads.map((head, i) => ({ title: head.title, unit: head.unit, css: head.number ? "n" : "", text: (row) => sheetText(row[i]) + (row[i]?.note ? ` ${row[i].note}` : "") + (row[i]?.bar === undefined ? "" : " ".repeat(10)),
    nodes: (row) => sheetNodes(row[i]), raw: (row) => (row[i]?.bar !== undefined ? row[i].bar : head.number ? number(sheetText(row[i])) : sheetText(row[i])) })),
    detail: (row) => pairs(heads.map((head, i) => [head.title, sheetNodes(row[i])])), note: (row) => sheetText(row[0]) }).node;
};
/// A bar for each GPU (a column) in each row of a table of cycles.
const ladderChart = ({ label, heads, rows }) => {
  const names = heads.slice(1).map((head) => head.replace(/^#/, ""));
  const point = (row, x, gpu) => ({ x, y: parseFloat(sheetText(row[gpu + 1])), text: `${sheetText(row[0])}, ${names[gpu]}: ${sheetText(row[gpu + 1])}`, href: row[gpu + 1]?.href });
  const lines = names.map((name, gpu) => ({ name: names.length > 1 ? name : "", points: rows.map((row, x) => point(row, x, gpu)).filter(({ y }) => y > 0) }));
  return el("div", "charts ladder", chart({ title: label, bars: true, lines, x: { label: "", words: rows.map((row) => sheetText(row[0])) }, y: { label: "cycles", log: true } }));
};
const sheetSection = (section) => el("section", { id: section.id }, el("h2", "", section.title), (section.notes ?? []).map((text) => el("p", "rule", text)),
  section.list?.length ? el("ul", "listed", section.list.map((text) => el("li", "", text))) : null,
  section.facts ? el("dl", "facts", section.facts.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value)))) : null,
  (section.tables ?? []).map((table) => [sheetTable(table), section.ladder ? ladderChart(table) : null]),
  section.folded ? folded("others", section.folded.summary, () => sheetTable(section.folded.table)) : null);
pages.sheet = (records, sheet) => {
  const sections = sheet.sections, small = (section) => /^front-/.test(section.id), front = sections.filter(small).map(sheetSection);
  const drawing = typeof memoryPictures === "function" ? memoryPictures(sheet.pictures) : null, links = sections.map(({ id, title }) => [id, title]);
  if (drawing) links.splice(front.length, 0, ["memory", "The memory system"]);
  byId("main").append(...(front.length ? [el("div", "front", front)] : []), ...(drawing ? [drawing] : []), ...sections.filter((section) => !small(section)).map(sheetSection));
  byId("sections").append(el("ul", "", links.map(([id, title]) => el("li", "", el("a", { href: `#${encodeURIComponent(id)}` }, title)))));
  return (id) => byId(id)?.scrollIntoView();
};
