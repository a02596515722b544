#!/usr/bin/env python3
"""Opens an instructions.html or a machine.html in headless Chromium and checks that it needs nothing else and answers quickly.

    instruction_html_check.py instructions.html [--screenshots DIR] [--chromium PROGRAM] [--loads N] [--within MS]

At 1280 and at 390 pixels, in light and dark, with and without JavaScript: no console message of level warning or error, no
request but for the file itself, no horizontal overflow of the page, rows or a way to them as text shown, and the rows that are markup
the same as those that the script draws in their place. Then search, filters, sorting, keys, the parts that open, and links to
an instruction and to a search; of a machine.html, that what rows open to has all of their data. and that the parts above its table are filled when they are opened. Prints the time to the first paint (the middle one of several loads, from the start of the
navigation), that of a page of one word, loaded in turn with it, and that of each keystroke of several searches, from the input
event to the end of the next frame. They depend on what else the machine does, so being slow is no failure but with --within.
Exit status: 0 all holds, 1 a check failed, 77 there is no Chromium that starts.
"""
import json
import os
import pathlib
import statistics
import sys
import tempfile
import time
import urllib.parse

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
ROWS = "document.querySelectorAll('#rows .row').length"
SHOWN = "document.getElementById('shown').textContent"
OPEN = "!document.getElementById('detail').hidden"
NAME = "document.getElementById('name').textContent"
PAINT = "performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0]"
READY = "performance.getEntriesByName('rows')[0]?.startTime ?? null"
ORDER = "[...document.querySelectorAll('#rows .row .ins')].map(e => e.textContent)"
# [ms in the handlers, ms to the end of the frame that shows it]
TYPED = """(text => new Promise(done => { const box = document.getElementById('search'); box.value = text; const from = performance.now();
  box.dispatchEvent(new Event('input')); const handled = performance.now() - from;
  requestAnimationFrame(() => { const channel = new MessageChannel(); channel.port1.onmessage = () => done([handled, performance.now() - from]);
    channel.port2.postMessage(0); }); }))(%s)"""
DATA = """Promise.all([...document.querySelectorAll('script.table')].map(async node => { const table = JSON.parse(await site.inflate(node));
  table.rows = rowsOf({ rows: table.rows }, 1)[0].rows; return table; }))"""
# The parts above the table, opened one by one: how many rows and titles each has.
PARTS = """(async () => { const found = []; for (const part of document.querySelectorAll('details.guide:has(> .all)')) { const all = part.querySelector('.all');
  if (all.children.length) found.push('filled early'); part.open = true;
  for (let i = 0; i < 100 && !all.dataset.full; ++i) await new Promise(done => setTimeout(done, 50));
  found.push([all.querySelectorAll('tbody tr').length, all.querySelectorAll('td[title]').length]); } return found; })()"""
NAMES = DATA + ".then(all => all.flatMap(table => table.rows.map(r => r.id ?? r.key)))"
# Markup has pictures for control characters.
TEXTS = r"[...document.querySelectorAll('#head .row, #rows .row')].map(e => e.textContent.replace(/[\u0000-\u001f\u2400-\u241f]/g, '?'))"
THERE = "(async () => { while (!performance.getEntriesByName('rows').length) await new Promise(done => setTimeout(done, 50)); })()"
REST = 0.3  # s, in which the browser is done with the page before
SEARCHES = ("f32 fma", "imad.wide", "rejected", "zzz")
KEYS = {"Enter": 13, "Escape": 27, "ArrowDown": 40, "ArrowUp": 38, "End": 35, "/": 191}


def press(browser, key):
    known = {"key": key, "windowsVirtualKeyCode": KEYS[key]}
    browser.call("Input.dispatchKeyEvent", type="keyDown", **known)
    browser.call("Input.dispatchKeyEvent", type="keyUp", **known)
    time.sleep(0.05)


def choose(browser, control, value):
    browser.evaluate(f"(() => {{ const s = document.getElementById('{control}'); s.value = {json.dumps(value)};"
                     " s.dispatchEvent(new Event('change')); })()")


