// What all pages share: light and dark, and the search over the pages of a GPU. `index` has
//   topics, what `warpclock ask` says: [phrases, what, value, page, place, note]; pages: [name, href]; numbers: [page, name,
//   value, text, probe]; probes, by column: [page, name, value, question, words]; instructions: [ids, values]; machine: [opcodes,
//   forms]; near: word -> texts that mean the same, best first; fillers: words that say nothing; kinds: that ask for a time.
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

  // The words of a question, with the weight of each, as asked_words() of `ask`.
  const questionOf = (text, { fillers, kinds }) => text.split(/[\s,;?!()[\]{}"'`/\-+*&|]+/).map((word) => word.replace(/[.:]+$/, "")).filter(Boolean).map((given) => {
    const whole = given.toLowerCase(), plain = !/[._:=0-9]/.test(whole) && whole.length > 3 && /s$/.test(whole) && !/[su]s$/.test(whole);
    const word = plain ? whole.slice(0, -1) : whole, among = (all) => all.has(word) || all.has(whole);
    return { given, word, weight: among(fillers) ? 0 : among(kinds) ? 0.5 : /[._:]/.test(word) ? 1.5 : 1 };
  });
  // Many begin like the one before: the first character says with how many letters, from " " for none.
  const decoded = (texts) => { let before = ""; return texts ? texts.split("\n").map((text) => (before = before.slice(0, text.charCodeAt(0) - 32) + text.slice(1))) : []; };

  let loading;
  const load = () => loading ??= (async () => {
    const node = byId("index");
    if (!node) return { entries: [], topics: [], near: {}, words: { fillers: new Set(), kinds: new Set() } };
    const index = JSON.parse(await inflate(node)), to = node.dataset.to, entries = [], words = { fillers: new Set(index.fillers), kinds: new Set(index.kinds) };
    const page = (i) => index.pages[i];
    const add = (kind, title, value, text, href, where, entry, bonus) => entries.push({ kind, title, value, text, href, where, entry, bonus });
    const probeAt = (i, name) => `${to}${page(i)[1]}#probe:${name}`;
    const topics = index.topics.map(([phrases, title, value, i, place, text]) => ({ kind: "answer", title, value, text, href: `${to}${page(i)[1]}${place && "#"}${place}`, where: page(i)[0],
      phrases: phrases.split(", ").map((phrase) => questionOf(phrase, words).map(({ word }) => word)) }));
    for (const [i, name, value, text, probe] of index.numbers) add("number", name, value, text, probeAt(i, probe), page(i)[0], entryOf(tokens(name), 0, text), 3);
    for (const [i, name, value, text, more] of (index.probes[0] ?? []).map((_, at) => index.probes.map((column) => column[at]))) {
      const own = tokens(name);
      add("probe", name, value, text, probeAt(i, name), page(i)[0], entryOf(own, own.length > 1 ? 1 : 0, `${text} ${more}`), 1);
    }
    const table = index.pages.find((each) => each[2] === "instructions"), machine = index.pages.find((each) => each[2] === "machine");
    for (const [at, id] of decoded(index.instructions[0]).entries()) {
      const value = index.instructions[1][at], name = id.slice(id.indexOf("/") + 1);
      add("instruction", name, value, id.slice(0, id.indexOf("/")), `${to}${table[1]}#i=${encodeURIComponent(id)}`, table[0], entryOf(tokens(name), 0, ""), value ? 2 : -4);
    }
    for (const [at, opcode] of decoded(index.machine[0]).entries()) {
      const forms = index.machine[1][at];
      add("machine instruction", opcode, `${forms} form${forms === 1 ? "" : "s"}`, "", `${to}${machine[1]}#q=${encodeURIComponent(opcode)}`, machine[0], entryOf(tokens(opcode), 0, ""), 1);
    }
    return { entries, topics, near: index.near, words };
  })();

  // First what says most of the question, then what `ask` says, then by score; a word that nothing has is no obstacle.
  const find = async (query, most) => {
    const { entries, topics, near, words } = await load(), question = questionOf(query, words);
    if (!question.some(({ weight }) => weight > 0)) for (const each of question) each.weight = 1;
    // Loads and stores of a type are those of its bits.
    const terms = question.filter(({ weight }) => weight > 0).map(({ given, weight }) => ({ weight, term: [given, given.replace(/\.[fus](8|16|32|64)$/, ".b$1")].flatMap((name) => parse(name, near)[0] ?? []) })).filter(({ term }) => term.length);
    const whole = terms.reduce((sum, { weight }) => sum + weight, 0), hits = [];
    if (!terms.length) return [];
    for (const each of topics) {
      const said = new Set(each.phrases.filter((phrase) => phrase.every((word) => question.some((own) => own.word === word))).flat());
      const own = question.reduce((sum, { word, weight }) => sum + (said.has(word) ? weight : 0), 0);
      if (own > 0) hits.push([own / whole, 1, said.size, each]);
    }
    for (const each of entries) {
      let points = 0, own = 0;
      for (const { weight, term } of terms) {
        const met = term.map(([wanted, as]) => [all(wanted, each.entry), wanted.length, as]).filter(([score]) => score > 0);
        if (!met.length) continue;
        points += Math.max(...met.map(([score, , as]) => as * score));
        // Words of the text alone say less of what it is than those of its name.
        own += weight * (met.some(([score, length]) => score >= 4 * length) ? 1 : 0.6);
      }
      if (own > 0) hits.push([own / whole, 0, points - 0.2 * each.entry.name.length + each.bonus, each]);
    }
    hits.sort((a, b) => b[0] - a[0] || b[1] - a[1] || b[2] - a[2]);
    const nearest = hits.filter((hit) => hit[0] >= 0.75 * hits[0][0]);
    return Object.assign(nearest.slice(0, most).map((hit) => hit[3]), { all: nearest.length, whole: hits.length > 0 && hits[0][0] === 1 });
  };

  const make = (tag, css, text) => { const node = document.createElement(tag); if (css) node.className = css; if (text) node.textContent = text; return node; };
  const panel = byId("hits");
  let asked = 0;
  // Shows the hits below the bar; `keep` leaves out those of the page's own table.
  const show = async (query, most, keep = () => true) => {
    const mine = ++asked, hits = query.trim() ? await find(query, 400) : [];
    if (mine !== asked) return;
    const kept = hits.whole || most >= 20 ? hits.filter(keep) : [];
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
