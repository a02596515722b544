#!/usr/bin/env python3
"""Opens all pages of a folder of reports in headless Chromium and checks what they share.

    pages_check.py reports/index.html [--screenshots DIR] [--chromium PROGRAM] [--within S]

Of index.html, the overview of each GPU, and every page of its folder: titles and headings differ; every page leads to all
others of its GPU, to the GPU and to all GPUs; links lead to files; the page and each table of its first numbers is no wider
than 1280 and 390 pixels show; nothing is on the console. Prints of each page its size, nodes, first paint and when it is searchable, and of some searches on three pages the first hit,
which must be the expected one and on the first screen. Exit status: 0 all holds, 1 a check failed, 77 there is no Chromium.
"""
import json
import pathlib
import sys

import chromium

OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"
# Tables of the first numbers of which a part is out of sight.
CUT = "[...document.querySelectorAll('.front .scroll')].filter(s => s.scrollWidth > s.clientWidth).map(s => `${s.ariaLabel}: ${s.scrollWidth} in ${s.clientWidth}`)"
NODES = "document.querySelectorAll('*').length"
# First paint, and when the program has shown the data; a page that carries none is there when it has loaded.
TIMES = """(() => { const t = performance.getEntriesByType('navigation')[0];
  return [performance.getEntriesByName('first-contentful-paint').map(e => e.startTime)[0], performance.getEntriesByName('ready')[0]?.startTime ?? t.loadEventEnd]; })()"""
READY = """(async () => { for (let i = 0; i < 400 && document.documentElement.dataset.page && document.documentElement.dataset.ready !== 'yes'; ++i) await new Promise(done => setTimeout(done, 25));
  return document.documentElement.dataset.ready ?? null; })()"""
LINKS = "[...document.querySelectorAll('a[href]')].map(a => a.getAttribute('href'))"
BAR = "[...document.querySelectorAll('.pages a')].map(a => a.href)"
SEARCH = """(async (text) => { const box = document.getElementById('search'); box.focus(); box.value = text; box.dispatchEvent(new Event('input'));
  const hit = () => document.querySelector('#hits:not([hidden]) .hit');
  for (let i = 0; i < 40 && !hit(); ++i) await new Promise(done => setTimeout(done, 50));
  await new Promise(done => setTimeout(done, 100)); const first = hit(); if (!first) return null;
  const at = first.getBoundingClientRect(); return [first.querySelector('b').textContent, first.querySelector('i').textContent, first.href, at.top >= 0 && at.bottom <= innerHeight]; })(%s)"""
ROW = """(async (text) => { const box = document.getElementById('search'); box.value = text; box.dispatchEvent(new Event('input'));
  await new Promise(done => setTimeout(done, 150)); return document.querySelector('.tall tr[data-at]')?.cells[0].textContent ?? null; })(%s)"""
OPENED = """(async () => { const name = () => document.querySelector('.detail:not([hidden]) h4')?.textContent;
  for (let i = 0; i < 60 && !name(); ++i) await new Promise(done => setTimeout(done, 50)); return name() ?? ''; })()"""
# What is searched for, and how the name of the first hit begins. What `warpclock ask` says of a topic is before what is
# only called so, and a word that nothing has is no obstacle.
SEARCHES = (("ldmatrix.x4", "ldmatrix.sync.aligned.m8n8.x4"), ("ldmatrix x4", "ldmatrix.sync.aligned.m8n8.x4"),
            ("cp.async", "cp.async.cg of 16 B"), ("bank conflict", "load of 4 B a lane, 32 lanes in one bank"),
            ("bank conflict frobnicated", "load of 4 B a lane, 32 lanes in one bank"), ("exp", "ex2."), ("ex2", "ex2."),
            ("smem", "shared."), ("wgmma", "wgmma m64n256k16"), ("TMA", "cp.async.bulk.tensor.2d"), ("add.s32", "add.s32"),
            ("fma f32", "fma.rn.f32"), ("L2 latency", "a dependent load that L2 answers"), ("fp8", "wgmma f32.e4m3"),
            ("tensor core peak", "wgmma f32.f16 on all SMs"), ("occupancy", "bandwidth/in_flight"),
            ("__syncthreads", "bar.sync of 8 warps"), ("atomicAdd", "atom.global.add.u32"), ("DPX", "@PT VIMNMX3"),
            ("TFLOPS", "wgmma f32.f16 on all SMs"), ("coalescing", "loads of 4 B from L2"),
            ("launch overhead", "end of a launch"), ("ld.shared.v4.f32", "ld.shared.v4.b32"))
# In the table of instructions, which has no probes.
ROWS = (("ldmatrix.x4", "ldmatrix.sync.aligned.m8n8.x4"), ("cp.async", "cp.async.ca"), ("exp", "ex2."), ("ex2", "ex2."),
        ("add.s32", "add.s32"), ("fma f32", "fma.rn.f32"), ("ldmatrix x4", "ldmatrix.sync.aligned.m8n8.x4"))


def pages_of(index):
    folder = index.parent
    pages = [index]
    for gpu in sorted(each for each in folder.iterdir() if (each / "index.html").is_file()):
        pages += [gpu / "index.html", *sorted(each for each in gpu.rglob("*.html") if each != gpu / "index.html")]
    return pages + [each for each in (folder / "instructions.html",) if each.is_file()]