def looks(browser, url, screenshots, expect):
    for width in (1280, 390):
        for dark in (False, True):
            for script in (True, False):
                place = f"{width} px, {'dark' if dark else 'light'}, {'with' if script else 'without'} JavaScript"
                browser.open(url, width, dark, script)
                expect(browser.evaluate(OVERFLOW) <= 0, f"{place}: the page is {browser.evaluate(OVERFLOW)} px too wide")
                count = browser.evaluate(ROWS if script else "document.querySelectorAll('.without a[href$=md]').length")
                expect(count > 0, f"{place}: no rows")
                if screenshots:
                    browser.screenshot(f"{screenshots}/{width}-{'dark' if dark else 'light'}{'' if script else '-plain'}.png", full=False)
                if script:
                    press(browser, "ArrowDown")
                    press(browser, "Enter")
                    expect(browser.evaluate(OPEN), f"{place}: Enter opens nothing")
                    browser.evaluate("[...document.querySelectorAll('.run')].slice(-1).forEach(e => { e.open = true; })")
                    expect(browser.evaluate(OVERFLOW) <= 0, f"{place}: open, the page is too wide")
                    if screenshots:
                        browser.screenshot(f"{screenshots}/{width}-{'dark' if dark else 'light'}-open.png", full=False)
                for each in browser.complaints():
                    expect(False, f"{place}: console: {each}")
                for each in browser.requests(url):
                    expect(False, f"{place}: request: {each}")


def rows_ready(browser):
    """Milliseconds until the rows were there, which may be after the page has loaded."""
    for _ in range(100):
        at = browser.evaluate(READY)
        if at is not None:
            return at
        time.sleep(0.05)
    raise RuntimeError("the rows never came")


def paints(browser, url, count, within, expect):
    loads = []
    browser.call("Network.disable")  # it reads each page once more
    with tempfile.NamedTemporaryFile("w", suffix=".html") as empty:
        empty.write('<!DOCTYPE html><html lang="en"><head><title>empty</title></head><body><p>empty</p></body></html>')
        empty.flush()
        for _ in range(count):
            browser.open(pathlib.Path(empty.name).as_uri(), 1280, False, True, REST)
            least = browser.evaluate(PAINT)
            browser.open(url, 1280, False, True, REST)
            loads.append([browser.evaluate(PAINT), rows_ready(browser), least])
    browser.call("Network.enable")
    first, ready, least = (statistics.median(column) for column in zip(*loads))
    every = ", ".join(f"{load[0]:.0f}" for load in loads)
    print(f"{count} loads (load average {os.getloadavg()[0]:.1f}): first paint {first:.0f} ms ({every}; of an empty page {least:.0f}), "
          f"data there {ready:.0f} ms")
    drawn = browser.evaluate(TEXTS)
    browser.open(url, 1280, False, False)
    markup = browser.evaluate(TEXTS)
    same = min(len(drawn), len(markup))
    expect(same > 0 and drawn[:same] == markup[:same], "the rows painted first are not those that the script draws")
    expect(within is None or first < within, f"the first paint takes {first:.0f} ms")


def searches(browser, url, within, expect):
    browser.open(url, 1280, False, True)
    names = browser.evaluate(NAMES)
    times = [browser.evaluate(TYPED % json.dumps(text)) for last in (names[-1], *SEARCHES) for text in
             [last[:n] for n in range(1, len(last) + 1)]]
    handled, shown = (sorted(column) for column in zip(*times))
    print(f"{len(times)} keystrokes over {len(names)} rows (load average {os.getloadavg()[0]:.1f}): handled in {statistics.median(handled):.1f} ms, "
          f"at most {handled[-1]:.1f}; shown after {statistics.median(shown):.1f} ms, at most {shown[-1]:.1f}")
    expect(within is None or shown[-1] < within, f"a keystroke takes {shown[-1]:.0f} ms")
    expect(browser.evaluate(ROWS) == 0, "a search for nothing finds something")
    browser.evaluate(TYPED % json.dumps(names[-1]))
    expect(browser.evaluate(ROWS) >= 1, "the search does not find the last instruction")
    press(browser, "/")
    expect(browser.evaluate("document.activeElement.id") == "search", "/ does not focus the search")
    press(browser, "Escape")
    expect(browser.evaluate(SHOWN) == f"{len(set(names))} instructions", "Escape does not clear the search")
    for control in browser.evaluate("[...document.querySelectorAll('.filters select')].map(s => s.id)"):
        options = browser.evaluate(f"[...document.getElementById('{control}').options].map(o => [o.value, o.textContent])")
        expect(len(options) > 1, f"{control}: nothing to choose")
        for value, text in options[1:4]:
            choose(browser, control, value)
            count = text[text.rindex("(") + 1:-1]
            expect(browser.evaluate(SHOWN).split(" ")[0] == count, f"{control} {value}: {browser.evaluate(SHOWN)}, not {count}")
        choose(browser, control, "")
    return names


