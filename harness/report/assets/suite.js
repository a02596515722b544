const suiteTerms = [
  ["window", "The machine code between the opening and the closing clock read, as the disassembler prints it. The instruction that is measured is highlighted; clock reads are grey."],
  ["B0----5:R-:W2:Y:S04", "How the machine code schedules an instruction: scoreboards waited for, scoreboard set until its sources are read, scoreboard set until its result is written, yield, and cycles until the warp's next issue."],
  ["latency", "The slope of cycles over the length of a dependent chain. The intercept is overhead and is listed with the row."],
  ["throughput", "Work per clock and SM. The plateau is the level at which the curve ends. A cross on the axis is a case without a published number."],
  ["GB/s", "A rate of an SM times the SMs of the GPU, at the clock that was measured around the case. Where one SM ran alone, it is an upper bound for all SMs, because they share L2 and DRAM."],
  ["interval", "The \u00b1 next to a value is the wider side of its interval; whiskers in a chart show both sides where they are wide enough to see. Rows open to their raw samples."],
  ["encoded", "Cycles between dependent instructions as the stall counts in the machine code state them: a second method for instructions of fixed latency."],
  ["clock", "The SM clock around the case, from the SM's cycle counter against the global timer. Cycles are measured; other times follow from them."],
];
// The page of a suite: report.html. `record` is result.json, `extra` what C++ makes of it (suite_extras() in C++).
const suitePage = (record, extra) => {
  const rows = record.rows, words = new Map((extra.rows ?? []).map((each, i) => [rows[i], each]));
  const metrics = new Map((record.metrics ?? []).map((metric) => [metric.name, metric]));
  const published = (row) => row.outcome === "measured";
  const estimate = (row, name) => (published(row) ? row.estimates?.find((each) => each.name === name) : undefined);
  const rowsBy = new Map(rows.map((row) => [row.id, row])), rowOf = (id) => rowsBy.get(id);

  // Parameters in the units of a reader.
  const bytesOf = (name) => extra.bytes[name];
  const parameterName = (name) => bytesOf(name)?.shown ?? name;
  const parameterLabel = (name) => (bytesOf(name) ? `${bytesOf(name).shown}, ${human(bytesOf(name).unit).split(" ")[1]}` : name);
  const parameterText = (name, value) => {
    if (value === undefined) return "";
    const unit = bytesOf(name)?.unit;
    return unit && typeof value === "number" && value >= 0 && (value * unit >= 1024 || unit > 1) ? human(value * unit) : String(value);
  };
  const parametersText = (row, names) => names.filter((name) => row.parameters?.[name] !== undefined).map((name) => `${parameterName(name)}=${parameterText(name, row.parameters[name])}`).join(" ");

  const range = (e) => {
    const wide = Math.max(e.value - e.low, e.high - e.value);
    return /^(fact|counter|encoded)$/.test(e.method) || !(wide >= 0) || e.low > e.value || e.high < e.value ? null : wide;
  };
  const placesOf = (all, name) => {
    const on = all.map((row) => estimate(row, name)).filter(Boolean), values = on.flatMap((e) => [e.value, e.low, e.high]).filter(isNumber), places = decimals(values);
    return places === 0 && on.some((e) => /^(slope|rate)$/.test(e.method)) && values.every((value) => Math.abs(value) < 1000) ? 2 : places;
  };
  const gigabytes = (row, e) => (e?.unit === "B/clk/SM" && record.device.sms && row.clock?.sm_mhz ? e.value * record.device.sms * row.clock.sm_mhz / 1e3 : undefined);
  const badge = (row) => {
    const shared = words.get(row)?.shared, text = shared && published(row) ? "shared" : published(row) ? row.window?.verdict ?? "" : row.outcome;
    return el("span", `badge ${shared ? "rejected" : row.outcome}`, text);
  };
  const reason = (row) => (published(row) ? null : `${row.reason?.code ?? ""} ${row.reason?.text ?? ""}`);

  /// What the rows of a probe have in common and what tells them apart.
  const outline = (probe, own) => {
    const names = unique(own.flatMap((row) => Object.keys(row.parameters ?? {})));
    const varying = names.filter((name) => unique(own.map((row) => row.parameters?.[name])).length > 1);
    const estimates = unique(own.filter(published).flatMap((row) => row.estimates ?? []).filter((e) => !/^(intercept|encoded)$/.test(e.method) && !e.name.endsWith(".overhead")).map((e) => e.name));
    return { probe, rows: own, varying, fixed: names.filter((name) => !varying.includes(name)), estimates, words: extra.probes?.find((each) => each.name === probe.name) ?? {},
      counters: unique(own.filter(published).flatMap((row) => Object.keys(row.counters ?? {}))), encoded: own.some((row) => published(row) && row.window?.encoded_cycles !== undefined) };
  };

  const evidence = (row) => {
    const window = row.window ?? {}, facts = Object.entries(row.facts ?? {}), counters = Object.entries(row.counters ?? {});
    const estimates = (row.estimates ?? []).map((e) => {
      const cause = e.varies && e.varies.why + (e.varies.reach ? `, the interval reaches ${digits(100 * e.varies.reach, 2)} %` : "");
      return [e.name, [digits(e.value, 6), " ", el("i", "", e.unit)], e.low === e.high ? "" : `${digits(e.low, 6)}${dash}${digits(e.high, 6)}`,
        [`${e.method}, ${e.n} samples`, e.note, cause && `may differ in another process: ${cause}`].filter(Boolean).join("; ")];
    });
    const state = (premise) => (!premise.known ? "unknown" : premise.held ? "held" : "broken");
    return [
      published(row) ? null : el("p", `reason ${row.outcome}`, el("b", "", `${row.outcome} at ${row.reason?.stage}: ${row.reason?.code}`), " ", row.reason?.text),
      words.get(row)?.encoded ? el("p", "reason", words.get(row).encoded) : null,
      el("div", "code", window.sass?.length ? el("figure", "", el("figcaption", "", "SASS between the clock reads", el("span", "", `${window.sass.length} instructions`)), sassFigure(window.sass, targetsOf(window.opcodes ?? []))) : null, row.ptx ? ptxFigure(row.ptx) : null),
      el("div", "cards",
        estimates.length ? card("Estimates", "", plainTable("estimates", ["name", "value", "interval", "method"], estimates, "mini")) : null,
        samplesCard(row.samples),
        window.verdict ? card("Window", "", pairs([["verdict", window.verdict], ["label", window.label], ["encoded distance", window.encoded_cycles === undefined ? "" : `${digits(window.encoded_cycles, 5)} cycles`], ["hash", window.sass_hash]]), opcodeList(window.opcodes ?? [])) : null,
        row.premises?.length ? card("Premises", "", el("ul", "marks", row.premises.map((p) => el("li", state(p), p.text, " ", el("i", "", p.known ? `${state(p)}: ${digits(p.value ?? 0, 6)}` : `unknown: ${p.why_unknown ?? ""}`))))) : null,
        counters.length || facts.length || row.counters_missing ? card("Counters and facts", "from launches of their own", pairs([...counters.map(([name, value]) => [name, `${digits(value, 5)} ${metrics.get(name)?.unit ?? ""}`]), ...facts.map(([name, value]) => [name, digits(value, 6)])]),
          row.counters_missing ? el("p", "missing", `No counters: ${row.counters_missing}`) : null) : null,
        conditionsCard(row.clock)),
    ];
  };

  const columnsOf = ({ rows: own, varying, estimates, counters, encoded }) => {
    const columns = [{ title: "window", text: (row) => `\u2713 ${badge(row).textContent}` + (row.window?.label ? ` ${row.window.label.split(":")[0]}` : ""), nodes: (row) => [badge(row), row.window?.label ? el("span", "tag", row.window.label.split(":")[0]) : null], raw: (row) => (published(row) ? row.window?.verdict : row.outcome) }];
    for (const name of varying) {
      const number = own.some((row) => typeof row.parameters?.[name] === "number");
      columns.push({ title: parameterName(name), css: number ? "n" : "mono", text: (row) => parameterText(name, row.parameters?.[name]), raw: (row) => row.parameters?.[name] });
    }
    for (const name of estimates) {
      const places = placesOf(own, name), units = unique(own.map((row) => estimate(row, name)?.unit).filter((unit) => unit !== undefined)), of = (row) => estimate(row, name);
      const around = (e) => (e && range(e) !== null && /[1-9]/.test(fixed(range(e), places)) ? `\u00b1${fixed(range(e), places)}` : "");
      columns.push({ title: name, unit: units.length === 1 && units[0] !== name ? unitText(units[0]) : "", css: "n", text: (row) => (of(row) ? `${fixed(of(row).value, places)} ${around(of(row))}` : dash),
        nodes: (row) => (of(row) ? [el("b", "", fixed(of(row).value, places)), around(of(row)) ? el("i", "", around(of(row))) : null] : dash), raw: (row) => of(row)?.value,
        more: [[`${name} low`, (row) => of(row)?.low], [`${name} high`, (row) => of(row)?.high]] });
      if (own.some((row) => gigabytes(row, of(row)) !== undefined)) {
        const moved = (row) => (row.clock.sm_high_mhz ? ` (${fixed(gigabytes(row, of(row)) * row.clock.sm_low_mhz / row.clock.sm_mhz, 0)} to ${fixed(gigabytes(row, of(row)) * row.clock.sm_high_mhz / row.clock.sm_mhz, 0)})` : "");
        columns.push({ title: "all SMs", unit: "GB/s", css: "n", text: (row) => (gigabytes(row, of(row)) === undefined ? dash : fixed(gigabytes(row, of(row)), 0) + moved(row)), raw: (row) => gigabytes(row, of(row)) });
      }
    }
    if (encoded) columns.push({ title: "encoded", unit: "cycles", css: "n", text: (row) => fixed(row.window?.encoded_cycles, 1), nodes: (row) => el("span", words.get(row)?.encoded ? "warn" : "", fixed(row.window?.encoded_cycles, 1)), raw: (row) => row.window?.encoded_cycles });
    for (const name of counters) {
      const places = decimals(own.map((row) => row.counters?.[name]));
      columns.push({ title: name, unit: metrics.get(name)?.unit, css: "n", text: (row) => fixed(row.counters?.[name], places), raw: (row) => row.counters?.[name] });
    }
    columns.push({ title: "clock", unit: "MHz", css: "n", text: (row) => (row.clock?.sm_high_mhz ? `${fixed(row.clock.sm_low_mhz, 0)} to ${fixed(row.clock.sm_high_mhz, 0)}` : row.clock?.sm_mhz ? fixed(row.clock.sm_mhz, 0) : dash),
      nodes: (row) => el("span", row.clock?.throttle?.length ? "warn" : "", row.clock?.sm_high_mhz ? `${fixed(row.clock.sm_low_mhz, 0)} to ${fixed(row.clock.sm_high_mhz, 0)}` : row.clock?.sm_mhz ? fixed(row.clock.sm_mhz, 0) : dash), raw: (row) => row.clock?.sm_mhz });
    return columns;
  };

  /// One chart for each combination of the parameters that are neither its axis nor its series.
  const charts = ({ probe, rows: own, varying, estimates, words: said }) => {
    const { x, series } = probe.chart ?? {}, y = probe.chart?.y || estimates[0], most = 16;
    if (!x || !y) return null;
    const rest = varying.filter((name) => name !== x && name !== series), numeric = own.every((row) => ["number", "undefined"].includes(typeof row.parameters?.[x])) && unique(own.map((row) => row.parameters?.[x]).filter(isNumber)).length > 1;
    const facets = [...groupBy(own, (row) => parametersText(row, rest))].filter(([, of]) => of.some(published));
    const places = placesOf(own, y), any = own.map((row) => estimate(row, y)).find(Boolean);
    if (!facets.length || !any) return null;
    const seriesName = (row) => { const value = series ? row.parameters?.[series] : undefined; return value === undefined ? "" : typeof value === "string" ? value : `${parameterName(series)}=${parameterText(series, value)}`; };
    const found = (record.features ?? []).filter((feature) => feature.probe === probe.name);
    const lineOf = (name, of, categories) => {
      const at = (row) => (numeric ? row.parameters?.[x] : categories.indexOf(parameterText(x, row.parameters?.[x])));
      const line = { name, points: [], missing: [] };
      for (const row of [...of].sort((a, b) => at(a) - at(b))) {
        const e = estimate(row, y), where = parametersText(row, varying);
        if (at(row) === undefined) continue;
        if (e && isNumber(e.value)) line.points.push({ x: at(row), y: e.value, low: range(e) === null ? e.value : e.low, high: range(e) === null ? e.value : e.high, id: row.id, text: `${where}: ${fixed(e.value, places)}${range(e) ? ` \u00b1${fixed(range(e), places)}` : ""} ${unitText(e.unit)}` });
        else if (!published(row)) line.missing.push({ x: at(row), id: row.id, text: `${where}: ${row.outcome}, ${row.reason?.code}` });
      }
      line.plateau = (said.plateaus ?? []).find((each) => of.some((row) => row.id === each.id));
      if (probe.along === x) {
        const own = found.filter((feature) => Object.entries(feature.parameters ?? {}).every(([key, value]) => of[0].parameters?.[key] === value));
        line.levels = own.filter((feature) => feature.to > (feature.from ?? 0) && feature.name.startsWith(`${y}.`)).map(({ from, to, value }) => ({ from, to, at: value, text: fixed(value, decimals([value])) }));
        line.places = own.filter((feature) => feature.name.startsWith(`${x}.`) && !feature.name.endsWith(".period")).map(({ low, high, value }) => ({ low, high, text: probe.chart.log_x && value >= 1024 ? human(value).replace(/ (.).*/, "$1i") : digits(value, 4) }));
      }
      return line;
    };
    const figures = facets.slice(0, most).map(([facet, of]) => {
      const categories = numeric ? null : unique(of.map((row) => parameterText(x, row.parameters?.[x])));
      const lines = [...groupBy(of, seriesName)].map(([name, mine]) => lineOf(name, mine, categories));
      const reached = lines.filter((line) => line.plateau).map((line) => `${digits(line.plateau.knee, 6)}${lines.length > 1 ? ` (${line.name})` : ""}`);
      return chart({ title: `${probe.name}: ${y} ${numeric ? "over" : "by"} ${x}${facet ? `, ${facet}` : ""}`, caption: facet, bars: !numeric, dense: Boolean(probe.along), lines, x: { label: parameterLabel(x), log: probe.chart.log_x, words: categories },
        y: { label: unitText(any.unit) ? `${y}, ${unitText(any.unit)}` : y }, below: reached.length ? `95 % of the plateau from ${parameterLabel(x)} = ${reached.join(", ")}.` : "" });
    });
    return [el("div", "charts", figures), facets.length > most ? el("p", "note", `${facets.length - most} further combinations are in the table only.`) : null];
  };

  const featuresTable = ({ probe, fixed: shared }) => {
    const found = (record.features ?? []).map((feature, i) => [feature, extra.clocks[i]]).filter(([feature]) => feature.probe === probe.name);
    const cells = ([feature, clock]) => featureCells(feature, Object.keys(feature.parameters ?? {}).filter((name) => !shared.includes(name)), record.device.sms, clock && { mhz: clock[0], low: clock[1], high: clock[2] }).map((cell, i) => (i === 2 ? el("b", "", cell) : cell));
    return found.length ? plainTable("what the curves show", ["curve", "found", "#value", "between", "evidence", "answered by", "note"], found.map(cells), "plain found") : null;
  };
  const publishedTable = (lines, about) => (lines?.length ? folded("others", `${lines.length} published value${lines.length === 1 ? "" : "s"} ${about}, ${lines.filter((each) => each.why).length || "none"} of them more than 5 % away`, () =>
    plainTable("published values", ["what", "measured", "by others", "difference", "on", "source", "why"], lines.map((each) => [each.says, el("b", "", each.measured), each.published, each.difference, each.gpu, each.source, each.why]), "plain published")) : null);

  const tables = new Map();
  const probeCard = (own) => {
    const { probe, rows: mine, words: said } = own, notes = new Map(), few = 5;
    const said_of = (list) => list.map(([name, text]) => el("li", "", el("b", "", name), " ", text));
    for (const row of mine) {
      for (const each of [...(row.estimates ?? []).filter((e) => e.method !== "encoded"), ...row.measures ?? []]) if (each.note) notes.set(`${each.name} ${each.note}`, [each.name, each.note]);
      if (row.window?.label) notes.set(row.window.label, ["window", row.window.label]);
      if (row.counters_missing) notes.set(row.counters_missing, ["counters", row.counters_missing]);
    }
    for (const each of said.varies ?? []) notes.set(each, ["repeats", each]);
    const tiles = probe.answers?.length ? el("dl", "tiles", probe.answers.map((each) => el("div", "", el("dt", "", each.name), el("dd", "", el("b", "", each.text), " ", each.unit === "B" ? "" : unitText(each.unit), each.all_sms ? el("span", "", each.all_sms) : null, el("span", "", each.detail)))))
      : el("p", "nothing", "Nothing is published: see the reasons below.");
    const plots = el("div", "plots"), common = own.fixed.map((name) => `${parameterName(name)}=${parameterText(name, mine[0].parameters[name])}`).join(" ");
    const part = folded("rows", `${mine.length} case${mine.length === 1 ? "" : "s"}: values, machine code and samples`, () => {
      const table = tableOf({ label: `cases of ${probe.name}`, name: probe.name.replaceAll("/", "-"), rows: mine, id: (row) => row.id, columns: columnsOf(own), lead: 1 + own.varying.length, why: reason, detail: evidence });
      tables.set(probe.name, table);
      return [placesOfProbe(own), layoutFigures(probe, mine), featuresTable(own), publishedTable(said.published, ""), common ? el("p", "fixed", `all with ${common}`) : null, table.node];
    });
    const id = `probe:${probe.name}`, node = el("article", { class: "probe", id }, el("h3", "", el("a", { href: `#${encodeURIComponent(id)}` }, probe.name)), probe.asks ? el("p", "asks", probe.asks) : null, tiles, plots, part,
      notes.size ? el("ul", "notes", said_of([...notes.values()].slice(0, few))) : null, notes.size > few ? folded("", `and ${notes.size - few} more notes`, () => el("ul", "notes", said_of([...notes.values()].slice(few)))) : null);
    if (probe.chart?.x) whenNear(node, () => plots.append(...[charts(own)].flat(9).filter(Boolean)));
    return node;
  };

  /// The value of each place (an SM) in each row, or which places share one.
  const placesOfProbe = ({ probe, rows: own, words: said }) => {
    const placed = own.filter((row) => published(row) && row.places?.length);
    if (placed.length && probe.finds?.some(({ what }) => what === "groups"))
      return plainTable(`places of ${probe.name}`, ["group", "places"], placeGroups(placed[0].places).map((places, i) => [String(i + 1), places.join(" ")]));
    return said.places ? placesMap(probe, placed, said.places) : null;
  };

  const section = (id, title, ...children) => el("section", { id }, el("h2", "", title), children);
  const hero = () => {
    const counts = ["measured", "unsteady", "rejected", "skipped", "failed"].map((outcome) => [outcome, rows.filter((row) => row.outcome === outcome).length]).filter(([outcome, count]) => count || outcome !== "unsteady");
    let at = 0;
    return [el("dl", "facts", extra.facts.map(([name, value]) => el("div", "", el("dt", "", name), el("dd", "", value)))),
      shape("svg", { class: "share", viewBox: "0 0 100 6", preserveAspectRatio: "none", "aria-hidden": "true" }, counts.map(([outcome, count]) => { const width = 100 * count / Math.max(1, rows.length), bar = shape("rect", { class: outcome, x: at, width, height: 6 }); at += width; return bar; })),
      el("ul", "tally", counts.map(([outcome, count]) => el("li", outcome, el("b", "", String(count)), ` ${outcome}`))),
      (extra.warnings ?? []).map((text) => el("p", { class: "warning", role: "alert" }, `${text}.`)), el("p", "rule", extra.clock),
      folded("provenance", "Provenance", () => pairs(extra.provenance))];
  };
  const findings = () => {
    const block = (title, items, none) => (items.length || none ? [el("h3", "", title), items.length ? el("ul", "findings", items.map(([row, text]) => el("li", "", link(row.id, row.id, "case-link"), " ", text))) : el("p", "none", none)] : []);
    const compared = rows.filter((row) => published(row) && row.window?.encoded_cycles !== undefined).length;
    return section("findings", "Findings",
      block("Measured against encoded", rows.filter((row) => words.get(row)?.encoded).map((row) => [row, words.get(row).encoded]), compared ? `All ${compared} chains of fixed-latency instructions take the cycles that their encoding states, within ${extra.encoded_tolerance} cycle.` : "No measured case has a fixed-latency chain to compare with."),
      block("Throttled while measured", rows.filter((row) => published(row) && row.clock?.throttle?.length).map((row) => [row, row.clock.throttle.join(", ")]), "No throttle reason was in force during any measured case."),
      block("Shared: measured while other work ran on the GPU", rows.filter((row) => words.get(row)?.shared).map((row) => [row, ""]), ""),
      block("Premises that could not be checked", rows.filter(published).flatMap((row) => (row.premises ?? []).filter((p) => !p.known).map((p) => [row, `${p.text}: ${p.why_unknown ?? ""}`])), ""));
  };
  const unpublished = () => {
    const lost = rows.filter((row) => !published(row)), groups = [...groupBy(lost, (row) => JSON.stringify([row.outcome, row.reason]))];
    return section("unpublished", "What is not published, and why", lost.length ? el("dl", "reasons", groups.map(([, of]) => el("div", "", el("dt", "", el("b", "", `${of[0].outcome}: ${of[0].reason?.code}`), " ", of[0].reason?.text, " ", el("i", "", `at ${of[0].reason?.stage}`)), el("dd", "", of.map((row) => link(row.id, row.id, "case-link"))))))
      : el("p", "none", "Every case of this run was measured with a verified window."));
  };
  const reading = () => section("reading", "How to read this page", el("dl", "reading", [...suiteTerms, ...(record.metrics ?? []).map((metric) => [metric.unit ? `${metric.name}, ${metric.unit}` : metric.name, metric.text])].map(([name, text]) => el("div", "", el("dt", "", name), el("dd", "", text)))));

  // A case whose probe the record does not describe has one of its own.
  const known = record.probes ?? [], described = new Set(known.map((probe) => probe.name));
  const probes = [...known, ...unique(rows.map((row) => row.probe)).filter((name) => !described.has(name)).map((name) => ({ name, family: name.split("/")[0] }))];
  const families = [...groupBy(probes, (probe) => probe.family)].map(([name, probes]) => [name, probes.map((probe) => [probe, rows.filter((row) => row.probe === probe.name)]).filter(([, own]) => own.length).map(([probe, own]) => outline(probe, own))]).filter(([, probes]) => probes.length);
  const first = [memoryPicture(extra.picture, (name) => (probes.some((probe) => probe.name === name) ? `#${encodeURIComponent(`probe:${name}`)}` : null), publishedTable(extra.published, "next to what the driver states")), tensorTable(extra.tensor, rowOf, record.device.sms), handoffChart(extra.handoffs, rowOf), pipelineCharts(extra.pipelines, rowOf)].filter(Boolean);
  const nav = byId("sections"), main = byId("main");
  nav.append(el("ul", "", [...first.map((each) => [each.id, each.querySelector("h2").textContent]), ["findings", "Findings"]].map(([id, text]) => el("li", "", el("a", { href: `#${id}` }, text)))),
    el("ul", "", families.map(([name, probes]) => el("li", "", el("a", { class: "fam", href: `#${encodeURIComponent(`family:${name}`)}` }, name), el("ul", "", probes.map(({ probe, rows: own }) => el("li", "", el("a", { href: `#${encodeURIComponent(`probe:${probe.name}`)}` }, probe.name.slice(probe.name.indexOf("/") + 1), " ", el("i", "", String(own.length))))))))),
    el("ul", "", el("li", "", el("a", { href: "#unpublished" }, "What is not published")), el("li", "", el("a", { href: "#reading" }, "How to read this page"))));
  main.append(...hero().flat(9).filter(Boolean), ...first, findings(), ...families.map(([name, probes]) => el("section", { class: "family", id: `family:${name}` }, el("h2", "", name), probes.map(probeCard))), unpublished(), reading());

  // The section in view is marked in the navigation.
  const links = new Map([...nav.querySelectorAll("a")].map((a) => [decodeURIComponent(a.hash.slice(1)), a]));
  const watch = new IntersectionObserver((entries) => {
    for (const entry of entries) {
      if (!entry.isIntersecting) continue;
      for (const a of links.values()) a.classList.remove("here");
      links.get(entry.target.id)?.classList.add("here");
    }
  }, { rootMargin: "-10% 0px -80% 0px" });
  for (const each of document.querySelectorAll(".probe, main > section[id]:not(.family)")) watch.observe(each);

  /// A link to a case opens the part of its probe and its evidence.
  return (id) => {
    const row = rowsBy.get(id), node = byId(id);
    // What is on the screen now gets its height, which moves what is below it.
    if (!row) { node?.scrollIntoView(); requestAnimationFrame(() => requestAnimationFrame(() => node?.scrollIntoView())); return; }
    const part = byId(`probe:${row.probe}`)?.querySelector(".rows");
    if (!part) return;
    part.open = true;
    part.fill();
    const table = tables.get(row.probe);
    table.reveal(id);
    table.node.scrollIntoView({ block: "start" });
  };
};
pages.suite = ([record], extra) => suitePage(record, extra);
