// The page of `inspect --page`: of each kernel its facts, its loops, and its listing with the control fields, in which
// loops, chains that carry a result from trip to trip, and spills are marked (inspection_words() in C++).
pages.inspect = (records, extra) => {
  const tables = [], nav = byId("sections"), main = byId("main");
  main.append(el("p", "marks-key", el("span", "d1", "loop"), " ", el("span", "d2", "inner loop"), " ", el("span", "chain", "on the chain that carries a result from trip to trip"), " ", el("span", "spill", "spill")));
  const instruction = (row, kernel) => {
    const guard = row.text.startsWith("@") ? row.text.indexOf(" ") : -1, blank = row.text.indexOf(" ", guard + 1), end = blank < 0 ? row.text.length : blank, rest = row.text.slice(end), at = row.target ? rest.indexOf(row.target) : -1;
    return [el("b", "", row.text.slice(0, end)), at < 0 ? rest : [rest.slice(0, at), el("a", { href: `#k${kernel}-${row.target}` }, row.target), rest.slice(at + row.target.length)]];
  };
  extra.kernels.forEach((kernel, k) => {
    const rows = kernel.listing ?? [], column = (title, key, css = "") => ({ title, css, text: (row) => row[key] ?? "", raw: (row) => row[key] });
    const columns = [column("address", "at", "mono"), column("loop", "loop", "n"), column("stall", "stall", "n"), column("yield", "yield"), column("W", "write", "n"), column("R", "read", "n"), column("wait", "wait"), ...rows.some((row) => row.live) ? [column("live", "live", "n")] : [], { title: "SASS", css: "mono word", text: (row) => row.text, nodes: (row) => instruction(row, k) },
      ...rows.some((row) => row.source) ? [column("source", "source")] : []];
    const table = tableOf({ label: `listing of ${kernel.name}`, name: "listing", rows, id: (row) => `k${k}-${row.at}`, columns, mark: (row) => row.css, tall: true });
    tables.push([rows, table]);
    const [facts, ...parts] = kernel.tables, id = `k${k}`, title = (part) => (part.begin ? el("a", { href: `#k${k}-${part.begin}` }, part.title) : part.title);
    const cards = parts.map((part) => el("article", `card${part.depth ? ` d${Math.min(part.depth, 4)}` : ""}`, el("h3", "", title(part)), pairs(part.facts)));
    nav.append(el("ul", "", el("li", "", el("a", { href: `#${id}` }, kernel.name))));
    main.append(el("section", { id }, el("h2", "", kernel.name), pairs(facts.facts), el("div", "loops", cards),
      kernel.graph ? folded("others", "Control flow: basic blocks and their edges", () => el("div", { class: "scroll", tabindex: 0, role: "region", "aria-label": `control flow of ${kernel.name}` }, el("img", { src: `data:image/svg+xml,${encodeURIComponent(kernel.graph)}`, alt: `control-flow graph of ${kernel.name}` }))) : null, table.node));
  });
  return (id) => {
    const k = /^k(\d+)-/.exec(id);
    if (!k || !tables[k[1]]) { byId(id)?.scrollIntoView(); return; }
    tables[k[1]][1].reveal(id);
    tables[k[1]][1].node.scrollIntoView({ block: "nearest" });
  };
};
