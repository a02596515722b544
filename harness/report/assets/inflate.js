// What packed() in C++ packed: gzip in base64.
const inflate = async (node) => {
  const letters = atob(node.textContent), bytes = new Uint8Array(letters.length);
  for (let i = 0; i < letters.length; ++i) bytes[i] = letters.charCodeAt(i);
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"))).text();
};
