  const search = byId("search"), shown = byId("shown"), filters = ["family", "type", "pipe", "outcome"];
  root.style.setProperty("--gpus", tables.length);

  // One entry an id, in the order of first mention, with what each GPU says of it.
  const entries = new Map();
  tables.forEach((table, gpu) => {
    for (const row of table.rows) {
      if (!entries.has(row.id)) entries.set(row.id, { id: row.id, name: plain(row.ptx), family: row.family, on: [] });
      entries.get(row.id).on[gpu] = row;
    }
  });
  const all = [...entries.values()];
  for (const entry of all) {
    const on = entry.on.filter(Boolean), of = (get) => new Set(on.flatMap(get));
    entry.type = of((row) => row.types.split(" "));
    entry.pipe = of((row) => row.pipes);
    entry.outcome = of((row) => row.outcome);
    entry.mnemonic = entry.name.split(" ")[0];
    entry.words = [entry.id, entry.name, ...on.flatMap((row) => [...row.expansion, ...row.pipes, ...row.labels, row.types,
      row.outcome, row.window, ...row.reason || [], ...row.disagreements])].join(" ").toLowerCase();
  }

  // Columns: the instruction, then for each GPU the same few.
  const measured = (entry, gpu) => entry.on[gpu] && entry.on[gpu].outcome === "measured" ? entry.on[gpu] : undefined;
  const value = (name) => (row) => estimate(row, name)?.value;
  const slowest = (row) => Math.max(...operands(row).map((operand) => value(`latency.${operand}`)(row)));
  const latency = (row) => {
    const groups = new Map(), names = operands(row);
    for (const operand of names) {
      const text = fixed(value(`latency.${operand}`)(row), 1);
      groups.set(text, [...groups.get(text) || [], operand]);
    }
    if (!names.length) return ["\u2013"];
    return [...groups].flatMap(([text, own]) => groups.size > 1 ? [el("i", "", own.join(" ")), el("b", "", text)] : [el("b", "", text)]);
  };
  const columns = [
    { key: "latency", title: "latency", unit: "cycles", css: "n", cell: latency, by: slowest },
    { key: "rate", title: "results", unit: "/clk/SM", css: "n", cell: (row) => el("b", "", digits(value("throughput")(row), 4)), by: value("throughput") },
    { key: "interval", title: "interval", unit: "cycles", css: "n", cell: (row) => [digits(value("interval")(row), 4)], by: value("interval") },
    { key: "pipe", title: "pipe", css: "", cell: (row) => [row.pipes.join(" ")], by: (row) => row.pipes.join(" ") },
    { key: "opcodes", title: "SASS", css: "mono", cell: (row) => [[counted(row.expansion), ...row.labels.filter((label) => label.startsWith("alternates "))].join(", ")], by: (row) => counted(row.expansion) },
  ];

  // What is asked for is in the address, so that a link shows the same.
  const state = { q: "", family: "", type: "", pipe: "", outcome: "", sort: "", down: "", i: "" };
