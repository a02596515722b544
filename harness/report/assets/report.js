(() => {
  "use strict";
  const root = document.documentElement;
  const folds = [...document.querySelectorAll(".case")];
  const cases = [...document.querySelectorAll(".case, .points tbody tr")];
  const byId = (id) => document.getElementById(id);
  root.classList.add("js");
  for (const each of document.querySelectorAll(".tools")) each.hidden = false;

  // A link to a case opens its window.
  const reveal = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    const target = byId(id);
    if (!target || !target.classList.contains("case")) return;
    target.hidden = false;
    target.querySelector(".w details").open = true;
    target.scrollIntoView({ block: "start" });
  };
  addEventListener("hashchange", reveal);
  reveal();

  // What a fold holds is markup in one deflated piece, which is unpacked when the first fold is opened or searched.
  const place = new Map(folds.map((row, i) => [row, i]));
  let unpacking, evidence;
  const unpack = () => unpacking ??= (async () => {
    const bytes = Uint8Array.from(atob(byId("folds").textContent), (c) => c.charCodeAt(0));
    const text = await new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
    evidence = JSON.parse(text);
  })();
  const markup = (row) => {
    const template = document.createElement("template");
    template.innerHTML = evidence[place.get(row)];
    return template.content;
  };
  const owner = (content) => {
    const link = content.querySelector(".same a");
    return link && byId(decodeURIComponent(link.hash.slice(1)));
  };
  const fill = async (row) => {
    await unpack();
    if (row.dataset.full) return;
    row.dataset.full = "";
    const content = markup(row), shower = owner(content);
    // Machine code that another row shows is shown here too.
    if (shower) content.querySelector(".same").replaceWith(markup(shower).querySelector(".code"));
    row.querySelector(".x > td").replaceChildren(content);
  };
  document.addEventListener("toggle", (event) => {
    const row = event.target.open && event.target.closest(".w") && event.target.closest(".case");
    if (row) fill(row);
  }, true);

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

  // What a case is found by: its row, its id, the opcodes of its window.
  const words = new Map();
  const haystack = (row) => {
    if (!words.has(row)) {
      const [, opcodes = ""] = (evidence?.[place.get(row)] ?? "").match(/<ul class="ops">(.*?)<\/ul>/) ?? [];
      words.set(row, `${row.id} ${(row.rows?.[0] ?? row).textContent} ${opcodes.replace(/<[^>]*>/g, " ")}`.toLowerCase());
    }
    return words.get(row);
  };
  const filter = byId("filter"), outcome = byId("outcome"), shown = byId("shown");
  const apply = () => {
    const wanted = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const active = wanted.length > 0 || outcome.value !== "";
    let count = 0;
    for (const row of cases) {
      const hit = (!outcome.value || (row.dataset.o ?? "measured") === outcome.value) && wanted.every((word) => haystack(row).includes(word));
      row.hidden = !hit;
      count += hit;
    }
    for (const probe of document.querySelectorAll(".probe")) probe.hidden = active && !probe.querySelector(".case:not([hidden]), .points tbody tr:not([hidden])");
    for (const family of document.querySelectorAll(".family")) family.hidden = active && !family.querySelector(".probe:not([hidden])");
    for (const id of ["device", "glance", "findings", "unpublished", "reading"]) byId(id).hidden = active;
    shown.textContent = active ? `${count} of ${cases.length}` : "";
  };
  filter.addEventListener("input", () => {
    apply();
    if (!evidence) unpack().then(() => { words.clear(); apply(); });
  });
  outcome.addEventListener("change", apply);
  document.addEventListener("keydown", (event) => {
    const typing = /^(INPUT|SELECT|TEXTAREA)$/.test(event.target.tagName);
    if (event.key === "/" && !typing && !event.ctrlKey && !event.metaKey) { event.preventDefault(); filter.focus(); }
    if (event.key === "Escape" && event.target === filter) { filter.value = ""; apply(); filter.blur(); }
  });

  byId("theme").addEventListener("click", () => {
    const dark = root.dataset.theme ? root.dataset.theme === "dark" : matchMedia("(prefers-color-scheme: dark)").matches;
    root.dataset.theme = dark ? "light" : "dark";
  });

  // Paper is light.
  let kept;
  addEventListener("beforeprint", () => { kept = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { if (kept) root.dataset.theme = kept; else delete root.dataset.theme; });

  // A click on a column head sorts its table by it, a second one the other way.
  const key = (row, column) => {
    const cell = (row.rows?.[0] ?? row).cells[column];
    const text = cell ? cell.textContent.replace("\u2212", "-") : "";
    const number = parseFloat(text);
    return Number.isNaN(number) ? text : number;
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
  for (const head of document.querySelectorAll(".cases thead th")) {
    head.tabIndex = 0;
    head.addEventListener("click", () => sort(head));
    head.addEventListener("keydown", (event) => { if (event.key === "Enter") sort(head); });
  }

  // The section in view stands out in the navigation.
  const links = new Map([...document.querySelectorAll("nav a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const a of links.values()) a.classList.remove("here");
      links.get(entry.target.id)?.classList.add("here");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  for (const section of document.querySelectorAll(".probe, main > section[id]")) if (links.has(section.id) && !section.classList.contains("family")) watch.observe(section);
})();
