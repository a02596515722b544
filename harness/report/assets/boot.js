// The beginning of every page. Its program and the style of what that makes are packed: the policy of the page has their
// hashes, so nothing else runs.
// The page is on the screen before that: what runs earlier takes the processor from the threads that paint. A page that
// nobody looks at is never painted.
(async () => {
  await new Promise((done) => {
    new PerformanceObserver((list) => { if (list.getEntriesByName("first-contentful-paint").length) done(); }).observe({ type: "paint", buffered: true });
    setTimeout(done, 300);
  });
  for (const [kind, id] of [["style", "style"], ["script", "program"]]) {
    const node = document.createElement(kind);
    node.textContent = await inflate(document.getElementById(id));
    document.head.append(node);
  }
})();
