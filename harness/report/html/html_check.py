#!/usr/bin/env python3
"""Opens a report.html in headless Chromium and checks that it needs nothing else.

    html_check.py report.html [--screenshots DIR] [--chromium PROGRAM]

At 1280 and at 390 pixels, in light and dark, with and without JavaScript: no console message of level warning or error,
no request but for the file itself, no horizontal overflow of the page, charts drawn, every row opens to its window, links
between parts of the page lead somewhere, the filter finds and the links of rows open them. Exit status: 0 all holds, 1 a
check failed, 77 there is no Chromium that starts. Needs nothing but Python's standard library: the browser is driven through
--remote-debugging-pipe.
"""
import sys

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
WIDEST = """[...document.querySelectorAll('body *')].filter(e => e.getBoundingClientRect().right > innerWidth + 1
  && !e.closest('.scroll, .code, pre, svg')).slice(0, 3).map(e => e.tagName + '.' + e.className).join(' ')"""
CHARTS = """[...document.querySelectorAll('svg.chart')].map(s => { const b = s.getBoundingClientRect();
  return b.width > 200 && b.height > 80 && s.querySelectorAll('.mk, .br, .dt').length > 0; })"""
PICTURES = """[...document.querySelectorAll('svg.picture')].map(s => s.getBoundingClientRect()).filter(b => b.width > 0).map(
  b => b.width > 200 && b.height > 200)"""
DEAD_LINKS = """[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h =>
  h.startsWith('#') && !document.getElementById(h.slice(1))).slice(0, 5)"""
PAGES = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h => !h.startsWith('#'))"
# All at once: a layout for each case would take minutes on a large report.
UNOPENED = """(() => { const all = [...document.querySelectorAll('.case')].map(c => [c.id, c.querySelector('.w details'),
  c.querySelector('.x')]); const shown = () => all.map(([id, d, x]) => x.getClientRects().length > 0);
  for (const [id, d] of all) d.open = true; const open = shown();
  for (const [id, d] of all) d.open = false; const closed = shown();
  return all.filter((each, i) => !open[i] || closed[i]).map(([id]) => id).slice(0, 5); })()"""
SHARED = """(async () => { const all = [...document.querySelectorAll('.case')], same = all.filter(c => c.querySelector('.same'));
  for (const each of [all[0], same[same.length - 1]].filter(Boolean)) {
    const d = each.querySelector('.w details'), whole = () => !each.querySelector('.same') && each.querySelector('.cards') !== null &&
      (!same.includes(each) || each.querySelector('.code .sass') !== null);
    d.open = true;
    for (let i = 0; i < 50 && !whole(); ++i) await new Promise(done => setTimeout(done, 100));
    const shown = whole(); d.open = false; if (!shown) return false; }
  return true; })()"""
FILTERED = """(() => { const f = document.getElementById('filter'), all = [...document.querySelectorAll('.case')];
  const last = all[all.length - 1]; f.value = last.id; f.dispatchEvent(new Event('input'));
  const shown = all.filter(c => c.getClientRects().length > 0 || c.querySelector('td').getClientRects().length > 0);
  const right = shown.includes(last) && shown.every(c => c.id.toLowerCase().includes(last.id.toLowerCase()));
  f.value = ''; f.dispatchEvent(new Event('input')); return right; })()"""


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
                expect(browser.evaluate("document.querySelectorAll('.case').length") > 0, f"{place}: no case")
                for each in browser.evaluate(UNOPENED):
                    failures.append(f"{place}: the window of {each} does not open and close")
                if script:
                    expect(browser.evaluate(SHARED), f"{place}: a row does not open to its evidence, or code that two rows share is shown in one only")
                    expect(browser.evaluate(FILTERED), f"{place}: the filter does not find the last case")
                    expect(not browser.evaluate("document.querySelector('.tools').hidden"), f"{place}: no controls")
                for each in browser.complaints():
                    failures.append(f"{place}: console: {each}")
                for each in browser.requests(url):
                    failures.append(f"{place}: request: {each}")
                if screenshots and script:
                    browser.screenshot(f"{screenshots}/{width}-{'dark' if dark else 'light'}.png")
    browser.open(url, 1280, False, True)
    dead = browser.evaluate(DEAD_LINKS) + [each for each in browser.evaluate(PAGES) if not chromium.neighbour(url, each).is_file()]
    for each in dead:
        failures.append(f"a link leads nowhere: {each}")
    case = browser.evaluate("[...document.querySelectorAll('.case')].pop().id")
    for script in (True, False):
        for fragment in (case, case.replace("[", "%5B").replace("]", "%5D")):
            browser.open(f"{url}#{fragment}", 1280, False, script)
            shown = browser.evaluate("[...document.querySelectorAll('.case')].pop().querySelector('.x').offsetHeight > 0")
            expect(shown, f"#{fragment} does not open its case, {'with' if script else 'without'} JavaScript")
    return failures


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check))
