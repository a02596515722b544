// What all pages share: light and dark, and the search over the pages of a GPU. `index` has
//   pages: [name, href]; numbers: [page, name, value, text, probe]; probes: [page, name, value, question, words];
//   instructions: [id, value]; machine: [opcode, forms]; near: word -> texts that mean the same, best first.
const site = (() => {
  "use strict";
  const byId = (id) => document.getElementById(id);
  const tokens = (text) => text.toLowerCase().split(/[^a-z0-9]+/).filter(Boolean);
  // How well a token of a query is met by an entry: its name counts more than its text, its first word most, a whole
  // word more than a beginning. 0: not at all.
  const one = (token, entry) => {
    const at = entry.name.indexOf(token);
    if (at >= 0) return at === entry.lead ? 10 : 8;
    if (entry.text.has(token)) return 2;
    if (token.length < 2) return 0;
    const begun = entry.name.findIndex((word) => word.startsWith(token));
    if (begun >= 0) return begun === entry.lead ? 5 : 4;
    return token.length > 2 && entry.begins.some((word) => word.startsWith(token)) ? 1 : 0;
  };
  const all = (wanted, entry) => wanted.reduce((sum, token) => { const score = one(token, entry); return score && sum >= 0 ? sum + score : -1; }, 0);
  // Name and text are tokens; `lead` is the word of the name that says most. Fewer words in the name are a nearer hit.
  const entryOf = (name, lead, text) => { const words = new Set(tokens(text)); return { name, lead, text: words, begins: [...words] }; };
  // A query is terms; a term is its own tokens, or those of a text that means the same, which count a little less.
  const parse = (query, near) => query.toLowerCase().split(/\s+/).filter((term) => tokens(term).length || !tokens(query).length && term).map((term) => [[tokens(term), 1],
    ...(near[term] || []).map((text, i) => [tokens(text), 1.05 - 0.03 * i])].filter(([wanted]) => wanted.length));
  const score = (terms, entry) => {
    let sum = 0;
    for (const term of terms) {
      const best = Math.max(...term.map(([wanted, weight]) => weight * all(wanted, entry)));
      if (!(best > 0)) return 0;
      sum += best;
    }
    return sum - 0.2 * entry.name.length;
  };

  let loading;
  const load = () => loading ??= (async () => {
    const node = byId("index");
    if (!node) return { entries: [], near: {} };
    const index = JSON.parse(await inflate(node)), to = node.dataset.to, entries = [];
    const page = (i) => index.pages[i];
    const add = (kind, title, value, text, href, where, entry, bonus) => entries.push({ kind, title, value, text, href, where, entry, bonus });
    const probeAt = (i, name) => `${to}${page(i)[1]}#probe:${name}`;
    for (const [i, name, value, text, probe] of index.numbers) add("number", name, value, text, probeAt(i, probe), page(i)[0], entryOf(tokens(name), 0, text), 3);
    for (const [i, name, value, text, words] of index.probes) {
      const own = tokens(name);
      add("probe", name, value, text, probeAt(i, name), page(i)[0], entryOf(own, own.length > 1 ? 1 : 0, `${text} ${words}`), 1);
    }
    const table = index.pages.find((each) => each[2] === "instructions"), machine = index.pages.find((each) => each[2] === "machine");
    for (const [id, value] of index.instructions) {
      add("instruction", id.slice(id.indexOf("/") + 1), value, id.slice(0, id.indexOf("/")), `${to}${table[1]}#i=${encodeURIComponent(id)}`, table[0],
        entryOf(tokens(id.slice(id.indexOf("/") + 1)), 0, ""), value ? 2 : -4);
    }
    for (const [opcode, forms] of index.machine) add("machine instruction", opcode, `${forms} form${forms === 1 ? "" : "s"}`, "", `${to}${machine[1]}#q=${encodeURIComponent(opcode)}`, machine[0], entryOf(tokens(opcode), 0, ""), 1);
    return { entries, near: index.near };
  })();

  const find = async (query, most) => {
    const { entries, near } = await load(), terms = parse(query, near);
    if (!terms.length) return [];
    const hits = [];
    for (const each of entries) {
      const points = score(terms, each.entry);
      if (points > 0) hits.push([points + each.bonus, each]);
    }
    hits.sort((a, b) => b[0] - a[0]);
    return Object.assign(hits.slice(0, most).map((pair) => pair[1]), { all: hits.length });
  };

  const make = (tag, css, text) => { const node = document.createElement(tag); if (css) node.className = css; if (text) node.textContent = text; return node; };
  const panel = byId("hits");
  let asked = 0;
  // Shows the hits below the bar; `keep` leaves out those of the page's own table.
  const show = async (query, most, keep = () => true) => {
    const mine = ++asked, hits = query.trim() ? await find(query, 400) : [];
    if (mine !== asked) return;
    const kept = hits.filter(keep);
    panel.hidden = !query.trim() || (!kept.length && most < 20);
    panel.replaceChildren(...kept.slice(0, most).map((hit) => {
      const link = make("a", "hit");
      link.href = hit.href;
      link.append(make("b", "", hit.title), make("span", "value", hit.value), make("span", "text", hit.text), make("i", "", `${hit.kind}, ${hit.where}`));
      return link;
    }));
    const rest = kept.length - most;
    if (!kept.length) panel.append(make("p", "", `No match for "${query.trim()}".`));
    else if (rest > 0 && most >= 20) panel.append(make("p", "", `and ${hits.all - most} more`));
  };

  // The bar of every page.
  for (const each of document.querySelectorAll(".tools")) each.hidden = false;
  const root = document.documentElement;
  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });
  // The search of a page that has no table of its own.
  const plain = () => {
    const search = byId("search");
    root.classList.add("js");
    if (!byId("index")) { search.hidden = true; return; }
    search.addEventListener("input", () => show(search.value, 30));
    search.addEventListener("focus", () => { load(); if (search.value) show(search.value, 30); });
    panel.addEventListener("click", () => { panel.hidden = true; });
    document.addEventListener("keydown", (event) => {
      const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName), hits = [...panel.querySelectorAll("a")], at = hits.indexOf(document.activeElement);
      if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); search.focus(); }
      if (event.key === "Escape" && !panel.hidden) { search.value = ""; panel.hidden = true; search.blur(); }
      if (event.key === "Enter" && event.target === search && hits[0]) { hits[0].click(); }
      if ((event.key === "ArrowDown" || event.key === "ArrowUp") && !panel.hidden && (at >= 0 || event.target === search)) {
        event.preventDefault();
        (event.key === "ArrowDown" ? hits[at + 1] : hits[at - 1] || search)?.focus();
      }
    });
  };
  return { bar: plain, tokens, entryOf, parse, score, near: async () => (await load()).near, find, show, plain };
})();