def links(browser, url, names, expect):
    browser.evaluate("document.querySelector('[data-key=name]').click()")
    order = browser.evaluate(ORDER)
    expect(order == sorted(order), "a click on a head does not sort")
    expect("sort=name" in browser.evaluate("location.hash"), "the order is not in the address")
    press(browser, "Escape")
    press(browser, "End")
    press(browser, "Enter")
    name = browser.evaluate(NAME)
    press(browser, "ArrowUp")
    expect(browser.evaluate(OPEN) and browser.evaluate(NAME) != name, "an arrow key does not lead to the next")
    link = browser.evaluate("document.getElementById('link').href")
    name = browser.evaluate(NAME)
    press(browser, "Escape")
    expect(not browser.evaluate(OPEN), "Escape does not close")
    browser.open(link, 1280, False, True)
    browser.evaluate(THERE)
    expect(browser.evaluate(OPEN) and browser.evaluate(NAME) == name, f"{link} does not open {name}")
    for each in browser.complaints():
        expect(False, f"console: {each}")
    browser.open(f"{url}#q=zzz&outcome=measured", 1280, False, True)
    browser.evaluate(THERE)
    expect(browser.evaluate("document.getElementById('search').value") == "zzz", "a link to a search does not search")
    expect(browser.evaluate("document.getElementById('outcome').value") == "measured", "a link does not filter")


def machine(browser, url, expect):
    """What the rows of a machine.html open to, held against its data."""
    table = browser.evaluate(DATA)[0]
    for row in table["rows"][:20]:
        browser.open(f"{url}#{urllib.parse.urlencode({'i': row['id']})}", 1280, False, True)
        place = f"opened {row['id']}"
        shown = {css: browser.evaluate(f"document.querySelectorAll('#body {css}').length") for css in
                 (".spark", ".spark circle", "table.surface", "table.surface tbody td[title]", ".part:not(:has(.run)) .mini tbody tr")}
        cells = row.get("cells", [])
        hints = {cell.get("yield", False) for cell in cells}
        surface = len({(cell["stall"], cell.get("yield", False)) for cell in cells}) > 1
        drawn = [cell for cell in cells if len(cell.get("curve", [])) > 1]
        expected = (len(drawn), sum(len(cell["curve"]) for cell in drawn), len(hints) if surface else 0,
                    len(cells) if surface else 0, len(row.get("latencies", [])))
        expect(tuple(shown.values()) == expected, f"{place}: {shown}, not {expected}")
        text = browser.evaluate("document.getElementById('detail').textContent")
        expect(all(word not in text for word in ("undefined", "NaN", "[object")), f"{place}: a value is not shown: {text}")
        expect(row["word"][:16] in text, f"{place}: the word is not shown")
        for each in browser.complaints():
            expect(False, f"{place}: console: {each}")


def check(browser, url, args):
    failures = []

    def expect(holds, text):
        if not holds:
            failures.append(text)

    paints(browser, url, args.loads, args.within, expect)
    looks(browser, url, args.screenshots, expect)
    names = searches(browser, url, args.within, expect)
    for each in browser.evaluate("[...document.querySelectorAll('.pages a')].map(a => a.getAttribute('href'))"):
        expect(chromium.neighbour(url, each).is_file(), f"a link leads nowhere: {each}")
    links(browser, url, names, expect)
    if browser.evaluate(DATA)[0]["record"] == "machine":
        machine(browser, url, expect)
        for width in (1280, 390):
            browser.open(url, width, False, True)
            for part in browser.evaluate(PARTS):
                expect(part != "filled early" and min(part) > 0, f"{width} px: a part above the table has {part} rows and titles")
            expect(browser.evaluate(OVERFLOW) <= 0, f"{width} px: with its parts open the page is too wide")
    return failures


def options(parser):
    parser.add_argument("--loads", type=int, default=9, metavar="N", help="of which the first paint is the middle one (9)")
    parser.add_argument("--within", type=float, metavar="MS", help="fail when the page answers later")


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check, options))
