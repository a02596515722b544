#!/usr/bin/env python3
"""Opens a page in headless Chromium and checks that it needs nothing else, and that each of its sections is there.

    page_check.py PAGE.html [--hostile] [--screenshots DIR] [--chromium PROGRAM]
    page_check.py PAGE.html --picture FILE.png [--of SELECTOR] [--open ID]
    page_check.py --serve

At 1280 and at 390 pixels, in light and dark: no console message of level warning or error, no request but for the file itself,
no horizontal overflow of the page, names for readers of the screen. Without JavaScript the page shows its heading, and links
to its files. Then what its kind (data-page) has, see KINDS. --hostile: every text of its data would break out of where it is
put if it became markup; none may. --picture checks nothing: it writes a PNG of the first screen, or of the first element that
the selector finds, at 1280 pixels in light; --open is a part of the page to open before. Exit status: 0 all holds, 1 a check failed, 77 there is no Chromium that starts.

--serve reads a question a line from stdin and answers each by a line {"failures": [text], "said": text}, with one browser:
{"page": path, "whole": true, "hostile": bool} as above, {"page": path, "facts": [[JavaScript, value], ...]} in one size and
colour, {"site": path of index.html} as pages_check.py, {"has": "browser"}. Without one it answers {"skipped": why}.
"""
import argparse
import base64
import contextlib
import io
import json
import pathlib
import sys
import time
import urllib.parse