def times(browser, page, expect, within, name):
    browser.call("Network.disable")
    loads = []
    for _ in range(3 if within else 1):
        browser.open(page.as_uri(), 1280, False, True, 0.2)
        browser.evaluate(READY)
        loads.append(browser.evaluate(TIMES))
    browser.call("Network.enable")
    paint, load = (sorted(column)[len(loads) // 2] for column in zip(*loads))
    print(f"{name}: first paint {paint:.0f} ms, searchable after {load:.0f} ms")
    if within:
        expect(load < 1000 * within, f"{name}: searchable after {load:.0f} ms")


def figures(browser, page, expect, args, name):
    for width in (390, 1280):
        browser.open(page.as_uri(), width, False, True)
        browser.evaluate(READY)
        for dark in (False, True):
            browser.colour(dark)
            over = browser.evaluate(OVERFLOW)
            expect(over <= 0, f"{name}, {width} px: {over} px too wide")
            cut = browser.evaluate(CUT)
            expect(not cut, f"{name}, {width} px: front tables are cut: {cut}")
            if args.screenshots:
                browser.screenshot(f"{args.screenshots}/{name.replace('/', '-')}-{width}-{'dark' if dark else 'light'}.png", full=False)
        for each in browser.complaints():
            expect(False, f"{name}, {width} px: console: {each}")
    nodes = browser.evaluate(NODES)
    print(f"{name}: {page.stat().st_size / 1e6:.2f} MB, {nodes} nodes")
    expect(nodes < 30000, f"{name}: {nodes} nodes")
    if args.times:
        times(browser, page, expect, args.within, name)
    return browser.evaluate("[document.title, [...document.querySelectorAll('h1')].map(e => e.textContent).join(' ')]")


def searched(browser, page, expect, name):
    browser.open(page.as_uri(), 1280, False, True)
    for text, begins in SEARCHES:
        found = browser.evaluate(SEARCH % json.dumps(text))
        expect(found is not None, f"{name}: '{text}' finds nothing")
        if found is None:
            continue
        title, kind, href, seen = found
        print(f"{name}: '{text}' finds first {title} ({kind})")
        expect(title.startswith(begins), f"{name}: '{text}' finds {title}, not {begins}")
        expect(seen, f"{name}: the first hit for '{text}' is not on the first screen")
        expect(chromium.neighbour(page.as_uri(), href).is_file(), f"{name}: the hit for '{text}' leads nowhere: {href}")


def followed(browser, page, expect, name):
    """A hit leads to the row that it names."""
    browser.open(page.as_uri(), 1280, False, True)
    found = browser.evaluate(SEARCH % json.dumps("ldmatrix.x4"))
    if found is None:
        return
    href = found[2]
    browser.open(href, 1280, False, True)
    shown = browser.evaluate(OPENED)
    expect(shown.startswith("ldmatrix"), f"{name}: the hit for ldmatrix.x4 opens {shown!r}")
    browser.open(page.as_uri(), 1280, False, True)
    href = browser.evaluate(SEARCH % json.dumps("occupancy"))[2]
    browser.open(href, 1280, False, True)
    browser.evaluate(READY)
    top = browser.evaluate("document.getElementById(decodeURIComponent(location.hash.slice(1))).getBoundingClientRect().top")
    expect(0 <= top < 450, f"{name}: the hit for 'occupancy' is {top} px down")


def check(browser, url, args):
    failures = []

    def expect(holds, text):
        if not holds:
            failures.append(text)

    index = args.page.resolve()
    pages = pages_of(index)
    seen, bars = {}, {}
    for page in pages:
        name = page.relative_to(index.parent).as_posix()
        title = tuple(figures(browser, page, expect, args, name))
        expect(title[1] != "", f"{name}: no heading")
        expect(title not in seen, f"{name}: title and heading of {seen.get(title)}")
        seen[title] = name
        for href in set(browser.evaluate(LINKS)):
            if not href.startswith("#"):
                expect(chromium.neighbour(page.as_uri(), href).is_file(), f"{name}: a link leads nowhere: {href}")
        gpu = name.split("/")[0] if "/" in name else ""
        bar = browser.evaluate(BAR)
        expect(index.as_uri() in bar, f"{name}: no link to all GPUs")
        if gpu:
            expect(bars.setdefault(gpu, bar) == bar, f"{name}: the links are not those of the GPU's other pages")
    for gpu in bars:
        own = [page.as_uri() for page in pages if page.relative_to(index.parent).parts[0] == gpu]
        expect(set(own) <= set(bars[gpu]), f"{gpu}: the bar lacks {set(own) - set(bars[gpu])}")
    last = sorted(bars)[-1] if bars else None
    if last:
        for name in ("report.html", "kernels/report.html", "index.html"):
            page = index.parent / last / name
            if page.is_file():
                searched(browser, page, expect, f"{last}/{name}")
                followed(browser, page, expect, f"{last}/{name}")
        table = index.parent / last / "instructions.html"
        if table.is_file():
            browser.open(table.as_uri(), 1280, False, True)
            browser.evaluate(READY)
            for text, begins in ROWS:
                row = browser.evaluate(ROW % json.dumps(text))
                print(f"{last}/instructions.html: '{text}' shows first {row}")
                expect(row is not None and row.startswith(begins), f"{last}/instructions.html: '{text}' shows {row}, not {begins}")
    return failures


def options(parser):
    parser.set_defaults(times=True)
    parser.add_argument("--within", type=float, metavar="S", help="fail when a page loads later")


if __name__ == "__main__":
    sys.exit(chromium.main(__doc__, check, options))
