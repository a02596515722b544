// What is known of one instruction on one GPU, as nodes.
const detail = (() => {
  "use strict";
  const space = document.querySelector("svg")?.namespaceURI;
  const shape = (tag, attributes, text) => {
    const node = document.createElementNS(space, tag);
    for (const [name, value] of Object.entries(attributes)) node.setAttribute(name, value);
    if (text !== undefined) node.textContent = text;
    return node;
  };
  const pairs = (list) => el("dl", "pairs", list.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value))));
  const cells = (heads, rows) => el("div", "scroll", el("table", "mini",
    el("thead", "", el("tr", "", heads.map((head) => el("th", "", head)))),
    el("tbody", "", rows.map((cells) => el("tr", "", cells.map((cell, i) => el(i ? "td" : "th", "", cell)))))));
  const part = (title, note, ...children) => el("section", "part", el("h3", "", title, note ? el("span", "", note) : null), ...children);
  const range = (e) => (e.low === e.high ? "" : `${digits(e.low, 6)}\u2013${digits(e.high, 6)}`);
