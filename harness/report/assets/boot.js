// The beginning of every page. Its program is packed: the policy of the page has the program's hash, so nothing else runs.
// The page is on the screen before that: what runs earlier takes the processor from the threads that paint. A page that
// nobody looks at is never painted.
(async () => {
  await new Promise((done) => {
    new PerformanceObserver((list) => { if (list.getEntriesByName("first-contentful-paint").length) done(); }).observe({ type: "paint", buffered: true });
    setTimeout(done, 300);
  });
  const program = document.createElement("script");
  program.textContent = await inflate(document.getElementById("program"));
  document.body.append(program);
})();
