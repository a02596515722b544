// The one chart of all pages: points with intervals on linear or logarithmic axes, as lines or as bars, with the value
// under the pointer. `chart()` takes
//   title, x: {label, log, words: [category]}, y: {label, log}, bars, dense, dots (no lines between points),
//   lines: [{name, points: [{x, y, low, high, text, id or href}], missing: [{x, text, id}], dashed, plateau: {level, knee},
//            levels: [{from, to, at, text}], places: [{low, high, text}]}]
// and gives a <figure>. In bars, x is the index of a category.
const chart = (() => {
  const width = 440, top = 26, em = 6.6;

  const niceTicks = (low, high, most) => {
    const wish = (high - low || Math.abs(high) || 1) / most, size = 10 ** Math.floor(Math.log10(wish));
    const step = [1, 2, 5, 10].find((each) => each * size >= wish) * size, ticks = [];
    for (let i = Math.floor(low / step + 1e-9); i * step < high + step * 0.999; ++i) ticks.push(Number((i * step).toPrecision(12)));
    return ticks;
  };
  const logTicks = (low, high, base, most) => {
    const from = Math.floor(Math.log(low) / Math.log(base) + 1e-9), to = Math.ceil(Math.log(high) / Math.log(base) - 1e-9);
    const every = Math.max(1, Math.ceil((to - from) / most)), ticks = [];
    for (let i = from; i < to + every; i += every) ticks.push(base ** i);
    return ticks.length > 1 ? ticks : [base ** from, base ** (from + 1)];
  };
  const tickText = (value, binary) => {
    if (binary && value >= 1024) {
      const at = Math.min(4, Math.floor(Math.log2(value) / 10));
      return `${Number((value / 1024 ** at).toPrecision(3))}${["", "Ki", "Mi", "Gi", "Ti"][at]}`;
    }
    return Math.abs(value) >= 1e6 ? `${value / 1e6}M` : digits(value, 6);
  };
  const scaleOf = (ticks, from, to, log) => {
    const at = (value) => (log ? Math.log(value) : value), low = at(ticks[0]), high = at(ticks.at(-1));
    return (value) => from + (to - from) * (at(value) - low) / (high - low);
  };
  /// Heights near the wishes, at least `pitch` apart.
  const spread = (wishes, low, high, pitch) => {
    const order = wishes.map((wish, i) => [wish, i]).sort((a, b) => a[0] - b[0]), at = [...wishes];
    const apart = Math.min(pitch, (high - low) / Math.max(1, wishes.length - 1));
    let least = low;
    for (const [, i] of order) { at[i] = Math.max(at[i], least); least = at[i] + apart; }
    let most = high;
    for (const [, i] of order.reverse()) { at[i] = Math.min(at[i], most); most = at[i] - apart; }
    return at;
  };
  const whisker = (x, low, high) => shape("path", { class: "wh", d: `M${x} ${low}V${high}M${x - 3} ${low}h6M${x - 3} ${high}h6` });

  const axes = (svg, plot) => {
    const { x, y, xTicks, yTicks, left, right, bottom, spec } = plot;
    for (const tick of yTicks) {
      svg.append(shape("path", { class: tick === 0 ? "ax" : "gr", d: `M${left} ${y(tick)}H${right}` }),
        shape("text", { class: "t", x: left - 7, y: y(tick) + 4, "text-anchor": "end" }, tickText(tick)));
    }
    const wide = Math.max(...xTicks.map((tick) => tickText(tick, plot.logX).length)) * em + 6;
    const every = Math.max(1, Math.ceil(wide * (xTicks.length - 1) / (right - left)));
    xTicks.forEach((tick, i) => {
      svg.append(shape("path", { class: "tk", d: `M${x(tick)} ${bottom}v4` }));
      if (i % every === 0) svg.append(shape("text", { class: "t", x: x(tick), y: bottom + 17, "text-anchor": "middle" }, tickText(tick, plot.logX)));
    });
    svg.append(shape("text", { class: "t y", x: 0, y: 12 }, spec.y.label),
      shape("text", { class: "t y", x: (left + right) / 2, y: bottom + 35, "text-anchor": "middle" }, spec.x.label));
  };

  /// Text where there is room; a place's text is only in the table otherwise.
  const placer = (svg, left, right) => {
    const taken = [];
    return (x, y, text) => {
      const half = em * text.length / 2 + 2;
      x = Math.min(Math.max(x, left + half), Math.max(right - half, left + half));
      for (const each of taken) {
        const clear = Math.abs(x - each.x) >= half + each.half;
        if (each.text === text && (!clear || each.y === y)) return true;
        if (!clear && Math.abs(y - each.y) < 12) return false;
      }
      taken.push({ x, y, half, text });
      svg.append(shape("text", { class: "t h", x, y, "text-anchor": "middle" }, text));
      return true;
    };
  };

  const marks = (svg, plot) => {
    const { x, y, left, right, bottom, spec } = plot, free = placer(svg, left, right);
    const inside = (value) => Math.min(Math.max(x(value), left), right), has = (value) => isNumber(value) && (!plot.logX || value > 0);
    spec.lines.forEach((line) => {
      for (const each of line.places ?? []) {
        if (!has(each.low) || !has(each.high)) continue;
        const from = inside(each.low), to = Math.max(inside(each.high), from + 1);
        svg.append(shape("rect", { class: `bd ${line.hue}`, x: from, y: top, width: to - from, height: bottom - top }));
        for (let row = 0; row < 4 && !free((from + to) / 2, top + 8 + 12 * row, each.text); ++row);
      }
    });
    spec.lines.forEach((line) => {
      for (const each of line.levels ?? []) {
        if (!has(each.from) || !has(each.to)) continue;
        const from = inside(each.from), to = inside(each.to), at = y(each.at);
        svg.append(shape("path", { class: `lv ${line.hue}`, d: `M${from} ${at}H${to}` }));
        free((from + to) / 2, at - 7 < top ? at + 14 : at - 7, each.text);
      }
    });
    const best = spec.lines.map((line) => line.plateau).filter(Boolean).sort((a, b) => b.level - a.level)[0];
    if (best) {
      svg.append(shape("path", { class: "pl", d: `M${left} ${y(best.level)}H${right}` }),
        shape("path", { class: "kn", d: `M${x(best.knee)} ${y(0.95 * best.level)}V${bottom}` }),
        shape("text", { class: "t h", x: left + 4, y: y(best.level) - 5 }, `plateau ${digits(best.level, 4)}`));
      free(x(best.knee), bottom - 7, `95 % at ${tickText(best.knee, plot.logX)}`);
    }
  };

  const names = (svg, plot) => {
    const lines = plot.spec.lines.filter((line) => line.points.length && !line.dashed);
    if (lines.length < 2) return;
    const room = Math.floor((plot.bottom - top) / 9), every = Math.ceil(lines.length / room);
    const at = spread(lines.map((line) => plot.y(line.points.at(-1).y)), top, plot.bottom, 14);
    lines.forEach((line, n) => {
      if (n % every) return;
      svg.append(shape("circle", { class: `mk ${line.hue}`, cx: plot.right + 12, cy: at[n], r: 3 }),
        shape("text", { class: "t", x: plot.right + 20, y: at[n] + 4 }, shorten(line.name)));
    });
  };
  const shorten = (text) => (text.length > 18 ? text.slice(0, 17) + "\u2026" : text);

  const drawLines = (spec, log) => {
    const points = spec.lines.flatMap((line) => line.points), bottom = 228, height = 270;
    const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}` });
    const xs = [...points, ...spec.lines.flatMap((line) => line.missing ?? [])].map((point) => point.x);
    const ends = points.flatMap((point) => [point.y, ...(point.high - point.low < 0.5 * Math.abs(point.y) ? [point.low, point.high] : [])]).filter(isNumber);
    const low = Math.min(...ends), high = Math.max(...ends), logY = log.y && low > 0, logX = log.x && Math.min(...xs) > 0;
    const yTicks = logY ? logTicks(low, high, 10, 5) : niceTicks(Math.min(0, low), Math.max(high, low > 0 ? high : 1e-9), 5);
    const xTicks = logX ? logTicks(Math.min(...xs), Math.max(...xs), 2, 8) : niceTicks(Math.min(...xs), Math.max(...xs), 6);
    const named = spec.lines.filter((line) => line.points.length && !line.dashed);
    const left = 12 + em * Math.max(...yTicks.map((tick) => tickText(tick).length));
    const right = width - (named.length < 2 ? 14 : 26 + em * Math.max(...named.map((line) => shorten(line.name).length)));
    const plot = { spec, logX, xTicks, yTicks, left, right, bottom, x: scaleOf(xTicks, left, right, logX), y: scaleOf(yTicks, bottom, top, logY) };
    const inside = (value) => Math.min(Math.max(logY && value <= 0 ? bottom : plot.y(value), top), bottom), shown = [];
    axes(svg, plot);
    spec.lines.forEach((line, i) => {
      const css = line.hue, path = line.points.map((point) => `${plot.x(point.x).toFixed(1)} ${inside(point.y).toFixed(1)}`);
      if (path.length && !spec.dots) svg.append(shape("path", { class: `ln ${css}${line.dashed || i >= 8 ? " da" : ""}`, d: "M" + path.join("L") }));
      if (line.dashed) return;
      const group = shape("g", css);
      for (const point of line.points) {
        const x = plot.x(point.x), y = inside(point.y);
        if (isNumber(point.low) && isNumber(point.high) && Math.abs(inside(point.low) - inside(point.high)) > 7) group.append(whisker(x, inside(point.low), inside(point.high)));
        group.append(shape("circle", { class: "mk", cx: x, cy: y, r: spec.dense || spec.dots ? 1.6 : 3 }));
        shown.push({ x, y, point });
      }
      svg.append(group);
    });
    marks(svg, plot);
    const stacked = new Map();
    spec.lines.forEach((line) => {
      for (const point of line.missing ?? []) {
        const x = plot.x(point.x), below = stacked.get(x) ?? 0, y = bottom - 7 - 9 * below;
        stacked.set(x, below + 1);
        svg.append(shape("path", { class: `gap ${line.hue}`, d: `M${x - 3} ${y - 3}l6 6M${x - 3} ${y + 3}l6 -6` }));
        shown.push({ x, y, point });
      }
    });
    names(svg, plot);
    return { svg, shown };
  };

  const drawBars = (spec, log) => {
    const rows = spec.x.words.flatMap((name, at) => spec.lines.flatMap((line) =>
      [...line.points, ...line.missing ?? []].filter((point) => point.x === at).map((point) => ({ name, line, point }))));
    const named = spec.lines.length > 1 ? spec.lines.filter(({ name }) => name) : [], pitch = 20, height = 44 + pitch * rows.length, bottom = height - 20;
    const svg = shape("svg", { class: "chart", viewBox: `0 0 ${width} ${height}` });
    const short = (text) => (text.length > 27 ? text.slice(0, 26) + "\u2026" : text);
    const left = Math.min(200, 14 + (em + 0.4) * Math.max(...rows.map((row) => short(row.name).length))), right = width - 52;
    const ends = rows.flatMap(({ point }) => [point.y, point.high]).filter(isNumber), values = rows.map(({ point }) => point.y).filter(isNumber);
    const logY = log.y && Math.min(...values) > 0;
    const ticks = logY ? logTicks(Math.min(...values) / 1.01, Math.max(...ends), 10, 4) : niceTicks(Math.min(0, ...values), Math.max(...ends, 1e-9), 4);
    const at = scaleOf(ticks, left, right, logY), shown = [];
    svg.append(shape("text", { class: "t y", x: 0, y: 12 }, spec.y.label));
    let next = Math.max(60, left);
    for (const { name, hue } of named) {
      svg.append(shape("circle", { class: `mk ${hue}`, cx: next + 4, cy: 8, r: 4 }), shape("text", { class: "t", x: next + 12, y: 12 }, shorten(name)));
      next += 24 + (em + 0.6) * shorten(name).length;
    }
    for (const tick of ticks) {
      svg.append(shape("path", { class: tick === 0 ? "ax" : "gr", d: `M${at(tick)} ${top - 4}V${bottom}` }),
        shape("text", { class: "t", x: at(tick), y: bottom + 14, "text-anchor": "middle" }, tickText(tick)));
    }
    rows.forEach(({ point, ...row }, n) => {
      const y = top + pitch * n, zero = at(logY ? ticks[0] : 0);
      if (row.name !== rows[n - 1]?.name) svg.append(shape("text", { class: "t", x: left - 6, y: y + 11, "text-anchor": "end" }, short(row.name)));
      if (!isNumber(point.y)) {
        svg.append(shape("path", { class: `gap ${row.line.hue}`, d: `M${zero + 4} ${y + 4}l6 6M${zero + 4} ${y + 10}l6 -6` }));
        shown.push({ x: zero + 7, y: y + 7, point });
        return;
      }
      const end = at(point.y), group = shape("g", row.line.hue);
      group.append(shape("rect", { class: "br", x: Math.min(zero, end), y, width: Math.max(1, Math.abs(end - zero)), height: 14 }));
      let far = Math.max(zero, end);
      if (isNumber(point.low) && isNumber(point.high) && at(point.high) - at(logY ? Math.max(point.low, ticks[0]) : point.low) > 5) {
        const low = at(logY ? Math.max(point.low, ticks[0]) : point.low);
        far = at(point.high);
        group.append(shape("path", { class: "wh", d: `M${low} ${y + 7}H${far}M${low} ${y + 4}v6M${far} ${y + 4}v6` }));
      }
      svg.append(group, shape("text", { class: "t v", x: far + 5, y: y + 11 }, digits(point.y, 4)));
      shown.push({ x: end, y: y + 7, point });
    });
    return { svg, shown };
  };

  return (spec) => {
    let hue = -1;
    // A prediction has the colour of what it predicts.
    for (const line of spec.lines) line.hue = `s${(line.dashed && hue >= 0 ? hue : ++hue) % 8}`;
    const log = { x: Boolean(spec.x.log), y: Boolean(spec.y.log) }, tip = el("div", { class: "tip", role: "status", hidden: true });
    const holder = el("div", "plot", tip), buttons = el("div", "axes");
    const any = spec.lines.some((line) => line.points.length);
    let shown = [], at = -1;
    const point = (index) => {
      at = index;
      tip.hidden = at < 0;
      holder.querySelector(".on")?.remove();
      if (at < 0) return;
      const { x, y, point: on } = shown[at], svg = holder.querySelector("svg"), box = svg.getBoundingClientRect(), scale = box.width / width;
      svg.append(shape("circle", { class: "on", cx: x, cy: y, r: 6 }));
      tip.textContent = on.text;
      tip.style.left = `${Math.min(Math.max(0, x * scale - tip.offsetWidth / 2), Math.max(0, box.width - tip.offsetWidth))}px`;
      tip.style.top = `${y * scale - tip.offsetHeight - 10}px`;
    };
    const nearest = (event) => {
      const box = holder.querySelector("svg").getBoundingClientRect(), scale = width / box.width;
      const x = (event.clientX - box.left) * scale, y = (event.clientY - box.top) * scale;
      let best = -1, least = 40 ** 2;
      shown.forEach((each, i) => {
        const far = spec.bars ? (each.y - y) ** 2 * 4 : (each.x - x) ** 2 + (each.y - y) ** 2;
        if (far < least) { least = far; best = i; }
      });
      return best;
    };
    const follow = () => { const { id, href } = shown[at]?.point ?? {}; if (href) location.href = href; else if (id) location.hash = encodeURIComponent(id); };
    const draw = () => {
      const drawn = spec.bars ? drawBars(spec, log) : drawLines(spec, log);
      shown = drawn.shown;
      make(drawn.svg, { tabindex: 0, role: "group", "aria-label": `${spec.title}. ${shown.length} points; arrow keys read them, Enter opens the row.`,
        onpointermove: (event) => point(nearest(event)), onpointerleave: () => point(-1), onblur: () => point(-1), onclick: (event) => { point(nearest(event)); follow(); },
        onkeydown: (event) => {
          const step = { ArrowRight: 1, ArrowDown: 1, ArrowLeft: -1, ArrowUp: -1 }[event.key];
          if (step) { event.preventDefault(); point((at + step + shown.length) % shown.length); }
          if (event.key === "Enter") follow();
          if (event.key === "Escape") point(-1);
        } }, []);
      holder.replaceChildren(drawn.svg, tip);
      point(-1);
    };
    const toggle = (axis, text) => {
      const button = el("button", { type: "button", "aria-pressed": String(log[axis]), onclick: () => {
        log[axis] = !log[axis];
        button.setAttribute("aria-pressed", log[axis]);
        draw();
      } }, text);
      return button;
    };
    const csv = el("button", { type: "button", title: "the points as CSV", onclick: () => download(`${spec.title}.csv`, chartCsv(spec)) }, "CSV");
    const positive = (of) => spec.lines.every((line) => line.points.every((each) => of(each) > 0));
    if (any) {
      if (!spec.bars && positive((each) => each.x)) buttons.append(toggle("x", "log x"));
      if (positive((each) => each.y)) buttons.append(toggle("y", spec.bars ? "log" : "log y"));
      buttons.append(csv);
      draw();
    } else {
      holder.append(el("p", "nothing", "no measured point"));
    }
    return el("figure", "", spec.caption ? el("figcaption", "", spec.caption) : null, holder, buttons, spec.below ? el("figcaption", "knee", spec.below) : null);
  };
})();
/// The points of a chart, one a line.
const chartCsv = ({ x, y, lines }) => csvText([["line", x.label || "x", y.label || "y", "low", "high", "id"],
  ...lines.flatMap(({ name, points }) => points.map((point) => [name, x.words ? x.words[point.x] : point.x, point.y, point.low ?? "", point.high ?? "", point.id ?? ""]))]);
