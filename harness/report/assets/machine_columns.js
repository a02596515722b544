  const search = byId("search"), shown = byId("shown"), filters = ["family", "type", "outcome"];
  const measures = { latency: (row) => row.latencies.some((each) => each.cycles), "minimum stall count": (row) => row.latencies.some((each) => each.minimum_stall !== undefined),
    scoreboard: (row) => row.scoreboard, "issue interval": (row) => row.issue_interval, "stall counts and yield": hasSurface,
    findings: (row) => row.disagreements.length };

  const entries = new Map();
  tables.forEach((table, gpu) => {
    for (const row of table.rows) {
      if (!entries.has(row.id)) entries.set(row.id, { id: row.id, name: row.text, family: opcode(row).split(".")[0], on: [] });
      entries.get(row.id).on[gpu] = row;
    }
  });
  const all = [...entries.values()];
  for (const entry of all) {
    const on = entry.on.filter(Boolean);
    entry.type = new Set(on.flatMap((row) => Object.keys(measures).filter((name) => measures[name](row))));
    entry.outcome = new Set(on.map((row) => (row.outcome === "measured" ? "measured" : row.reason[1])));
    entry.mnemonic = opcode(on[0]);
    entry.words = [entry.id, entry.name, ...entry.type, ...on.flatMap((row) => [row.outcome, row.word, ...(row.outcome === "measured" ? [] : row.reason),
      ...row.latencies.flatMap((each) => [each.return_path, each.note])])].join(" ").toLowerCase();
  }

  const measured = (entry, gpu) => entry.on[gpu] && entry.on[gpu].outcome === "measured" ? entry.on[gpu] : undefined;
  const most = (values) => Math.max(...values.filter(isNumber));
  const columns = [
    { key: "latency", title: "latency", unit: "cycles", css: "n", cell: (row) => [latencyText(row) || "\u2013"], by: (row) => most(row.latencies.map((each) => each.cycles && each.cycles.value)) },
    { key: "stall", title: "minimum", unit: "stall count", css: "n", cell: (row) => [stallText(row) || "\u2013"], by: (row) => most(row.latencies.map((each) => each.minimum_stall)) },
    { key: "encoded", title: "encoded", unit: "cycles", css: "n", cell: (row) => [row.encoded_cycles === undefined ? "\u2013" : String(row.encoded_cycles)], by: (row) => row.encoded_cycles },
    { key: "every", title: "interval", unit: "cycles", css: "n", cell: (row) => [digits(row.issue_interval && row.issue_interval.value, 4)], by: (row) => row.issue_interval && row.issue_interval.value },
    { key: "alone", title: "one warp", unit: "cycles", css: "n", cell: (row) => [digits(oneWarp(row), 4)], by: (row) => { const least = oneWarp(row); return isNumber(least) ? least : undefined; } },
  ];

  // What is asked for is in the address, so that a link shows the same.
  const state = { q: "", family: "", type: "", outcome: "", sort: "", down: "", i: "" };
