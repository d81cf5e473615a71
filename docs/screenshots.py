"""Makes the pictures of docs/report.md and the READMEs from the report of the sample corpus.

    python docs/screenshots.py NEARPRINT CHROMIUM

Needs the Python package playwright. NEARPRINT is the command, CHROMIUM the browser.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import sync_playwright

DOCS = Path(__file__).resolve().parent
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]


def main(nearprint: str, chromium: str) -> None:
    with tempfile.TemporaryDirectory() as folder, sync_playwright() as playwright:
        output = Path(folder) / "clean"
        command = [
            nearprint,
            "dedup",
            "examples/articles.jsonl",
            "--output",
            str(output),
            "--report",
            "--quiet",
        ]
        subprocess.run(command, cwd=DOCS.parent, check=True)
        address = (output / "report.html").as_uri()
        browser = playwright.chromium.launch(executable_path=chromium, args=FLAGS)
        for name, locale in [("en", "en-US"), ("zh", "zh-CN")]:
            page = browser.new_page(viewport={"width": 1000, "height": 640}, locale=locale)
            page.goto(address)
            page.screenshot(path=DOCS / f"report-{name}.png")
        page = browser.new_page(viewport={"width": 1000, "height": 640}, locale="en-US")
        page.goto(address)
        page.locator("#browse .pair").first.screenshot(path=DOCS / "report-pair.png")
        browser.close()


if __name__ == "__main__":
    main(*sys.argv[1:])
