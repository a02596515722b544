#!/usr/bin/env python3
"""Opens a report.html in headless Chromium and checks that it needs nothing else.

    html_check.py report.html [--screenshots DIR] [--chromium PROGRAM]

At 1280 and at 390 pixels, in light and dark, with and without JavaScript: no console message of level warning or error,
no request but for the file itself, no horizontal overflow of the page, charts drawn; with JavaScript, the rows of every probe
come when their part is opened, as many as it says, and open to their windows, tables sort, links between parts of the page lead
somewhere, and the link of a row opens it and scrolls there. Exit status: 0 all holds, 1 a check failed, 77 there is no Chromium that starts. Needs nothing but Python's standard library: the browser is driven through
--remote-debugging-pipe.
"""
import sys

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest('.scroll, .code, pre, svg, .pages')).slice(0, 3).map(e => e.tagName + '.' + e.className).join(' ')"""
CHARTS = """[...document.querySelectorAll('svg.chart')].map(s => { const b = s.getBoundingClientRect();
  return b.width > 200 && b.height > 80 && s.querySelectorAll('.mk, .br, .dt').length > 0; })"""
PICTURES = """[...document.querySelectorAll('svg.picture')].map(s => s.getBoundingClientRect()).filter(b => b.width > 0).map(
  b => b.width > 200 && b.height > 200)"""
DEAD_LINKS = """[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(
  h => h.startsWith('#') && h !== '#' && !document.getElementById(h.slice(1))).slice(0, 5)"""
REACHED = "document.querySelector('.target')?.getBoundingClientRect().top ?? null"
PAGES = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#'))"
# The rows of every probe are put on the page; then all rows open and close at once: a layout for each would take minutes.
FILLED = """(async () => { for (const part of document.querySelectorAll('.rows')) part.open = true;
  const empty = () => [...document.querySelectorAll('.rows')].filter(p => !p.querySelector('.all').dataset.full);
  for (let i = 0; i < 300 && empty().length; ++i) await new Promise(done => setTimeout(done, 100));
  return empty().map(p => p.closest('.probe').id); })()"""
EARLY = "[...document.querySelectorAll('.rows .all')].filter(a => a.childNodes.length).map(a => a.closest('.probe').id).slice(0, 5)"
# As many rows as the part says, of cases or of points.
MISCOUNTED = """[...document.querySelectorAll('.rows')].filter(p => parseInt(p.querySelector('summary').textContent) !==
  p.querySelectorAll('.case, .points > tbody > tr').length).map(p => p.closest('.probe').id).slice(0, 5)"""
# Without JavaScript there are no parts that would open to nothing, but a sentence.
PLAIN = """[...document.querySelectorAll('.rows')].every(p => !p.checkVisibility()) &&
  [...document.querySelectorAll('noscript p')].some(p => p.checkVisibility() && p.textContent.includes('need JavaScript'))"""
UNOPENED = """(() => { for (const each of document.querySelectorAll('.probe')) each.style.contentVisibility = 'visible';
  const all = [...document.querySelectorAll('.case')].map(c => [c.id, c.querySelector('.w details'),
  c.querySelector('.x')]); const shown = () => all.map(([id, d, x]) => x.getClientRects().length > 0);
  for (const [id, d] of all) d.open = true; const open = shown();
  for (const [id, d] of all) d.open = false; const closed = shown();
  return all.filter((each, i) => !open[i] || closed[i]).map(([id]) => id).slice(0, 5); })()"""
SHARED = """(async () => { const all = [...document.querySelectorAll('.case')];
  for (const each of [all[0], all[all.length - 1]].filter(Boolean)) {
    const d = each.querySelector('.w details'), whole = () => !each.querySelector('.same') && each.querySelector('.cards') !== null &&
      each.querySelector('.code .sass') !== null && [...each.querySelectorAll('.samples tbody tr')].every(r => r.cells.length === 4 &&
      (r.cells[3].textContent === 'all the same' || r.querySelector('.sm').getAttribute('d').startsWith('M')));
    d.open = true;
    for (let i = 0; i < 50 && !whole(); ++i) await new Promise(done => setTimeout(done, 100));
    const shown = whole(); d.open = false; if (!shown) return each.id; }
  return null; })()"""
SORTED = """(() => { const table = document.querySelector('.cases:not(.points)'), head = [...table.querySelectorAll('thead th')].find(h => h.classList.contains('n'));
  const values = () => [...table.tBodies].map(b => parseFloat(b.rows[0].cells[head.cellIndex].textContent)).filter(v => !Number.isNaN(v));
  head.click(); const up = values(); head.click(); const down = values();
  return up.every((v, i) => !i || up[i - 1] <= v) && down.every((v, i) => !i || down[i - 1] >= v); })()"""


def check(browser, url, args):
    screenshots = args.screenshots
    failures = []

    def expect(holds, text):
        if not holds:
            failures.append(text)

    for width in (1280, 390):
        for dark in (False, True):
            for script in (True, False):
                place = f"{width} px, {'dark' if dark else 'light'}, {'with' if script else 'without'} JavaScript"
                browser.open(url, width, dark, script)
                overflow = browser.evaluate(OVERFLOW)
                expect(overflow <= 0, f"{place}: the page is {overflow} px too wide: {browser.evaluate(WIDEST)}")
                charts = browser.evaluate(CHARTS)
                expect(charts and all(charts), f"{place}: {charts.count(False)} of {len(charts)} charts are not drawn")
                if browser.evaluate("document.getElementById('memory') !== null"):
                    pictures = browser.evaluate(PICTURES)
                    expect(pictures == [True], f"{place}: of the drawings of the memory system, {len(pictures)} are shown: {pictures}")
                count = browser.evaluate("document.querySelectorAll('.rows').length")
                expect(count > 0, f"{place}: no probe")
                if not script:
                    expect(browser.evaluate(PLAIN), f"{place}: parts without content, or no sentence about them")
                else:
                    for each in browser.evaluate(EARLY):
                        failures.append(f"{place}: the rows of {each} are there before their part is opened")
                    for each in browser.evaluate(FILLED):
                        failures.append(f"{place}: the rows of {each} are not put on the page")
                    for each in browser.evaluate(MISCOUNTED):
                        failures.append(f"{place}: {each} has other rows than it says")
                    expect(browser.evaluate("document.querySelectorAll('.case').length") > 0, f"{place}: no case")
                    for each in browser.evaluate(UNOPENED):
                        failures.append(f"{place}: the window of {each} does not open and close")
                    bad = browser.evaluate(SHARED)
                    expect(bad is None, f"{place}: {bad} does not open to its evidence and code")
                    expect(browser.evaluate(SORTED), f"{place}: a click on a head does not sort")
                    overflow = browser.evaluate(OVERFLOW)
                    expect(overflow <= 0, f"{place}: with its rows the page is {overflow} px too wide: {browser.evaluate(WIDEST)}")
                    expect(not browser.evaluate("document.querySelector('.tools').hidden"), f"{place}: no controls")
                for each in browser.complaints():
                    failures.append(f"{place}: console: {each}")
                for each in browser.requests(url):
                    failures.append(f"{place}: request: {each}")
                if screenshots and script:
                    browser.screenshot(f"{screenshots}/{width}-{'dark' if dark else 'light'}.png")
    browser.open(url, 1280, False, True)
    browser.evaluate(FILLED)
    dead = browser.evaluate(DEAD_LINKS) + [each for each in browser.evaluate(PAGES) if not chromium.neighbour(url, each).is_file()]
    for each in dead:
        failures.append(f"a link leads nowhere: {each}")
    case, *point = browser.evaluate("['.case', '.points > tbody > tr'].map(css => [...document.querySelectorAll(css)].pop()?.id).filter(Boolean)")
    for width in (1280, 390):
        for fragment in (case, case.replace("[", "%5B").replace("]", "%5D"), *point):
            browser.open(f"{url}#{fragment}", width, False, True)
            top = browser.evaluate(REACHED)
            expect(top is not None and 0 <= top < 900, f"{width} px: #{fragment} is {top} px down")
            if fragment not in point:
                shown = browser.evaluate(f"document.getElementById({case!r})?.querySelector('.x .cards')?.getClientRects().length > 0")
                expect(shown, f"#{fragment} does not open its case")
    return failures


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check))
