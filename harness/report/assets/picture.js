// The drawing of the memory system, on the page of its suite and on overviews.
const partOf = (id, title, asks, ...children) => el("section", { id }, el("h2", "", title), asks ? el("p", "asks", asks) : null, children);

/// From the SM outwards: a box for each level, what it holds, and the links between them. `href(probe)` is null for a
/// probe that is not there.
const memoryFigure = (picture, href) => {
  const value = (row) => (row.probe && href(row.probe) ? el("a", { href: href(row.probe) }, row.value) : row.value);
  const line = (row) => el("div", { class: "num", title: row.tooltip }, el("dt", "", row.label), el("dd", row.stated ? "stated" : "", value(row), row.more ? el("small", "", row.more) : null));
  const box = (each) => el("div", each.name ? "box" : "own", each.name ? el("h4", "", each.name) : null, el("dl", "", each.rows.map(line)));
  const rate = (level) => Math.max(0, ...level.link.map((row) => row.rate ?? 0)), most = Math.max(1, ...picture.levels.map(rate));
  const levels = picture.levels.flatMap((level) => {
    const part = el("div", "level", el("h3", "", level.name, level.count ? el("i", "", level.count) : null), el("div", "boxes", level.boxes.map(box)));
    if (!level.link.length) return [part];
    const band = el("span", { class: "band", "aria-hidden": "true" });
    band.style.setProperty("--wide", `${Math.max(3, 34 * rate(level) / most).toFixed(1)}px`);
    return [part, el("div", "link", band, el("dl", "", level.link.map(line)))];
  });
  return el("figure", { class: "picture", "aria-label": "the memory system" }, levels);
};
const pictureNote = "Each number leads to the probe that found it. Numbers in thin type are stated by the driver; \u201cnot found\u201d means that the curve does not show it. A band is as wide as the rate of its reads. GB/s are of all SMs, at the clock that was measured around the number.";
const memoryPicture = (picture, href, below) => (picture ? partOf("memory", "The memory system", "", memoryFigure(picture, href), el("p", "note", pictureNote, picture.preferred), below) : null);
/// That of each GPU, one at a time: [{gpu, page, picture}].
const memoryPictures = (all) => {
  if (!all?.length) return null;
  const holder = el("div"), show = ({ page, picture }) => holder.replaceChildren(memoryFigure(picture, (probe) => `${page}#${encodeURIComponent(`probe:${probe}`)}`));
  const choose = el("select", { "aria-label": "GPU", onchange: () => show(all[choose.selectedIndex]) }, all.map(({ gpu }) => el("option", "", gpu)));
  show(all[0]);
  return partOf("memory", "The memory system", "", all.length > 1 ? el("div", "filters", choose) : null, holder, el("p", "note", pictureNote));
};
