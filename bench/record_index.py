#!/usr/bin/env python3
"""Writes the index at the top of RECORD.md: which entries are about which strategy.

    bench/record_index.py [--check]      with --check nothing is written; 1 if something would change

An entry is about the strategies that its heading names, and about those that its text names at once or often.
"""
import os
import re
import sys

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
RECORD = os.path.join(ROOT, "bench", "RECORD.md")
OFTEN = 3       # times in an entry
AT_ONCE = 250   # characters from its beginning
PLACE = re.compile(r"(<!-- index -->\n).*?(<!-- end -->)", re.S)


def read(path):
    with open(path, encoding="utf-8") as file:
        return file.read()


def strategies():
    """In the order of the list, which is that of the ladder."""
    lists = re.findall(r"_(?:CPU|CUDA)_STRATEGIES([^)]+)\)", read(os.path.join(ROOT, "kernels", "CMakeLists.txt")))
    return list(dict.fromkeys([word for words in lists for word in words.split() if not word.startswith("$")] + ["auto"]))


def entries(record):
    """[(heading, anchor, text)], anchors as GitHub makes them."""
    parts = re.split(r"^## (.*)$", record, flags=re.M)[1:]
    found, seen = [], {}
    for heading, text in zip(parts[::2], parts[1::2]):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        seen[anchor] = seen.get(anchor, -1) + 1
        found.append((heading, anchor + (f"-{seen[anchor]}" if seen[anchor] else ""), text))
    return [entry for entry in found if entry[1] != "index"]


def index(record):
    found = entries(record)
    rows, named = [], set()
    for strategy in strategies():
        name = f"`{strategy}`"
        about = [entry for entry in found if name in entry[0] + entry[2][:AT_ONCE] or entry[2].count(name) >= OFTEN]
        named |= {anchor for _, anchor, _ in about}
        if about:
            rows.append(f"| {name} | " + " · ".join(f"[{heading}](#{anchor})" for heading, anchor, _ in about) + " |")
    others = [f"- [{heading}](#{anchor})" for heading, anchor, _ in found if anchor not in named]
    return "\n".join(["| strategy | entries |", "| --- | --- |", *rows, "", "About other things:", "", *others])


def made(record):
    if not PLACE.search(record):
        sys.exit("record_index.py: RECORD.md has no place for the index.")
    return PLACE.sub(lambda found: f"{found[1]}{index(record)}\n{found[2]}", record)


def main():
    record = read(RECORD)
    new = made(record)
    if new != record and "--check" not in sys.argv[1:]:
        with open(RECORD, "w", encoding="utf-8") as file:
            file.write(new)
    return 1 if new != record and "--check" in sys.argv[1:] else 0


if __name__ == "__main__":
    sys.exit(main())
