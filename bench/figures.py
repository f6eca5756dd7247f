#!/usr/bin/env python3
"""Writes the figures of docs/figures-*.md from bench/data/*.json, and draws their plots.

    bench/figures.py                       # writes what is not up to date
    bench/figures.py --check               # writes nothing; 1 if something would change
    bench/figures.py --take bench.json     # first takes over what `convoscope bench --json` measured of pictures

A page is prose with places in it, each between two comments that name it. What stands between them is made here, so
that a figure is changed in the data only. Numbers appear as they stand in the data, digit by digit.
"""
import argparse
import glob
import json
import os
import re
import sys

from figures_plot import plot

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DATA = os.path.join(ROOT, "bench", "data")
PLACE = re.compile(r"(<!-- figures: ([a-z0-9-]+) -->\n).*?(<!-- end -->)", re.S)
NEAR = 1.02  # of the fastest: what is as good as bold
REFUSED = "–"


def fail(sentence):
    sys.exit(f"figures.py: {sentence}")


def read(kind):
    # Numbers stay text, so that 0.0690 does not become 0.069.
    with open(os.path.join(DATA, kind + ".json"), encoding="utf-8") as file:
        return json.load(file, parse_float=str, parse_int=str)


def number(text):
    """None for what was not measured or is refused."""
    return None if text in (None, REFUSED) else float(text)


def shown(text):
    return "" if text is None else text


def name(text):
    """An id is code; what has spaces or capitals is words."""
    return f"`{text}`" if re.fullmatch(r"[a-z0-9-]*[a-z][a-z0-9-]*", text) else text


def lines_of(head, rows):
    return "\n".join("| " + " | ".join(row) + " |" for row in [head, ["---"] * len(head), *rows])


def sessions(data):
    head = ["session", "device", "published", "a copy, ms", "driver", "CUDA", "program"]
    keys = ["device", "published", "copy_ms", "driver", "cuda", "program"]
    return lines_of(head, [[letter, *(session[key] for key in keys)] for letter, session in sorted(data["sessions"].items())])


def values(table, first="strategy"):
    """A row for each strategy, a column for each problem; goals that are met by anyone are bold, and so is who meets them."""
    loads = any("loads" in row for row in table["rows"])
    apart = any("session" in row for row in table["rows"])
    goals = [number(goal) for goal in table.get("goals", [])]
    rows = []
    for row in table["rows"]:
        cells = []
        for i, value in enumerate(row["values"]):
            met = goals and number(value) is not None and number(value) <= goals[i]
            cells.append(f"**{value}**" if met else " · ".join(value) if isinstance(value, list) else shown(value))
        rows.append([name(row["id"]), *([row.get("loads", "")] if loads else []), *cells, *([row["session"]] if apart else [])])
    if goals:
        rows.append(["goal", *table["goals"], *([""] if apart else [])])
    return lines_of([first, *(["loads per output"] if loads else []), *table["columns"], *(["session"] if apart else [])], rows)


def met(cell):
    return number(cell["ours"]) <= number(cell["goal"])


def against(table, short=None):
    """Ours · the library's · the goal; who it was stands behind its number, and what meets its goal is bold."""
    short = short or {}

    def text(cell):
        if cell == REFUSED:
            return cell
        ours, library = cell["ours"], cell["library"]
        if cell.get("by") in short.get("library", {}):
            library += " " + short["library"][cell["by"]]
        if cell.get("by") in short.get("ours", {}):
            ours += " " + short["ours"][cell["by"]]
        return f"**{ours}** · {library} · {cell['goal']}" if "goal" in cell and met(cell) else " · ".join(
            [ours, library, *([cell["goal"]] if "goal" in cell else [])])
    apart = any("session" in row for row in table["rows"])
    return lines_of(["", *table["columns"], *(["session"] if apart else [])],
                    [[row["id"], *map(text, row["cells"]), *([row["session"]] if apart else [])] for row in table["rows"]])


def summary(table):
    cells = [(cell, row["id"], column) for row in table["rows"] for cell, column in zip(row["cells"], table["columns"]) if cell != REFUSED]
    ahead = sum(number(cell["library"]) < number(cell["ours"]) for cell, _, _ in cells)
    nearest, which, column = min(cells, key=lambda each: number(each[0]["library"]) / number(each[0]["ours"]))
    goals = [cell for cell, _, _ in cells if "goal" in cell]
    text = f"{sum(map(met, goals))} of {len(goals)} goals are met. " if goals else ""
    text += f"A library is ahead in {ahead or 'none'} of {len(cells)} cells. "
    factor = number(nearest["library"]) / number(nearest["ours"])
    return text + f"The nearest one takes {factor:.2f} times as long as ours ({which}, {column})."


