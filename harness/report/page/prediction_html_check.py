#!/usr/bin/env python3
"""Opens a page of `warpclock predict --page` in headless Chromium and checks that it needs nothing else.

    prediction_html_check.py page.html [--picture FILE] [--screenshots DIR] [--chromium PROGRAM]

At 1280 and at 390 pixels, in light and dark, with and without JavaScript: no console message of level warning or error, no
request but for the file itself, no horizontal overflow of the page; without scrolling, the sentence, the bar and (at 1280
pixels) the row of the timeline that name the limiter are seen, in a colour that others do not have. Exit status: 0 all holds,
1 a check failed, 77 there is no Chromium that starts. --picture writes a PNG of the page down to the first timeline.
"""
import base64
import pathlib
import sys

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
SEEN = """(selector => { const one = document.querySelector(selector); if (!one) return false;
  const box = one.getBoundingClientRect();
  return box.width > 0 && box.top >= 0 && box.bottom <= innerHeight && box.left >= 0 && box.left < innerWidth; })"""
APART = """(() => { const fill = css => { const one = document.querySelector(css); return one && getComputedStyle(one).fill; };
  return fill('.bounds .limiter rect') !== fill('.bounds div:not(.limiter) rect') &&
         fill('.timeline text.limiter') !== fill('.timeline text:not(.limiter)'); })()"""
LAST = "document.querySelector('.timeline').getBoundingClientRect().bottom"
MARKS = "document.querySelectorAll('.timeline svg rect[class^=p]').length"


def check(browser, url, args):
    failures = []
    for width in (1280, 390):
        for dark in (False, True):
            for script in (True, False):
                place = f"{width} px, {'dark' if dark else 'light'}, {'with' if script else 'without'} JavaScript"
                browser.open(url, width, dark, script)
                for holds, text in [
                    (browser.evaluate(OVERFLOW) <= 0, "the page is too wide"),
                    (browser.evaluate(SEEN + "('.verdict b')"), "the sentence that names the limiter is not seen"),
                    (browser.evaluate(SEEN + "('.bounds .limiter')"), "the bar of the limiter is not seen"),
                    (width < 600 or browser.evaluate(SEEN + "('.timeline text.limiter')"),
                     "the row of the limiter is not seen"),
                    (browser.evaluate(APART), "the limiter has the colour of the others"),
                    (browser.evaluate(MARKS) > 20, "the timeline has no issues"),
                ]:
                    if not holds:
                        failures.append(f"{place}: {text}")
                failures += [f"{place}: console: {each}" for each in browser.complaints()]
                failures += [f"{place}: request: {each}" for each in browser.requests(url)]
                if args.picture and width > 600 and not dark and script:
                    clip = {"x": 0, "y": 0, "width": width - 16, "height": browser.evaluate(LAST) + 12, "scale": 1}
                    data = browser.call("Page.captureScreenshot", format="png", clip=clip)["data"]
                    args.picture.write_bytes(base64.b64decode(data))
                if args.screenshots and script:
                    browser.screenshot(f"{args.screenshots}/{width}-{'dark' if dark else 'light'}.png", False)
    return failures


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check, lambda parser: parser.add_argument("--picture", type=pathlib.Path)))
