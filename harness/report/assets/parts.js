// What a page carries packed (packed_data() in C++). Of it, `tables` is the markup that put_later() left out, by id.
const parts = (() => {
  "use strict";
  const packs = {};
  const packed = (id) => packs[id] ??= inflate(document.getElementById(id)).then(JSON.parse);
  const markup = (text) => {
    const template = document.createElement("template");
    template.innerHTML = text;
    return template.content;
  };
  const once = (fill) => { const begun = new WeakMap(); return (node) => { if (!begun.has(node)) begun.set(node, fill(node)); return begun.get(node); }; };
  const fill = once(async (all) => {
    all.replaceChildren(markup((await packed("tables"))[all.id]));
    for (const head of all.querySelectorAll(".cases thead th")) head.tabIndex = 0;
    all.dataset.full = "yes";
  });
  document.addEventListener("toggle", (event) => { if (event.target.open) event.target.querySelectorAll(":scope > .all").forEach(fill); }, true);
  for (const all of document.querySelectorAll(".all")) if (!all.closest("details")) fill(all);
  return { packed, markup, once, fill };
})();