def passes(table):
    """Three numbers a cell: forward, to the input, to the weights. Each pass's fastest are bold."""
    rows = []
    for row in table["rows"]:
        best = [min((number(value[i]) for value in row["values"] if value != REFUSED and number(value[i]) is not None), default=0)
                for i in range(3)]

        def text(value):
            if value == REFUSED:
                return value
            return " · ".join(f"**{each}**" if number(each) is not None and number(each) <= NEAR * best[i] else each
                              for i, each in enumerate(value))
        rows.append([row["id"], *map(text, row["values"])])
    return lines_of(["N,C,H,W,M,K", *map(name, table["columns"])], rows)


def layer_half(table):
    rows = []
    for row in table["rows"]:
        ours, library = (f"**{row[key]}**" if number(row[key]) <= min(number(row["ours"]), number(row["library"])) else row[key]
                         for key in ("ours", "library"))
        rows.append([row["id"], name(row["by"]), ours, library, row["goal"], "met" if met(row) else "missed"])
    return lines_of(["N,C,H,W,M,K", "our fastest", "ms", "`cudnn`", "goal", ""], rows)


def layer_loads(table):
    return lines_of(["strategy", "passes", "loads per output, forward"],
                    [[name(row["id"]), row["passes"], row["loads"]] for row in table["rows"]])


LIBRARIES = {"library": {"npp": "N", "cv-cuda": "C"}}
OURS = {"ours": {"implicit-gemm-split": "S", "implicit-gemm-tf32": "F", "strips-split": "P", "register-block": "B", "register-tile": "T", "depthwise": "D"}}
SPECIAL = {
    ("image", "goals"): lambda table: against(table, LIBRARIES), **{("layer", which): lambda table: against(table, OURS) for which in ("goals", "tf32", "tf32-nhwc")},
    ("layer", "early"): passes, ("layer", "half"): layer_half, ("layer", "ladder"): layer_loads,
    ("layer", "winograd"): lambda table: values(table, "N,C,H,W,M,K"), ("layer", "h100"): lambda table: values(table, "layer"),
}


def place(kind, data, which):
    """What stands in this place of the page."""
    if which == "sessions":
        return sessions(data)
    if which == "plot":
        return f"![{data['plot']['title']}](../assets/figures-{kind}.svg)"
    if which.endswith("-summary"):
        return summary(data[which.removesuffix("-summary")])
    table = data[which]
    return SPECIAL.get((kind, which), against if "cells" in table["rows"][0] else values)(table)


def lines_to_draw(data):
    """The plot's lines, each (name, numbers): rows of tables by their ids, or one value of each of their cells."""
    for line in data["plot"]["lines"]:
        table = data[line["table"]]
        rows = table["rows"] if line.get("row") is None else [row for row in table["rows"] if row["id"] == line["row"]]
        if not rows:
            fail(f"the plot of {data['kind']} has a line of {line['row']}, which its table has not.")
        cells = rows[0].get("cells", rows[0].get("values")) if line.get("row") else [row["cells"][int(line["column"])] for row in rows]
        numbers = [number(cell[line["value"]] if "value" in line else cell) for cell in cells]
        yield line.get("name", line.get("row")), numbers[:len(data["plot"]["labels"])]


def filled(kind, page, data):
    """The page with every place in it made anew."""
    missing = {key for key, value in data.items() if isinstance(value, dict)} - {found[1] for found in PLACE.findall(page)}
    if missing:
        fail(f"docs/figures-{kind}.md has no place for {', '.join(sorted(missing))}.")
    return PLACE.sub(lambda found: f"{found[1]}{place(kind, data, found[2])}\n{found[3]}", page)


def made(kind):
    """{path: text} of the page and its plot."""
    data = read(kind)
    page = os.path.join(ROOT, "docs", f"figures-{kind}.md")
    with open(page, encoding="utf-8") as file:
        new = filled(kind, file.read(), data)
    return {page: new, os.path.join(ROOT, "assets", f"figures-{kind}.svg"): plot(data["plot"], list(lines_to_draw(data)))}


def stale(kind):
    """What is not as it should be; {path: text}."""
    wrong = {}
    for path, text in made(kind).items():
        try:
            with open(path, encoding="utf-8") as file:
                same = file.read() == text
        except FileNotFoundError:
            same = False
        if not same:
            wrong[path] = text
    return wrong


def kinds():
    return sorted(os.path.splitext(os.path.basename(path))[0] for path in glob.glob(os.path.join(DATA, "*.json")))


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="write nothing; the exit code is 1 if something would change")
    parser.add_argument("--take", metavar="JSON", help="what convoscope bench --json has written")
    arguments = parser.parse_args()
    if arguments.take:
        from figures_take import take
        take(arguments.take, os.path.join(DATA, "image.json"))
    wrong = {path: text for kind in kinds() for path, text in stale(kind).items()}
    for path, text in wrong.items():
        print(os.path.relpath(path, ROOT))
        if not arguments.check:
            with open(path, "w", encoding="utf-8") as file:
                file.write(text)
    return 1 if wrong and arguments.check else 0


if __name__ == "__main__":
    sys.exit(main())
