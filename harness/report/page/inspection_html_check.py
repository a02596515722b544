#!/usr/bin/env python3
"""Opens a page of `warpclock inspect --page` in headless Chromium and checks that it needs nothing else.

    inspection_html_check.py page.html [--screenshots DIR] [--chromium PROGRAM]

At 1280 and at 390 pixels, in light and dark, with and without JavaScript: no console message of level warning or error, no
request but for the file itself, no horizontal overflow of the page, a row for each instruction, loops marked in a colour of
their own, links that lead somewhere. Exit status: 0 all holds, 1 a check failed, 77 there is no Chromium that starts.
"""
import sys

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
EMPTY = "[...document.querySelectorAll('section')].filter(s => s.querySelectorAll('.listing tbody tr').length === 0).length"
MARKED = """(() => { const colour = row => getComputedStyle(row.querySelector('.at')).borderLeftColor;
  const rows = css => [...document.querySelectorAll('.listing tr.' + css)];
  return rows('d1').length > 0 && rows('d1').every(row => colour(row) !== colour(rows('d0')[0])); })()"""
DEAD_LINKS = """[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href')).filter(h =>
  !h.startsWith('#') || !document.getElementById(h.slice(1))).slice(0, 5)"""


def check(browser, url, args):
    failures = []
    for width in (1280, 390):
        for dark in (False, True):
            for script in (True, False):
                place = f"{width} px, {'dark' if dark else 'light'}, {'with' if script else 'without'} JavaScript"
                browser.open(url, width, dark, script)
                for holds, text in [
                    (browser.evaluate(OVERFLOW) <= 0, "the page is too wide"),
                    (browser.evaluate(EMPTY) == 0, "a kernel has no listing"),
                    (browser.evaluate(MARKED), "loops are not marked"),
                    (browser.evaluate(DEAD_LINKS) == [], f"links lead nowhere: {browser.evaluate(DEAD_LINKS)}"),
                ]:
                    if not holds:
                        failures.append(f"{place}: {text}")
                failures += [f"{place}: console: {each}" for each in browser.complaints()]
                failures += [f"{place}: request: {each}" for each in browser.requests(url)]
                if args.screenshots and script:
                    browser.screenshot(f"{args.screenshots}/{width}-{'dark' if dark else 'light'}.png", False)
    return failures


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check))
