(() => {
  "use strict";
  const root = document.documentElement;
  const byId = (id) => document.getElementById(id);
  site.plain();

  // A number says on hover which case it leads to.
  for (const link of document.querySelectorAll("td > a, td > i > a")) if (link.hash && !link.closest("[title]")) link.title = decodeURIComponent(link.hash.slice(1));

  // What a row of a probe opens to.
  const { markup } = parts;
  // The range and the strip of a series follow from its samples.
  const strips = (section) => {
    const lines = section.querySelector("pre").textContent.split("\n");
    const series = [...section.querySelectorAll("tbody tr")].map((row, i) => ({ row, centre: Number(row.cells[1].textContent),
      texts: [...lines[i].matchAll(/ (\d[\d.e+]*)/g)].map((each) => each[1]).sort((a, b) => a - b) }));
    const reach = Math.max(1, ...series.flatMap(({ texts, centre }) => texts.map((each) => Math.abs(each - centre))));
    for (const { row, centre, texts } of series) {
      const same = texts[0] === texts.at(-1), range = row.insertCell(), cell = row.insertCell();
      range.textContent = same ? "" : `${texts[0]}\u2013${texts.at(-1)}`;
      if (same) { cell.textContent = "all the same"; continue; }
      cell.append(markup('<svg class="strip" viewBox="0 0 120 14" aria-hidden="true"><path class="sm"/>'));
      const marks = new Set(texts.map((each) => (60 + 56 * (each - centre) / reach).toFixed(1)));
      cell.querySelector("path").setAttribute("d", [...marks].map((x) => `M${x} 3v8`).join(""));
    }
  };
  let unpacking;
  const evidence = () => unpacking ??= parts.packed("folds").then(({ ids, pieces }) => Object.fromEntries(ids.map((id, i) => [id, pieces.map((each) => each[i]).join("")])));
  const fillCase = parts.once(async (row) => {
    const cases = await evidence();
    const content = markup(cases[row.id]), same = content.querySelector(".same a");
    // Machine code that another row shows is shown here too.
    const shower = same && cases[decodeURIComponent(same.hash.slice(1))];
    if (shower) content.querySelector(".same").replaceWith(markup(shower).querySelector(".code"));
    content.querySelectorAll(".samples").forEach(strips);
    row.querySelector(".x > td").replaceChildren(content);
    row.dataset.full = "yes";
  });
  document.addEventListener("toggle", (event) => {
    if (!event.target.open) return;
    const row = event.target.closest(".w") && event.target.closest(".case");
    if (row) fillCase(row);
  }, true);

  // A link to a case opens the part of its probe, and its window.
  const reveal = async () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    if (!id || (byId(id) && !byId(id).closest(".all"))) return;
    const part = byId(`probe:${id.split("[")[0]}`)?.querySelector(".rows");
    if (!part) return;
    part.open = true;
    await parts.fill(part.querySelector(".all"));
    const target = byId(id);
    for (const each of document.querySelectorAll(".target")) each.classList.remove("target");
    if (!target) return;
    target.classList.add("target");
    const details = target.querySelector(".w details");
    if (details) { details.open = true; await fillCase(target); }
    target.scrollIntoView({ block: details ? "start" : "center" });
  };
  addEventListener("hashchange", reveal);
  reveal();

  // The whole row is the handle of its window, unless text is being selected.
  document.addEventListener("click", (event) => {
    const row = event.target.closest(".case > tr:first-child");
    if (!row || event.target.closest("a, button, summary") || String(getSelection())) return;
    const details = row.querySelector("details");
    details.open = !details.open;
  });

  document.addEventListener("click", (event) => {
    const button = event.target.closest(".copy");
    if (!button) return;
    const id = button.closest(".case").id;
    const link = location.href.split("#")[0] + "#" + encodeURIComponent(id).replace(/%2F/g, "/").replace(/%3D/g, "=").replace(/%2C/g, ",").replace(/%3A/g, ":");
    const say = (text) => { button.textContent = text; setTimeout(() => { button.textContent = "copy link"; }, 1500); };
    if (!navigator.clipboard) { location.hash = id; say("in the address bar"); return; }
    navigator.clipboard.writeText(link).then(() => say("copied"), () => { location.hash = id; say("in the address bar"); });
  });

  // Paper is light.
  let kept;
  addEventListener("beforeprint", () => { kept = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { if (kept) root.dataset.theme = kept; else delete root.dataset.theme; });

  // A click on a column head sorts its table by it, a second one the other way.
  const key = (row, column) => {
    const cell = (row.rows?.[0] ?? row).cells[column];
    const text = cell ? cell.textContent.replace("\u2212", "-") : "";
    const number = parseFloat(text), [, prefix] = text.match(/ ([KMGT])iB$/) ?? [];
    return Number.isNaN(number) ? text : number * (prefix ? 1024 ** (1 + "KMGT".indexOf(prefix)) : 1);
  };
  const order = (a, b) => (typeof a === typeof b ? (a < b ? -1 : a > b ? 1 : 0) : typeof a === "number" ? -1 : 1);
  const sort = (head) => {
    const table = head.closest("table"), column = head.cellIndex;
    const down = head.classList.contains("sorted") && !head.classList.contains("down");
    for (const other of table.querySelectorAll("thead th")) { other.classList.remove("sorted", "down"); other.removeAttribute("aria-sort"); }
    head.classList.add("sorted");
    head.classList.toggle("down", down);
    head.setAttribute("aria-sort", down ? "descending" : "ascending");
    const points = table.classList.contains("points");
    const rows = [...(points ? table.tBodies[0].rows : table.tBodies)].sort((a, b) => order(key(a, column), key(b, column)) * (down ? -1 : 1));
    (points ? table.tBodies[0] : table).append(...rows);
  };

  for (const type of ["click", "keydown"]) {
    document.addEventListener(type, (event) => {
      const head = event.target.closest(".cases thead th");
      if (head && (type === "click" || event.key === "Enter")) sort(head);
    });
  }

  // The section in view is highlighted in the navigation.
  const links = new Map([...document.querySelectorAll("nav.sections a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const a of links.values()) a.classList.remove("here");
      links.get(entry.target.id)?.classList.add("here");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  for (const section of document.querySelectorAll(".probe, main > section[id]")) if (links.has(section.id) && !section.classList.contains("family")) watch.observe(section);
})();
