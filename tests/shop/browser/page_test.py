# SPDX-License-Identifier: Apache-2.0

"""page_test.py SHOP FOLDER - the shop's page and report in a real browser.

Runs SHOP for a short sale, watches it in a headless Chromium, and leaves screenshots in
FOLDER. Exit status 77: there is no Chromium here, and nothing was tested.
"""

import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

sys.dont_write_bytecode = True  # The tests leave nothing in the source tree.
sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from devtools import Browser  # noqa: E402

SCALE = float(os.environ.get("HOLDFAST_TEST_SCALE", "1"))
PATIENCE = 60 * SCALE  # seconds
STRATEGIES = ["no-lock", "one-sql", "v5", "holdfast-local", "holdfast-redis"]
SHOP, FOLDER = sys.argv[1:3] if len(sys.argv) > 2 else ("", "")
CHROMIUM = shutil.which("chromium")

# A file name that would run a script, if the page took text for HTML.
EVIL = "<img src=x onerror=window.ran=1><script>window.ran=1<"

# Each cell of the table, by strategy and column, as the page shows it.
TABLE = """Object.fromEntries([...document.querySelectorAll("#table tbody tr")].map((row) =>
  [row.dataset.name, Object.fromEntries([...row.querySelectorAll("[data-key]")].map((cell) =>
    [cell.dataset.key, cell.textContent]))]))"""

# How far the curves of the page have come: how many points they have.
POINTS = """[...document.querySelectorAll("#plot-stock polyline, #plot-rate polyline, "
  + "#plot-latency polyline")].map((line) => line.getAttribute("points")).join(" ").length"""


def number(text):
    return float(text.replace(",", ""))


class Shop:
    """The program, with its page's address; it ends with the object."""

    def __init__(self, folder, *options):
        self.report = os.path.join(folder, EVIL + ".html")
        self.json = open(os.path.join(folder, "result.json"), "w+", encoding="utf-8")
        self.process = subprocess.Popen(
            [SHOP, "--json", "--report", self.report, "--strategies", ",".join(STRATEGIES),
             *options], stdout=self.json, stderr=subprocess.PIPE, text=True)
        self.url = re.search(r"http://\S+", self.process.stderr.readline())[0]

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.communicate(timeout=PATIENCE)
        self.json.close()

    def result(self):
        self.json.seek(0)
        return json.load(self.json)