import chromium
import pages_check

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > document.documentElement.clientWidth + 1
  && !e.closest('.scroll, .list, .code, pre, svg, .detail')).slice(0, 3).map(e => e.tagName + '.' + e.className).join(' ')"""
UNNAMED = """[...document.querySelectorAll('button, input, select, a[href], table[role], svg[role]')].filter(e => e.checkVisibility() &&
  !(e.textContent.trim() || e.getAttribute('aria-label') || e.title)).map(e => e.outerHTML.slice(0, 80)).slice(0, 3)"""
DEAD_LINKS = """[...document.querySelectorAll('#sections a, .picture a, .findings a')].map(a => decodeURIComponent(a.hash.slice(1))).filter(
  id => id && !document.getElementById(id) && !id.includes('[')).slice(0, 5)"""
# Nothing that only markup in the data could have made.
MARKUP = """[document.querySelectorAll('img, iframe, object, embed, form, [onerror], [onmouseover], [style*="url"]').length, document.querySelectorAll('script').length,
  String(window.poisoned), document.title === 'poisoned']"""
OPEN_ALL = """(async () => { for (const part of document.querySelectorAll('main details')) { part.open = true; part.fill?.(); }
  for (const node of document.querySelectorAll('.probe')) node.style.contentVisibility = 'visible';
  for (const at of [0, .25, .5, .75, 1]) { scrollTo(0, at * document.body.scrollHeight); await new Promise(done => setTimeout(done, 150)); }
  dispatchEvent(new Event('beforeprint')); dispatchEvent(new Event('afterprint')); await new Promise(done => setTimeout(done, 100)); scrollTo(0, 0);
  for (const node of document.querySelectorAll('.probe')) node.style.contentVisibility = ''; })()"""


def ready(browser, url, width, dark):
    browser.open(url, width, dark, True)
    end = time.monotonic() + 20
    while browser.evaluate("document.documentElement.dataset.ready") != "yes":
        if time.monotonic() > end:
            return False
        time.sleep(0.05)
    return True


def table_works(browser, expect, where):
    """The first table of the page with rows: it sorts, filters, copies, opens a row by mouse and by key, and closes it."""
    found = browser.evaluate("""(async () => {
      const wait = (ms) => new Promise(done => setTimeout(done, ms)), view = [...document.querySelectorAll('.view')].find(v => v.querySelectorAll('tr[data-at]').length > 1);
      if (!view) return null;
      const rows = () => [...view.querySelectorAll('tr[data-at]')], table = view.querySelector('.grid'), said = {};
      const heads = [...view.querySelectorAll('thead th')], numbers = heads.findIndex((h, i) => h.classList.contains('n') && rows().every(r => !/iB$/.test(r.cells[i]?.textContent)));
      const column = () => rows().map(r => parseFloat(r.cells[numbers]?.textContent.replace('\\u2212', '-'))).filter(v => !Number.isNaN(v));
      if (numbers >= 0) {
        heads[numbers].querySelector('button').click(); said.up = column(); said.sorted = heads[numbers].getAttribute('aria-sort');
        heads[numbers].querySelector('button').click(); said.down = column(); heads[numbers].querySelector('button').click();
      }
      said.count = Number(table.getAttribute('aria-rowcount')) - 1;
      const box = view.querySelector('.filters input');
      if (box) { box.value = 'no such row'; box.dispatchEvent(new Event('input')); said.none = rows().length; box.value = ''; box.dispatchEvent(new Event('input')); said.all = rows().length; }
      if (!table.classList.contains('closed')) {
        rows()[0].cells[0].click(); await wait(50); said.opened = view.querySelector('.detail').textContent.length; said.visible = !view.querySelector('.detail').hidden;
        table.focus(); table.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true })); said.closed = view.querySelector('.detail').hidden;
        for (const key of ['ArrowDown', 'Enter']) table.dispatchEvent(new KeyboardEvent('keydown', { key, bubbles: true }));
        said.keyed = !view.querySelector('.detail').hidden && table.getAttribute('aria-activedescendant') === view.querySelector('tr.here')?.id;
        table.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      }
      return said; })()""")
    expect(found is not None, f"{where}: no table with rows")
    if found is None:
        return
    expect(found.get("up", []) == sorted(found.get("up", [])) and found.get("sorted", "ascending") == "ascending", f"{where}: a head does not sort: {found}")
    expect(found.get("down", []) == sorted(found.get("down", []), reverse=True), f"{where}: a second click does not turn the order: {found}")
    expect(found.get("none", 0) == 0 and found.get("all", 1) > 0, f"{where}: the filter does not filter: {found}")
    if "opened" in found:
        expect(found["visible"] and found["opened"] > 40 and found["closed"] and found["keyed"], f"{where}: a row does not open and close: {found}")


def chart_works(browser, expect, where):
    """Its points say their values under the pointer and by the keys, and its axes turn logarithmic."""
    found = browser.evaluate("""(() => { const svg = document.querySelector('svg.chart[tabindex]'); if (!svg) return null; const plot = svg.parentNode, tip = plot.querySelector('.tip');
      svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'ArrowRight', bubbles: true })); const keyed = tip.hidden ? '' : tip.textContent;
      const on = svg.querySelector('.on').getBoundingClientRect(); svg.dispatchEvent(new KeyboardEvent('keydown', { key: 'Escape', bubbles: true }));
      svg.dispatchEvent(new PointerEvent('pointermove', { clientX: on.x + on.width / 2, clientY: on.y + on.height / 2, bubbles: true }));
      const hovered = tip.hidden ? '' : tip.textContent, button = plot.parentNode.querySelector('.axes button'), before = svg.innerHTML; button?.click();
      const turned = !button || plot.querySelector('svg').innerHTML !== before; button?.click();
      return { keyed, hovered, turned, size: plot.querySelector('svg').getBoundingClientRect().width }; })()""")
    expect(found is not None, f"{where}: no chart")
    if found:
        expect(found["keyed"] and found["hovered"] and found["turned"] and found["size"] > 200, f"{where}: a chart does not answer: {found}")


def suite(browser, url, expect, hostile):
    expect(browser.evaluate("document.querySelectorAll('.probe').length") > 0, "no probe")
    browser.evaluate(OPEN_ALL)
    wrong = browser.evaluate("""[...document.querySelectorAll('.rows')].filter(p => parseInt(p.querySelector('summary').textContent) !==
      Number(p.querySelector('.grid').getAttribute('aria-rowcount')) - 1).map(p => p.closest('.probe').id)""")
    expect(not wrong, f"other rows than the part says: {wrong}")
    for each in ("findings", "unpublished", "reading"):
        expect(browser.evaluate(f"document.querySelector('#{each} h2') !== null"), f"no section {each}")
    for each, inside in (("memory", ".picture .level .num"), ("tensor", ".grid tr[data-at]"), ("handoffs", "svg .br"), ("pipelines", "svg .ln.da")):
        if browser.evaluate(f"document.getElementById('{each}') !== null"):
            expect(browser.evaluate(f"document.querySelectorAll('#{each} {inside}').length") > 0, f"section {each} is empty")
    if hostile:
        return
    dead = browser.evaluate(DEAD_LINKS)
    expect(not dead, f"links lead nowhere: {dead}")
    if browser.evaluate("document.querySelector('svg.chart[tabindex]') !== null"):
        chart_works(browser, expect, "suite")
    table_works(browser, expect, "suite")
    # The link of a row opens it, with its machine code and samples.
    row = browser.evaluate("[...document.querySelectorAll('.rows .grid tbody th[title]')].find(c => c.textContent.includes('verified'))?.title")
    if row:
        browser.open(f"{url}#{row.replace('[', '%5B').replace(']', '%5D')}", 1280, False, True)
        shown = browser.evaluate("""(async () => { for (let i = 0; i < 60 && !document.querySelector('.detail:not([hidden])'); ++i) await new Promise(done => setTimeout(done, 50));
          const pane = document.querySelector('.detail:not([hidden])'), view = pane?.closest('.view').getBoundingClientRect();
          return pane && { title: pane.querySelector('h4').textContent, sass: pane.querySelectorAll('.sass pre').length, cards: pane.querySelectorAll('.cards section').length, samples: [...pane.querySelectorAll('.samples tbody tr')].every(r => r.cells.length === 4), top: view.top }; })()""")
        expect(shown and shown["title"] == row and shown["sass"] and shown["cards"] >= 3 and shown["samples"], f"the link of {row} opens {shown}")
        expect(shown and -10 <= shown["top"] < 900, f"the link of {row} does not lead there: {shown}")


SEARCHED = """(async (text) => { const box = document.getElementById('search'); box.focus(); box.value = text; const from = performance.now(); box.dispatchEvent(new Event('input'));
  const took = performance.now() - from; await new Promise(done => setTimeout(done, 100));
  return [[...document.querySelectorAll('.tall tr[data-at]')].map(r => r.cells[0].textContent), took, location.hash]; })(%s)"""


def instructions(browser, url, expect, hostile):
    """One large table: only rows in view exist, the search of the bar finds, and links to a row and to a search do."""
    browser.evaluate(OPEN_ALL)
    count = browser.evaluate("Number(document.querySelector('.tall .grid').getAttribute('aria-rowcount')) - 1")
    expect(0 < browser.evaluate("document.querySelectorAll('.tall tr[data-at]').length") <= min(count, 120), f"not only the rows in view of {count} exist")
    if hostile:
        browser.evaluate("[...document.querySelectorAll('.tall tr[data-at] td')][0].click()")
        browser.evaluate(OPEN_ALL)
        return
    table_works(browser, expect, "table")
    for select in range(browser.evaluate("document.querySelectorAll('.filters select').length")):
        kept = browser.evaluate(f"""(() => {{ const s = document.querySelectorAll('.filters select')[{select}], all = document.querySelector('.filters output').textContent; s.value = s.options[1].value;
          s.dispatchEvent(new Event('change')); const kept = document.querySelector('.filters output').textContent; s.value = ''; s.dispatchEvent(new Event('change')); return [all, kept, s.options[1].textContent]; }})()""")
        expect(kept[1].split(" ")[0] == kept[2].split("(")[-1].rstrip(")"), f"a filter does not filter: {kept}")
    last = browser.evaluate("(async () => { const list = document.querySelector('.tall .list'); list.scrollTop = list.scrollHeight; await new Promise(done => setTimeout(done, 150)); const cell = [...document.querySelectorAll('.tall tr[data-at]')].pop(); return [cell.cells[0].title, cell.cells[0].textContent, cell.dataset.at]; })()")
    expect(int(last[2]) == count - 1, f"the end of the table is not reached: {last}, {count}")
    found, took, address = browser.evaluate(SEARCHED % json.dumps(last[1].split(" ")[0]))
    print(f"{count} rows, a search is handled in {took:.0f} ms")
    expect(any(each.startswith(last[1].split(" ")[0]) for each in found) and "q=" in address, f"the search for {last[1]} shows {found[:3]}, {address}")
    expect(browser.evaluate(SEARCHED % json.dumps("zzzz"))[0] == [], "a search for nothing finds something")
    browser.open(f"{url}#i={urllib.parse.quote(last[0])}", 1280, False, True)
    opened = browser.evaluate("""(async () => { for (let i = 0; i < 60 && !document.querySelector('.detail:not([hidden])'); ++i) await new Promise(done => setTimeout(done, 50));
      const pane = document.querySelector('.detail:not([hidden])'); return pane && [pane.querySelector('h4').textContent, pane.textContent.length]; })()""")
    expect(opened and opened[0] == last[1] and opened[1] > 80, f"the link of {last} opens {opened}")
    browser.open(f"{url}#q={urllib.parse.quote(last[1].split(' ')[0])}", 1280, False, True)
    shown = browser.evaluate("(async () => { for (let i = 0; i < 60 && document.documentElement.dataset.ready !== 'yes'; ++i) await new Promise(done => setTimeout(done, 50)); return [document.getElementById('search').value, document.querySelectorAll('.tall tr[data-at]').length]; })()")
    expect(shown[0] == last[1].split(" ")[0] and shown[1] > 0, f"the link of a search shows {shown}")


FFMA, LDS, GMMA = "@PT FFMA R#, R#, R#, R#", "@PT LDS R#, [R#+#]", "@PT HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#"


def row(kind, forms, estimates, key=None, operands=(), **part):
    estimates = [{"name": name, "value": value} for name, value in estimates.items()]
    return {"id": key, "kind": kind, "forms": forms, "estimates": estimates, "machine": {"operands": list(operands), **part}}


def study(kind, forms, cycles, run=1, **part):
    return row(kind, forms, {"interval": cycles}, run=run, **part)


def operand(source, note=""):
    return [{"source": source, "note": note}]


# FFMA takes 1 cycle and LDS 4; alternating they take 4.25, in runs 4.5, in different warps 6 (four to one), and 40 is what
# a multiply of 32 takes with 32 FFMA of 1.
RELATIONS = [
    *(row("form", None, {"interval": cycles}, key) for key, cycles in ((FFMA, 1), (LDS, 4), (GMMA, 32))),
    row("dependence", [FFMA, LDS], {"latency.0": 5, "minimum_stall.0": 5, "minimum_stall_among_warps.0": 6}, operands=operand(0)),
    row("dependence", [LDS, FFMA], {"latency.0": 23}, operands=operand(0)),
    row("dependence", [LDS, FFMA], {}, operands=operand(2, "a stale read does not show")),
    study("pair", [FFMA, FFMA], 2), study("pair", [LDS, LDS], 8), study("pair", [FFMA, LDS], 4.25), study("pair", [FFMA, LDS], 4.5, 4),
    study("bank", [FFMA], 3, banks=[0, 0, 0], reuse=[0, 0, 0]), study("bank", [FFMA], 2, banks=[0, 0, 0], reuse=[1, 0, 0]),
    study("with_wgmma", [GMMA, FFMA], 40, of_each=[1, 32]),
    study("between_warps", [FFMA, LDS], 6, of_each=[4, 1], cells=[{"yield": False, "cycles": 7}, {"yield": True, "cycles": 6}]),
    row("fetch", [FFMA], {}, cells=[{"warps": 4, "stall": 1, "curve": [{"n": n, "cycles": n if n < 512 else 3 * n - 512} for n in (64, 128, 192, 256, 512, 768)]},
                                    {"warps": 8, "stall": 2, "yield": True, "curve": [{"n": n, "cycles": 2 * n} for n in (64, 128, 192, 256)]}, {"warps": 1, "stall": 1, "curve": []}]),
]
RELATION_TEXTS = [
    ["Producer to consumer", ["LDS", "FFMA", "FFMA C"], [["FFMA", ["5 (6)", "", ""]], ["LDS", ["", "23", ""]]]],
    ["Two instructions together", ["FFMA", "LDS"], [["FFMA", ["1", "75 (50)"]], ["LDS", ["75 (50)", "4"]]]],
    ["Register banks and reuse", ["0 0 0"], [["FFMA", ["3"]], ["FFMA, reuse A", ["2"]]]],
    ["Instructions together with wgmma", ["HGMMA.64x64x16.F32 R#, gdesc[UR#+#], R#"], [["FFMA", ["75"]]]],
    ["Two instructions in different warps", ["FFMA", "LDS"], [["LDS", ["50 (25)", ""]], ["FFMA", ["", "50 (25)"]]]],
    ["Instruction fetch", ["4 warps", "8 warps"], [["FFMA", ["256: 1 \u2192 3", ""]], ["FFMA, stall count 2, yield", ["", "1"]]]],
]
# A row, its least stall counts, the cycles of one warp, and its findings.
ROWS = [
    (row("form", None, {f"{name}.{source}": 4 for name in ("latency", "minimum_stall") for source in range(3)} | {"encoded": 4}, operands=operand(0) + operand(1) + operand(2),
         cells=[{"warps": 1, "cycles": 2.05}, {"warps": 1, "cycles": 2.5}, {"warps": 4, "cycles": 1}]), "4", 2.05, []),
    (row("form", None, {"latency.0": 9.2, "minimum_stall.0": 8, "minimum_stall.2": 11, "minimum_stall_among_warps.2": 13, "encoded": 24}, operands=operand(0) + operand(2),
         cells=[{"warps": 1, "cycles": 7}]), "A 8 \u00b7 C 11", 7,
     ["A: 9.2 cycles by timing, minimum stall count 8", "C: among other warps of its sub-partition the minimum stall count is 13", "ptxas encodes at least 24 cycles; the largest minimum stall count is 11"]),
    (row("form", None, {"latency.0": 23, "encoded": 2}, operands=operand(0), scoreboard=True, cells=[{"warps": 1, "cycles": 8}]), "by scoreboard", 8, []),
]


def machine(browser, url, expect, hostile):
    instructions(browser, url, expect, hostile)
    ready(browser, url, 1280, False)
    maps = browser.evaluate("""[...document.querySelectorAll('.guides .guide')].map(part => { part.open = true; part.fill(); return [part.querySelectorAll('tbody tr').length, part.querySelectorAll('td[title]').length]; })""")
    expect(maps and all(rows and titles for rows, titles in maps), f"a table of relations is empty: {maps}")
    found = json.loads(browser.evaluate(f"JSON.stringify(relationGrids({json.dumps(RELATIONS)}).map(g => [g.title, g.columns, g.rows.map(r => [r.name, r.cells.map(c => c.text)])]))"))
    expect(found == RELATION_TEXTS, f"relations come out otherwise: {found}")
    found = json.loads(browser.evaluate(f"JSON.stringify({json.dumps([one for one, *_ in ROWS])}.map(row => [leastStalls(row), oneWarp(row), machineFindings(row)]))"))
    expect(found == [list(texts) for _, *texts in ROWS], f"rows come out otherwise: {found}")


def sheet(browser, url, expect, hostile):
    """Text and tables: each section has something, and its links lead to parts of the page or to other files."""
    browser.evaluate(OPEN_ALL)
    empty = browser.evaluate("[...document.querySelectorAll('main section')].filter(s => !s.querySelector('p, li, dd, tbody tr')).map(s => s.id)")
    expect(not empty and browser.evaluate("document.querySelectorAll('main section').length") > 0, f"sections without content: {empty}")
    links = browser.evaluate("[...document.querySelectorAll('main a[href]')].map(a => a.getAttribute('href'))")
    expect(not [each for each in links if ":" in each.split("#")[0]], "a link leads out of the reports")
    if browser.evaluate("document.querySelector('.front') !== null"):
        rows = browser.evaluate("[...document.querySelectorAll('.front tbody tr')].map(r => [r.cells.length, [...r.cells].every(c => c.textContent)])")
        expect(rows and all(full and count > 1 for count, full in rows), "a row of the front tables is empty")
        top = browser.evaluate("document.querySelector('.front tbody tr').getBoundingClientRect().top")
        expect(top < 700, f"the first number is {top} px down")
    if not hostile and browser.evaluate("document.querySelectorAll('.view').length") > 0:
        table_works(browser, expect, "sheet")


FLEET = {
    "fleet": {"gpus": [{"label": label, "model": "GPU", "outliers": outliers, "not_measured": [], "rows": 1, "conditions": conditions} for label, outliers, conditions in (("a", 0, ""), ("b", 1, "hot"))],
              "models": [{"model": "GPU", "said": "2 GPUs.", "rows": [{"id": "p[x=1]", "estimate": "latency", "unit": "cycles", "gpus": 2, "median": 500, "sigma": 1, "min": 499, "max": 530, "threshold": 5, "detects": 0.01, "outliers": 1}]}],
              "outliers": [{"gpu": "b", "id": "p[x=1]", "estimate": "latency", "unit": "cycles", "value": 530, "median": 500, "deviation": 0.06, "z": 9.5}],
              "board_facts": [{"model": "GPU", "fact": "VBIOS", "values": {"96": ["a"], "97": ["b"]}}, {"model": "GPU", "fact": "serial", "values": {"1": ["a"], "2": ["b"], "3": ["c"]}}],
              "board_topics": [{"model": "GPU", "probe": "p", "rows": 2, "differing": 1, "id": "p[x=1]", "estimate": "latency", "unit": "cycles", "low": 499, "lowest": "a", "high": 530, "highest": "b", "goes_with": ["VBIOS"]}],
              "nodes": [], "parts": [], "failures": [{"path": "c", "text": "lost"}]},
}


def fleet(browser, url, expect, hostile):
    sheet(browser, url, expect, hostile)
    squares = browser.evaluate("document.querySelectorAll('.fleet-map [class]').length")
    expect(squares > 0, "no map of the GPUs")
    section, failures = json.loads(browser.evaluate(f"JSON.stringify(fleetSheet({json.dumps(FLEET)}).sections)"))
    expect(section["map"] == [["good", "a"], ["bad", "b, 1 outlier, hot"]] and section["spread"][0]["dots"] == [[0.06, "b +6 %"]], f"an outlier is not marked: {section}")
    expect(section["tables"][0]["rows"] == [["b", "p[x=1] latency", "530 cycles", "500 cycles", "+6 %", "+9.5", "hot"]], f"an outlier is not listed: {section['tables'][0]}")
    expect([table["rows"] for table in section["tables"][1:3]] == [[["VBIOS", "96 (1), 97 (1)"], ["serial", "3 different"]], [["p", "2", "1", "p[x=1] latency", "499 cycles", "a", "530 cycles", "b", "VBIOS"]]], f"what differs between boards is not listed: {section['tables'][1:3]}")
    expect(failures["id"] == "failures" and failures["tables"][0]["rows"] == [["c", "lost"]], f"a failure is not listed: {failures}")


def inspect(browser, url, expect, hostile):
    """A listing for each kernel with its loops in a colour of their own, and links to rows of it."""
    empty = browser.evaluate("[...document.querySelectorAll('main section')].filter(s => !s.querySelector('.grid tr[data-at]')).map(s => s.id)")
    expect(not empty, f"kernels without a listing: {empty}")
    graph = browser.evaluate("(async () => { const part = document.querySelector('details.others'); if (!part) return 0; part.open = true; await new Promise(done => setTimeout(done, 300)); const width = part.querySelector('img')?.naturalWidth ?? 0; part.open = false; return width; })()")
    expect(graph > 300, f"the control flow is no picture: {graph}")
    link = browser.evaluate("document.querySelector('.loops a')?.hash ?? null")
    if link:
        browser.open(url + link, 1280, False, True)
        ready(browser, url + link, 1280, False)
        shown = browser.evaluate("(async () => { await new Promise(done => setTimeout(done, 200)); const row = document.querySelector('tr.here'); return row && [row.cells[0].textContent, row.className, getComputedStyle(row.cells[0]).borderLeftColor !== getComputedStyle(document.body).backgroundColor]; })()")
        expect(shown and link.endswith(shown[0]) and "d" in shown[1], f"{link} leads to {shown}")


def predict(browser, url, expect, hostile):
    """Without scrolling the sentence and the bar that name the limiter are seen; the timeline has issues."""
    seen = browser.evaluate("['.verdict b', '.bounds .limiter'].map(s => { const box = document.querySelector(s)?.getBoundingClientRect(); return Boolean(box && box.width && box.top >= 0 && box.bottom <= innerHeight); })")
    expect(all(seen), f"the limiter is not seen: {seen}")
    fills = browser.evaluate("['.bounds .limiter rect', '.bounds div:not(.limiter) rect', '.timeline text.limiter', '.timeline text:not(.limiter)'].map(s => { const one = document.querySelector(s); return one && getComputedStyle(one).fill; })")
    expect(fills[0] != fills[1] and fills[2] != fills[3], f"the limiter has the colour of the others: {fills}")
    expect(browser.evaluate("document.querySelectorAll('.timeline svg rect[class^=p]').length") > 20, "the timeline has no issues")


KINDS = {"cases": sheet, "fleet": fleet, "inspect": inspect, "predict": predict, "sheet": sheet, "suite": suite, "instructions": instructions, "machine": machine}


def picture(browser, url, args):
    """A PNG of a part of the page, for documents."""
    ready(browser, f"{url}#{urllib.parse.quote(args.open)}" if args.open else url, 1280, False)
    clip = browser.evaluate("""(async () => { const wait = (ms) => new Promise(done => setTimeout(done, ms)), first = document.querySelector(%s.split(' ')[0]); first.scrollIntoView(); await wait(600);
      const node = document.querySelector(%s), part = node.closest('details'); if (part) { part.open = true; part.fill?.(); }
      for (const each of document.querySelectorAll('.probe')) each.style.contentVisibility = 'visible'; node.scrollIntoView(); await new Promise(done => setTimeout(done, 600));
      node.scrollIntoView(); await new Promise(done => setTimeout(done, 200)); const box = node.getBoundingClientRect();
      return { x: box.x - 12, y: box.y + scrollY - 12, width: box.width + 24, height: Math.min(box.height, 900) + 24, scale: 1.5 }; })()""" % (json.dumps(args.of), json.dumps(args.of)))
    data = browser.call("Page.captureScreenshot", format="png", clip=clip, captureBeyondViewport=True)["data"]
    args.picture.write_bytes(base64.b64decode(data))
    return []


def facts(browser, url, asked):
    """What expressions say of the page."""
    failures = [] if ready(browser, url, 1280, False) else ["the program does not end"]
    for expression, value in asked:
        try:
            found = browser.evaluate(f"(async () => JSON.stringify(await ({expression})) ?? 'null')()")
        except RuntimeError as error:
            found = json.dumps(str(error))
        if json.loads(found) != value:
            failures.append(f"{expression}\n  is  {found}\n  not {json.dumps(value, ensure_ascii=False)}")
    return failures + [f"console: {each}" for each in browser.complaints()]


def whole(browser, url, hostile, screenshots=None):
    failures = []

    def expect(holds, text):
        if not holds:
            failures.append(text)

    browser.open(url, 390, False, False)
    plain = browser.evaluate("[document.querySelector('h1')?.textContent, [...document.querySelectorAll('noscript p a')].filter(a => a.checkVisibility()).length]")
    kind = browser.evaluate("document.documentElement.dataset.page")
    expect(plain[0] and (plain[1] or kind in ("inspect", "predict", "fleet")), f"without JavaScript: {plain}")
    for width in (390, 1280):
        expect(ready(browser, url, width, False), f"{width} px: the program does not end: {browser.complaints()}")
        for dark in (True, False):
            browser.colour(dark)
            place = f"{width} px, {'dark' if dark else 'light'}"
            overflow = browser.evaluate(OVERFLOW)
            expect(overflow <= 0, f"{place}: the page is {overflow} px too wide: {browser.evaluate(WIDEST)}")
            if screenshots:
                browser.screenshot(screenshots / f"{pathlib.Path(url).stem}-{width}-{'dark' if dark else 'light'}.png")
        for each in browser.complaints():
            expect(False, f"{width} px: console: {each}")
        for each in browser.requests(url):
            expect(False, f"{width} px: requests {each}")
        unnamed = browser.evaluate(UNNAMED)
        expect(not unnamed, f"{width} px: without a name: {unnamed}")
    KINDS[browser.evaluate("document.documentElement.dataset.page")](browser, url, expect, hostile)
    overflow = browser.evaluate(OVERFLOW)
    expect(overflow <= 0, f"with all parts open the page is {overflow} px too wide: {browser.evaluate(WIDEST)}")
    for each in browser.complaints():
        expect(False, f"console: {each}")
    if hostile:
        marks = browser.evaluate(MARKUP)
        expect(marks[0] == 0 and marks[2] == "undefined" and not marks[3], f"data became markup: {marks}")
        expect(browser.evaluate("document.body.textContent.includes('<img src=x')"), "the text of the data is not shown as it is")
    return failures


def check(browser, url, args):
    return picture(browser, url, args) if args.picture else whole(browser, url, args.hostile, args.screenshots)


def answer(browser, asked):
    said = io.StringIO()
    with contextlib.redirect_stdout(said):
        if "site" in asked:
            # No test has timings.
            args = argparse.Namespace(page=pathlib.Path(asked["site"]), times=False, within=None, screenshots=None)
            failures = pages_check.check(browser, args.page.as_uri(), args)
        elif "page" in asked:
            url = pathlib.Path(asked["page"]).as_uri()
            failures = facts(browser, url, asked["facts"]) if "facts" in asked else whole(browser, url, asked["hostile"])
        else:
            failures = []
    return {"failures": failures, "said": said.getvalue()}


def serve():
    with chromium.started() as browser:
        for line in sys.stdin:
            try:
                said = answer(browser, json.loads(line)) if browser else {"skipped": "no Chromium starts"}
            except (EOFError, OSError, RuntimeError, TimeoutError) as error:
                said = {"failures": [repr(error)], "said": ""}
            print(json.dumps(said), flush=True)


def options(parser):
    parser.add_argument("--picture", type=pathlib.Path, metavar="FILE")
    parser.add_argument("--of", default="body", metavar="SELECTOR")
    parser.add_argument("--open", metavar="ID")
    parser.add_argument("--hostile", action="store_true", help="the data try to be markup")


if __name__ == "__main__":
    if sys.argv[1:] == ["--serve"]:
        sys.exit(serve())
    sys.exit(chromium.main(__doc__, check, options))
