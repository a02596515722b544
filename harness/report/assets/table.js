// The one table of all pages. Only the rows in view exist, so it may have thousands. `tableOf()` takes
//   label, name (of the file), rows, id(row),
//   columns: [{title, unit, css ("n": a number, "mono"), text(row), nodes(row), raw(row), more: [[title, raw]], choice}],
//   why(row): what a row says in place of its cells behind `lead`, or nothing; lead: how many cells it keeps,
//   detail(row): nodes, what a row opens to; tall: as high as the window; find(query): rows that a search finds, best first
// and gives {node, reveal(id), apply(query)}. text() is what is shown, raw() what is sorted and written as CSV.
const tableOf = ({ label, name, rows: all, id, columns, why = () => null, lead = 1, detail, tall, find, mark, note, asked }) => {
  const rowHeight = 28, few = 9, most = 40;
  const state = { sort: null, down: false, at: -1, open: null, words: "", choices: new Map() };
  let rows = all, first = -1;
  const raw = (column, row) => (column.raw ? column.raw(row) : column.text(row));
  const gone = (value) => value === undefined || value === null || value === "" || Number.isNaN(value) || value === dash;
  const texts = new Map();
  const words = (row) => {
    if (!texts.has(row)) texts.set(row, `${id(row)} ${columns.map((column) => column.text(row)).join(" ")} ${why(row) ?? ""}`.toLowerCase());
    return texts.get(row);
  };

  const shown = el("output", { "aria-live": "polite" }), head = el("tr"), body = el("tbody"), above = el("tr", { "aria-hidden": "true" }), below = el("tr", { "aria-hidden": "true" });
  const longest = (column) => all.reduce((length, row) => Math.max(length, why(row) ? 0 : column.text(row).length), 0);
  const heads = columns.map((column, i) => {
    const button = el("button", { type: "button", onclick: () => sortBy(i) }, column.title, column.unit ? el("span", "", column.unit) : null);
    return el("th", { scope: "col", class: column.css, "aria-sort": "none" }, button);
  });
  head.append(...heads, el("td"));
  const widths = columns.map((column) => {
    const wide = Math.min(most, Math.max(longest(column), column.title.length + (column.unit ? column.unit.length + 1 : 0)));
    const col = el("col");
    col.style.width = `${(column.css?.includes("mono") ? wide * 1.12 : wide) + 2.6}ch`;
    return col;
  });
  const table = el("table", { class: "grid", role: "grid", tabindex: 0, "aria-label": label, "aria-rowcount": all.length + 1 },
    el("colgroup", "", widths, el("col")), el("thead", "", head), body);
  const list = el("div", `list${tall ? " tall" : ""}`, table);
  const pane = el("aside", { class: "detail", hidden: true, "aria-label": "one row" });
  const serial = tableOf.tables = (tableOf.tables ?? 0) + 1;

  const line = (row, index) => {
    const reason = why(row), cell = (column, i) => el(i ? "td" : "th", { class: column.css, scope: i ? null : "row", title: i ? null : id(row) }, column.nodes ? column.nodes(row) : column.text(row));
    const cells = reason === null || reason === undefined ? [...columns.map(cell), el("td")]
      : [...columns.slice(0, lead).map(cell), el("td", { class: "why", colspan: columns.length - lead + 1, title: reason }, reason)];
    return el("tr", { id: `t${serial}-${index}`, "aria-rowindex": index + 2, "data-at": index, class: `${index === state.at ? "here " : ""}${row === state.open ? "open " : ""}${mark?.(row) ?? ""}`,
      "aria-selected": index === state.at ? "true" : null }, cells);
  };
  const draw = (again) => {
    const from = Math.max(0, Math.floor(list.scrollTop / rowHeight) - 8);
    if (!again && from === first) return;
    first = from;
    const count = Math.ceil((list.clientHeight || 600) / rowHeight) + 16, to = Math.min(rows.length, from + count);
    above.style.height = `${from * rowHeight}px`;
    below.style.height = `${(rows.length - to) * rowHeight}px`;
    body.replaceChildren(above, ...rows.slice(from, to).map((row, i) => line(row, from + i)), below);
  };
  const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const sorted = (list) => {
    if (state.sort === null) return list;
    const keyed = list.map((row) => [why(row) && state.sort >= lead ? undefined : raw(columns[state.sort], row), row]), sign = state.down ? -1 : 1;
    keyed.sort(([a], [b]) => gone(a) - gone(b) || (gone(a) ? 0 : order(a, b) * sign));
    return keyed.map((pair) => pair[1]);
  };
  const apply = () => {
    const wanted = state.words.toLowerCase().split(/\s+/).filter(Boolean), current = rows[state.at];
    const chosen = [...state.choices].filter(([, value]) => value);
    const kept = (find && state.words ? find(state.words) : all).filter((row) => chosen.every(([column, value]) => [column.choice(row)].flat().includes(value)) &&
      (find || wanted.every((word) => words(row).includes(word))));
    rows = sorted(kept);
    state.at = rows.indexOf(current);
    shown.textContent = rows.length === all.length ? `${all.length} rows` : `${rows.length} of ${all.length} rows`;
    table.setAttribute("aria-rowcount", rows.length + 1);
    list.scrollTop = 0;
    draw(true);
  };
  const sortBy = (i) => {
    if (state.sort !== i) { state.sort = i; state.down = false; } else if (!state.down) state.down = true; else state.sort = null;
    heads.forEach((each, at) => {
      each.setAttribute("aria-sort", state.sort !== at ? "none" : state.down ? "descending" : "ascending");
      each.className = `${columns[at].css ?? ""}${state.sort === at ? (state.down ? " sorted down" : " sorted") : ""}`;
    });
    apply();
  };
  const move = (to) => {
    if (!rows.length) return;
    state.at = Math.max(0, Math.min(rows.length - 1, to));
    const top = state.at * rowHeight, view = list.clientHeight - head.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + rowHeight > list.scrollTop + view) list.scrollTop = top + rowHeight - view;
    draw(true);
    table.setAttribute("aria-activedescendant", `t${serial}-${state.at}`);
    if (state.open) open(rows[state.at]);
  };
  const open = (row) => {
    state.open = row ?? null;
    pane.hidden = !row;
    view.classList.toggle("opened", Boolean(row));
    if (row) {
      const address = () => `${location.href.split("#")[0]}#${encodeURIComponent(id(row))}`;
      pane.replaceChildren(el("div", "title", el("h4", "", (note ?? id)(row)), copyButton("copy link", address),
        el("button", { type: "button", class: "close", "aria-label": "close", onclick: close }, "\u00d7")), ...[detail(row)].flat(9).filter(Boolean));
      pane.scrollTop = 0;
    }
    asked?.(row);
    draw(true);
  };
  const close = () => { open(null); table.focus({ preventScroll: true }); };

  const written = () => {
    const of = columns.flatMap((column) => [[`${column.title}${column.unit ? `, ${column.unit}` : ""}`, (row) => raw(column, row)], ...column.more ?? []]);
    return [["id", ...of.map(([title]) => title)], ...rows.map((row) => [id(row), ...of.map(([, value]) => { const it = value(row); return gone(it) ? "" : it; })])];
  };
  const tsv = () => written().map((cells) => cells.map((cell) => String(cell).replace(/[\t\r\n]+/g, " ")).join("\t")).join("\r\n") + "\r\n";
  const tools = el("div", "filters");
  if (!find && all.length > few) tools.append(el("input", { type: "search", placeholder: "filter", "aria-label": `filter ${label}`, oninput: (event) => { state.words = event.target.value; apply(); } }));
  for (const column of columns.filter((each) => each.choice)) {
    const counts = new Map();
    for (const row of all) for (const each of unique([column.choice(row)].flat())) if (each) counts.set(each, (counts.get(each) ?? 0) + 1);
    if (counts.size < 2) continue;
    const select = el("select", { "aria-label": column.choices, onchange: () => { state.choices.set(column, select.value); select.classList.toggle("on", Boolean(select.value)); apply(); } },
      el("option", { value: "" }, `all ${column.choices}`), [...counts].sort((a, b) => (a[0] < b[0] ? -1 : 1)).map(([value, count]) => el("option", { value }, `${value} (${count})`)));
    tools.append(select);
  }
  tools.append(shown, copyButton("copy", tsv), el("button", { type: "button", onclick: () => download(`${name ?? label}.csv`, csvText(written())) }, "CSV"));

  const page = () => Math.max(1, Math.floor(list.clientHeight / rowHeight) - 2);
  const keys = { ArrowDown: () => move(state.at + 1), ArrowUp: () => move(state.at - 1), PageDown: () => move(state.at + page()), PageUp: () => move(state.at - page()),
    Home: () => move(0), End: () => move(rows.length - 1), Enter: () => { if (state.at < 0) move(0); if (detail && rows[state.at]) open(rows[state.at]); } };
  make(table, { onkeydown: (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.target.tagName === "BUTTON") return;
    if (event.key === "Escape" && state.open) { event.preventDefault(); close(); }
    if (keys[event.key]) { event.preventDefault(); keys[event.key](); }
  } }, []);
  make(body, { onclick: (event) => {
    const row = event.target.closest("tr[data-at]");
    if (!row || !detail || event.target.closest("a, button") || String(getSelection())) return;
    state.at = Number(row.dataset.at);
    if (rows[state.at] === state.open) close(); else open(rows[state.at]);
  } }, []);
  list.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), { passive: true });
  addEventListener("resize", () => { if (table.isConnected) draw(true); });
  if (!detail) table.classList.add("closed");

  const view = el("div", `view${tall ? " tall" : ""}`, tools, el("div", "sides", list, pane));
  apply();
  // What is above decides how many rows are in view; that is known when the table is on the page.
  requestAnimationFrame(() => draw(true));
  return {
    node: view,
    apply: (query) => { state.words = query; apply(); },
    rows: () => rows,
    move: (by) => move(state.at + by),
    enter: () => keys.Enter(),
    close: () => { if (state.open) close(); },
    reveal: (key) => {
      const row = all.find((each) => id(each) === key);
      if (!row) return false;
      if (!rows.includes(row)) { state.words = ""; state.choices.clear(); tools.querySelectorAll("input, select").forEach((each) => { each.value = ""; }); apply(); }
      state.at = rows.indexOf(row);
      list.scrollTop = Math.max(0, state.at * rowHeight - list.clientHeight / 3);
      if (detail) open(row); else draw(true);
      return true;
    },
  };
};