class PageTest(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name
        self.browser = Browser(CHROMIUM, folder.name, PATIENCE)
        self.addCleanup(self.browser.close)

    def shoot(self, name, width=1200, height=1000, dark=False, phone=False):
        self.browser.view(width, height, dark, phone)
        # A frame later everything is drawn for this width.
        self.browser.evaluate("new Promise((f) => requestAnimationFrame(() => setTimeout(f, 0)))")
        self.browser.screenshot(os.path.join(FOLDER, name + ".png"))

    def shoot_in_all_ways(self, name):
        self.shoot(name)
        self.shoot(name + "-dark", dark=True)
        self.shoot(name + "-phone", 390, 844, phone=True)
        wide = self.browser.evaluate("document.documentElement.scrollWidth")
        self.assertLessEqual(wide, 390, f"{name} is wider than a phone")
        self.browser.view(1200, 1000)

    def expect_peace(self, address):
        self.assertEqual(self.browser.complaints, [])
        self.assertEqual(self.browser.failures, [])
        outside = [url for url in self.browser.requests
                   if not url.startswith((address, "about:"))]
        self.assertEqual(outside, [])
        self.assertNotEqual(self.browser.evaluate("window.ran"), 1)

    def await_end(self, phase):
        self.browser.await_true(f"state.phase === '{phase}' && "
                                f"result.strategies.length === {len(STRATEGIES)}", PATIENCE * 3)

    def expect_moving_charts(self):
        self.browser.await_true("state.phase === 'selling'", PATIENCE)
        before = self.browser.evaluate(POINTS)
        self.browser.await_true(f"{POINTS} > {before}", PATIENCE)
        self.browser.await_true("document.querySelectorAll('#floor .lane').length > 0", PATIENCE)

    def expect_the_same_numbers(self, result):
        shown = self.browser.evaluate(TABLE)
        self.assertEqual(list(shown), STRATEGIES)
        for row in result["strategies"]:
            cells = shown[row["name"]]
            self.assertEqual(len(cells), 14)
            for key, text in cells.items():
                decimals = len(text.partition(".")[2])
                self.assertAlmostEqual(number(text), row[key], delta=0.51 * 10 ** -decimals,
                                       msg=f"{row['name']}: {key}")

    def test_the_page_of_a_run(self):
        with Shop(self.folder, "--users", "100", "--requests", "200", "--stock", "15000",
                  "--seconds", "3", "--scenes", "v2-crash,v5-reentry", "--keep") as shop:
            self.browser.view(1200, 1000)
            self.browser.open(shop.url)
            self.expect_moving_charts()
            self.shoot("page-live")
            self.await_end("kept")
            self.expect_the_same_numbers(shop.result())
            self.assertEqual(self.browser.evaluate(
                "document.querySelectorAll('#scene-list li').length"),
                2)
            self.browser.evaluate("document.querySelector('#cards button').click()")
            self.shoot_in_all_ways("page")
            self.shoot("readme", 1040, 790)
            for tab in ("comparison", "scenes"):
                self.browser.evaluate(f"byId('tab-{tab}').click()")
                self.shoot_in_all_ways(tab)
            self.expect_a_try()
            self.expect_peace(shop.url)
            self.expect_a_report(shop)

    # Of ten requests for a semaphore of three, three are in and seven wait.
    def expect_a_try(self):
        self.browser.evaluate("byId('tab-try').click()")
        self.browser.await_true("!document.querySelector('#buttons button').disabled")
        self.browser.evaluate("document.querySelector('#buttons button:nth-child(4)').click()")
        self.browser.await_true(
            "[...document.querySelectorAll('[data-name=semaphore] .mark')]"
            ".map((mark) => mark.textContent).join(' ') === "
            "'in in in waiting waiting waiting waiting waiting waiting waiting'", PATIENCE)
        self.shoot("try")

    # As a file, which is how it is sent to others.
    def expect_a_report(self, shop):
        path = os.path.join(self.folder, "report.html")
        shutil.copy(shop.report, path)
        self.browser.open("file://" + path)
        self.browser.requests.clear()  # what the page before it was still asking for
        self.browser.open("file://" + path)
        self.expect_peace("file://" + path)
        text = self.browser.evaluate("document.body.innerText")
        self.assertIn(EVIL, text)  # as text: the command
        self.assertIn("Which engine?", text)
        for row in shop.result()["strategies"]:
            self.assertIn(row["name"], text)
        self.assertEqual(self.browser.evaluate("document.scripts.length"), 0)
        self.shoot_in_all_ways("report")
        self.shoot("report-whole", 1200,
                   self.browser.evaluate("document.documentElement.scrollHeight"))

    # A run that nobody keeps waits for the page to have its end.
    def test_the_page_of_a_shop_that_closes(self):
        with Shop(self.folder, "--users", "10", "--requests", "100", "--stock", "800",
                  "--seconds", "2", "--no-scenes") as shop:
            self.browser.open(shop.url)
            self.await_end("over")
            self.assertEqual(shop.process.wait(PATIENCE), 0)
            self.browser.await_true("closed", PATIENCE)
            self.expect_the_same_numbers(shop.result())
            self.assertIn("has closed", self.browser.evaluate("byId('phase').textContent"))


if __name__ == "__main__":
    if CHROMIUM is None:
        print("SKIPPED: the page was not tested in a browser: there is no chromium; "
              "./dev deps test installs it")
        sys.exit(77)
    os.makedirs(FOLDER, exist_ok=True)
    unittest.main(argv=sys.argv[:1], verbosity=2)
