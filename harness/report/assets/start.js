// What a page is, and what its links to itself do.
(async () => {
  const root = document.documentElement;
  root.classList.add("js");
  site.bar();
  const records = await Promise.all([...document.querySelectorAll("script.record")].map(carried)), extra = await carried(byId("extras"));
  const reveal = pages[root.dataset.page](records, extra);
  const follow = () => {
    let id = location.hash.slice(1);
    try { id = decodeURIComponent(id); } catch { /* not encoded */ }
    if (id) reveal?.(id);
  };
  addEventListener("hashchange", follow);
  follow();
  root.dataset.ready = "yes";
  performance.mark("ready");
  // Paper is light.
  let kept;
  addEventListener("beforeprint", () => { kept = root.dataset.theme; root.dataset.theme = "light"; });
  addEventListener("afterprint", () => { if (kept) root.dataset.theme = kept; else delete root.dataset.theme; });
})();
