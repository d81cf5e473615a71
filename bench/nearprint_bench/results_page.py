"""Writes docs/results.md: the figures of bench/results.json in the prose of bench/results.md.in.

    bench/run.sh results_page [--output FILE]

The template names its values: {{machines}}, {{GROUP.table}}, {{GROUP.FIGURE}}, and {{GROUP.about}},
the corpus, the way of measuring, the machine and the command of a group. Needs no packages.
"""

import argparse
import json
import re
from pathlib import Path

from .folders import REPOSITORY
from .pages import markdown, refill

RESULTS = REPOSITORY / "bench" / "results.json"
TEMPLATE = REPOSITORY / "bench" / "results.md.in"
PAGE = REPOSITORY / "docs" / "results.md"
WIDTH = 100
NAME = re.compile(r"\{\{([\w.]+)\}\}")


def render(results: dict, template: str) -> str:
    """The text of the page."""

    def value(match: re.Match) -> str:
        return (
            machines(results) if match[1] == "machines" else of_group(results, *match[1].split("."))
        )

    return refill(NAME.sub(value, template).strip(), WIDTH) + "\n"


def names(template: str) -> list[str]:
    """The names of all values in a template."""
    return NAME.findall(template)


def machines(results: dict) -> str:
    """A bullet for each machine."""
    return "\n".join(f"- **{name}**: {machine}." for name, machine in results["machines"].items())


def of_group(results: dict, group: str, name: str) -> str:
    found = results["groups"][group]
    if name == "about":
        return about(found)
    if name == "table":
        return table(found["table"])
    return shown(found["figures"][name])


def about(group: dict) -> str:
    """A paragraph about a group, and its commands as a block of code."""
    measured_on = [f"Machine {group['machine']}" if group["machine"] else "", group["date"] or ""]
    where = ", ".join(filter(None, measured_on))
    text = f"{group['corpus']} {group['measured']}{f' {where}.' if where else ''}"
    commands = "\n".join(f"    {command}" for command in group["command"])
    return f"{text}\n\n{commands}" if commands else text


def table(data: dict) -> str:
    return markdown(data["columns"], [[shown(cell) for cell in row] for row in data["rows"]])


def shown(value) -> str:
    """A value for the page: whole numbers in groups of three digits, a dash for None."""
    if value is None:
        return "–"
    return f"{value:,}" if isinstance(value, int) else str(value)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument(
        "--output",
        metavar="FILE",
        type=Path,
        default=PAGE,
        help="the page [default: docs/results.md]",
    )
    options = parser.parse_args()
    page = render(
        json.loads(RESULTS.read_text(encoding="utf-8")), TEMPLATE.read_text(encoding="utf-8")
    )
    options.output.write_text(page, encoding="utf-8")
    print(f"{options.output}: {len(page.split()):,} words")


if __name__ == "__main__":
    main()
