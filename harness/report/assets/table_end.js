  const readable = (text) => text.replace(/%2F/g, "/").replace(/%2C/g, ",").replace(/%3A/g, ":").replace(/%3D/g, "%3D").replace(/\+/g, "%20");
  const address = (of) => "#" + readable(new URLSearchParams(Object.entries(of).filter((pair) => pair[1])).toString());
  const keep = () => { const hash = address(state); if (hash !== location.hash) history.replaceState(null, "", hash); };

  let rows = all, at = -1, first = -1, height = 28;
  const near = await site.near();
  // What a search finds comes with the nearest name first; rows without a number come after those with one.
  const wanted = () => {
    const kept = all.filter((entry) => (!state.family || entry.family === state.family) && ["type", "pipe", "outcome"].every((key) => !state[key] || entry[key].has(state[key])));
    const terms = site.parse(state.q, near);
    if (!terms.length) return kept;
    const points = new Map(kept.map((entry) => [entry, site.score(terms, entry.search ??= site.entryOf(site.tokens(entry.mnemonic), 0, entry.words))]));
    const rank = (entry) => points.get(entry) - (entry.outcome.has("measured") ? 0 : 6);
    return kept.filter((entry) => points.get(entry) > 0).sort((a, b) => rank(b) - rank(a));
  };
  const missing = (key) => key === undefined || key === "" || key !== key || key === -Infinity;
  const sorted = (entries) => {
    if (!state.sort) return entries;
    const [key, gpu] = state.sort.split("."), column = columns.find((each) => each.key === key), sign = state.down ? -1 : 1;
    const of = (entry) => { if (!column) return entry.name; const row = measured(entry, Number(gpu) || 0); return row && column.by(row); };
    const keyed = entries.map((entry) => [of(entry), entry]);
    keyed.sort(([a], [b]) => missing(a) - missing(b) || (missing(a) ? 0 : (a < b ? -1 : a > b ? 1 : 0) * sign));
    return keyed.map((pair) => pair[1]);
  };

  const group = (entry, gpu) => {
    const row = entry.on[gpu], node = el("div", "g");
    if (measured(entry, gpu)) {
      node.append(...columns.map((column) => { const cell = el("div", `c ${column.key} ${column.css}`, column.cell(row)); cell.setAttribute("role", "cell"); return cell; }));
      if ((row.disagreements).length) { const mark = el("span", "mark", "!"); mark.title = row.disagreements.join("\n"); node.firstChild.prepend(mark); }
    } else {
      const why = row ? el("div", "c why", el("span", `badge ${row.outcome}`, row.outcome), el("code", "", (row.reason || [])[1]), " ", (row.reason || [])[2]) : el("div", "c why", "not in its table");
      why.setAttribute("role", "cell");
      node.append(why);
    }
    return node;
  };
  const line = (entry, index) => {
    const space = entry.name.search(/\s|$/), name = el("div", "c ins", el("b", "", entry.name.slice(0, space)), entry.name.slice(space));
    name.setAttribute("role", "rowheader");
    name.title = entry.id;
    const node = el("div", "row", name, tables.map((table, gpu) => group(entry, gpu)));
    node.setAttribute("role", "row");
    node.setAttribute("aria-rowindex", index + 2);
    node.id = `row-${index}`;
    node.dataset.at = index;
    if (index === at) { node.classList.add("here"); node.setAttribute("aria-selected", "true"); }
    if (entry.id === state.i) node.classList.add("open");
    node.style.top = `${index * height}px`;
    return node;
  };
  // Only the rows in view exist; the canvas is as tall as all of them.
  const draw = (again) => {
    const from = Math.max(0, Math.floor((list.scrollTop - head.offsetHeight) / height) - 8);
    if (!again && from === first) return;
    first = from;
    const count = Math.ceil(list.clientHeight / height) + 16;
    canvas.replaceChildren(...rows.slice(from, from + count).map((entry, i) => line(entry, from + i)));
  };
  const apply = () => {
    const current = rows[at] && rows[at].id;
    rows = sorted(wanted());
    at = rows.findIndex((entry) => entry.id === current);
    canvas.style.height = `${rows.length * height}px`;
    byId("none").hidden = rows.length > 0;
    shown.textContent = rows.length === all.length ? `${all.length} instructions` : `${rows.length} of ${all.length}`;
    byId("grid").setAttribute("aria-rowcount", rows.length + 1);
    list.scrollTop = 0;
    draw(true);
    keep();
  };
  const move = (to) => {
    if (!rows.length) return;
    at = Math.max(0, Math.min(rows.length - 1, to));
    const top = at * height, view = list.clientHeight - head.offsetHeight;
    if (top < list.scrollTop) list.scrollTop = top;
    if (top + height > list.scrollTop + view) list.scrollTop = top + height - view;
    draw(true);
    list.setAttribute("aria-activedescendant", `row-${at}`);
    if (state.i) open(rows[at].id);
  };

  const open = (id) => {
    const entry = entries.get(id);
    state.i = entry ? id : "";
    pane.hidden = !entry;
    root.classList.toggle("opened", Boolean(entry));
    if (entry) {
      const any = entry.on.find(Boolean);
      byId("name").textContent = entry.name;
      byId("link").href = address({ i: id });
      byId("link").textContent = id;
      byId("about").textContent = [any.section, any.types].filter(Boolean).join(" \u00b7 ");
      body.replaceChildren(...tables.flatMap((table, gpu) => entry.on[gpu] ? [
        tables.length > 1 ? el("h2", "gpu", table.device.name, el("span", "", entry.on[gpu].arch || table.device.arch)) : "", ...detail(entry.on[gpu])] : []));
      pane.scrollTop = 0;
    }
    draw(true);
    keep();
  };
  const close = () => { open(""); list.focus({ preventScroll: true }); };

  // Heads: a click sorts, a second one the other way, a third one as recorded.
  const sort = (key) => {
    if (state.sort !== key) { state.sort = key; state.down = ""; } else if (!state.down) state.down = "1"; else state.sort = state.down = "";
    heads();
    apply();
  };
  const title = (key, text, unit, css) => {
    const button = el("button", "", text, unit ? el("span", "", unit) : null), cell = el("div", `c ${css}`, button), on = state.sort === key;
    button.type = "button";
    button.dataset.key = key;
    if (on) button.classList.add("sorted", state.down ? "down" : "up");
    cell.setAttribute("role", "columnheader");
    cell.setAttribute("aria-sort", on ? (state.down ? "descending" : "ascending") : "none");
    return cell;
  };
  const heads = () => {
    const focused = document.activeElement && document.activeElement.dataset.key;
    const row = el("div", "row", title("name", "instruction", "", "ins"), tables.map((table, gpu) => el("div", "g",
      tables.length > 1 ? el("div", "c gpu", table.device.name) : null, columns.map((column) => title(`${column.key}.${gpu}`, column.title, column.unit, `${column.key} ${column.css}`)))));
    row.setAttribute("role", "row");
    head.replaceChildren(row);
    if (focused) head.querySelector(`[data-key="${focused}"]`)?.focus();
  };
  head.addEventListener("click", (event) => { const button = event.target.closest("button"); if (button) sort(button.dataset.key); });

  for (const key of filters) {
    const counts = new Map(), select = byId(key);
    for (const entry of all) for (const each of key === "family" ? [entry.family] : entry[key]) if (each) counts.set(each, (counts.get(each) || 0) + 1);
    const names = key === "family" || key === "outcome" ? [...counts.keys()] : [...counts.keys()].sort();
    for (const name of names) { const option = el("option", "", `${name} (${counts.get(name)})`); option.value = name; select.append(option); }
    select.addEventListener("change", () => { state[key] = select.value; select.classList.toggle("on", Boolean(select.value)); apply(); });
  }
  search.addEventListener("input", () => { state.q = search.value; apply(); site.show(state.q, 6, (hit) => !location.pathname.endsWith(hit.href.split("#")[0].replace(/^[./]+/, ""))); });
  list.addEventListener("scroll", () => requestAnimationFrame(() => draw(false)), { passive: true });
  canvas.addEventListener("click", (event) => {
    const row = event.target.closest(".row");
    if (!row || String(getSelection())) return;
    at = Number(row.dataset.at);
    if (rows[at].id === state.i) close(); else open(rows[at].id);
  });
  byId("close").addEventListener("click", close);
  byId("reset").addEventListener("click", () => { for (const key of [...filters, "q", "sort", "down"]) state[key] = ""; restore(); search.focus(); });

  const page = () => Math.max(1, Math.floor(list.clientHeight / height) - 2);
  const keys = { ArrowDown: () => move(at + 1), ArrowUp: () => move(at - 1), PageDown: () => move(at + page()), PageUp: () => move(at - page()), Home: () => move(0), End: () => move(rows.length - 1),
    Enter: () => { if (at < 0) move(0); if (rows[at]) open(rows[at].id); } };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const typing = event.target === search, elsewhere = /^(SELECT|BUTTON|A|SUMMARY)$/.test(event.target.tagName);
    if (event.key === "/" && !typing) { event.preventDefault(); search.focus(); search.select(); return; }
    if (event.key === "Escape") {
      if (state.i) close(); else if (typing && search.value) { search.value = state.q = ""; apply(); site.show("", 6); } else search.blur();
      event.preventDefault();
      return;
    }
    if (!keys[event.key] || elsewhere || pane.contains(event.target) || (typing && /^(Home|End)$/.test(event.key))) return;
    event.preventDefault();
    keys[event.key]();
  });

  // From the state to the controls and the rows.
  const restore = () => {
    search.value = state.q;
    for (const key of filters) { byId(key).value = state[key]; byId(key).classList.toggle("on", Boolean(state[key])); }
    const { i } = state;
    heads();
    height = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || height;
    apply();
    open(i);
    at = rows.findIndex((entry) => entry.id === i);
    if (at >= 0) { list.scrollTop = Math.max(0, at * height - list.clientHeight / 3); draw(true); }
  };
  const load = () => {
    const asked = new URLSearchParams(location.hash.slice(1));
    for (const key of Object.keys(state)) state[key] = asked.get(key) || "";
    restore();
  };
  addEventListener("hashchange", load);
  addEventListener("resize", () => { height = parseFloat(getComputedStyle(list).getPropertyValue("--row")) || height; canvas.style.height = `${rows.length * height}px`; draw(true); });
  const typed = search.value;  // before there was anything to search
  canvas.classList.remove("first");
  load();
  if (typed && !state.q) { search.value = state.q = typed; apply(); }
  performance.mark("rows");
})();
