(async () => {
  "use strict";
  const root = document.documentElement, byId = (id) => document.getElementById(id);
  const unpack = async (data) => {
    const text = await site.inflate(data);
    const table = JSON.parse(text.replace(/[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g, "\ufffd"));  // what reorders the text around it
    table.rows = rowsOf({ rows: table.rows }, 1)[0].rows;
    table.rows.forEach(decode);
    return table;
  };
  // The page is on the screen with its first rows before the data is touched: what runs earlier takes the processor from
  // the threads that paint. A page that nobody looks at is never painted.
  await new Promise((done) => {
    new PerformanceObserver((list) => { if (list.getEntriesByName("first-contentful-paint").length) done(); }).observe({ type: "paint", buffered: true });
    setTimeout(done, 500);
  });
  const tables = await Promise.all([...document.querySelectorAll("script.table")].map(unpack));
  const list = byId("list"), canvas = byId("rows"), head = byId("head"), pane = byId("detail"), body = byId("body");
