#!/usr/bin/env python3
"""Draws what `convoscope bench --json bench.json` has measured, and prints the table of the best.

    bench/plot.py bench.json --out assets      # crossover-*.png, best-*.png; the table on stdout
    bench/plot.py bench.json --table           # only the table; needs no matplotlib

matplotlib is needed by this script only, not by the program (Debian: python3-matplotlib).
"""
import argparse
import collections
import json
import os
import sys

PEERS = ("cudnn", "npp", "cv-cuda")


def fail(sentence):
    sys.exit(f"plot.py: {sentence}")


def read(path):
    try:
        with open(path, encoding="utf-8") as file:
            report = json.load(file)
    except OSError as error:
        fail(f"{path} cannot be read ({error.strerror}). Make it with: convoscope bench --json {path}")
    except ValueError:
        fail(f"{path} is not JSON. Make it with: convoscope bench --json {path}")
    rows = report.get("rows") if isinstance(report, dict) else None
    if not rows:
        fail(f"{path} has no rows: it is not what convoscope bench --json writes, or nothing could be measured.")
    needed = ("strategy", "filter", "rx", "format", "width", "height", "copy_ms", "median_ms", "verified")
    for row in rows:
        missing = [key for key in needed if key not in row]
        if missing:
            fail(f"{path}: a row has no {missing[0]}: it is from another version of convoscope bench.")
    return report, [row for row in rows if row["verified"]]


def kind(row):
    return row["filter"].split(":")[0]


def panels(rows):
    """Rows by (filter kind, format, size), each by strategy and radius, the fastest tuning of each."""
    found = collections.defaultdict(lambda: collections.defaultdict(dict))
    for row in rows:
        best = found[kind(row), row["format"], (row["width"], row["height"])][row["strategy"]]
        if row["rx"] not in best or row["median_ms"] < best[row["rx"]]["median_ms"]:
            best[row["rx"]] = row
    return found


def best_of(strategies, radius, wanted):
    rows = [lines[radius] for name, lines in strategies.items() if radius in lines and wanted(name)]
    return min(rows, key=lambda row: row["median_ms"], default=None)


def is_ours(name):
    return name not in PEERS and name != "auto"


def cells(found):
    for panel in sorted(found, key=str):
        strategies = found[panel]
        for radius in sorted({radius for lines in strategies.values() for radius in lines}):
            ours = best_of(strategies, radius, is_ours)
            peer = best_of(strategies, radius, lambda name: name in PEERS)
            yield panel, radius, ours, peer, strategies.get("auto", {}).get(radius)


def size_text(size):
    return f"{size[0]}×{size[1]}"


def table(found):
    lines = [
        "| filter | format | size | r | best of ours | × copy | auto | best peer | × copy | ours faster by |",
        "| --- | --- | --- | --: | --- | --: | --: | --- | --: | --: |",
    ]
    for panel, radius, ours, peer, auto in cells(found):
        name, pixels, size = panel
        times = lambda row: f"{row['median_ms'] / row['copy_ms']:.2f}" if row else "–"
        who = lambda row: f"`{row['strategy']}`" if row else "–"
        faster = f"{peer['median_ms'] / ours['median_ms']:.2f}" if ours and peer else "–"
        lines.append(
            f"| {name} | {pixels} | {size_text(size)} | {radius} | {who(ours)} | {times(ours)} | {times(auto)} "
            f"| {who(peer)} | {times(peer)} | {faster} |")
    return "\n".join(lines)


def draw_crossover(plt, panel, strategies, device, path):
    name, pixels, size = panel
    figure, axes = plt.subplots(figsize=(9, 6))
    shown = sorted(strategies, key=lambda each: -max(row["median_ms"] for row in strategies[each].values()))
    colours = plt.get_cmap("tab20").colors
    for i, strategy in enumerate(shown):
        radii = sorted(strategies[strategy])
        axes.plot(radii, [strategies[strategy][r]["median_ms"] for r in radii],
                  "--" if strategy in PEERS else "-", marker="o", markersize=3,
                  linewidth=2.5 if strategy == "auto" else 1.2, color="black" if strategy == "auto" else colours[i % 20],
                  label=strategy)
    radii = sorted({r for lines in strategies.values() for r in lines})
    copies = {r: next(lines[r]["copy_ms"] for lines in strategies.values() if r in lines) for r in radii}
    axes.plot(radii, [copies[r] for r in radii], ":", color="grey", label="copy")
    axes.set_xscale("log", base=2)
    axes.set_yscale("log")
    axes.set_xticks(radii, [str(r) for r in radii])
    axes.set_xlabel("radius")
    axes.set_ylabel("milliseconds a frame (median)")
    axes.set_title(f"{name}, {pixels}, {size_text(size)}, {device}")
    axes.grid(True, which="both", alpha=0.25)
    axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1.01, 0.5))
    figure.savefig(path, dpi=130, bbox_inches="tight")
    plt.close(figure)


def draw_bars(plt, found, pixels, size, device, path):
    rows = [(panel[0], radius, ours, peer) for panel, radius, ours, peer, _ in cells(found)
            if panel[1] == pixels and panel[2] == size and ours]
    figure, axes = plt.subplots(figsize=(max(6.0, 0.9 * len(rows)), 5))
    for i, (name, radius, ours, peer) in enumerate(rows):
        mine = ours["median_ms"] / ours["copy_ms"]
        axes.bar(i - 0.2, mine, 0.4, color="tab:orange", label="best of ours" if i == 0 else None)
        axes.text(i - 0.2, mine, ours["strategy"], rotation=90, fontsize=6, ha="center", va="bottom")
        if peer:
            theirs = peer["median_ms"] / peer["copy_ms"]
            axes.bar(i + 0.2, theirs, 0.4, color="tab:grey", label="best peer" if i == 0 else None)
            axes.text(i + 0.2, theirs, peer["strategy"], rotation=90, fontsize=6, ha="center", va="bottom")
    axes.set_xticks(range(len(rows)), [f"{name}\nr={radius}" for name, radius, _, _ in rows], fontsize=7)
    axes.set_yscale("log")
    axes.margins(y=0.2)
    axes.set_ylabel("times a copy of the frame")
    axes.set_title(f"{pixels}, {size_text(size)}, {device}")
    axes.grid(True, axis="y", alpha=0.25)
    axes.legend(fontsize=8)
    figure.savefig(path, dpi=130, bbox_inches="tight")
    plt.close(figure)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("json", help="what convoscope bench --json has written")
    parser.add_argument("--out", default=".", help="folder of the pictures (default: here)")
    parser.add_argument("--table", action="store_true", help="the table only")
    arguments = parser.parse_args()
    report, rows = read(arguments.json)
    found = panels(rows)
    print(table(found))
    if arguments.table:
        return
    try:
        import matplotlib
        matplotlib.use("Agg")
        import matplotlib.pyplot as plt
    except ImportError:
        fail("matplotlib is missing, so no pictures are drawn. Install python3-matplotlib, or ask for --table only.")
    try:
        os.makedirs(arguments.out, exist_ok=True)
        device = report.get("device", {}).get("name", "")
        for panel in found:
            name, pixels, size = panel
            draw_crossover(plt, panel, found[panel], device,
                           os.path.join(arguments.out, f"crossover-{name}-{pixels}-{size[0]}x{size[1]}.png"))
        for pixels, size in sorted({(panel[1], panel[2]) for panel in found}):
            draw_bars(plt, found, pixels, size, device,
                      os.path.join(arguments.out, f"best-{pixels}-{size[0]}x{size[1]}.png"))
    except OSError as error:
        fail(f"{arguments.out} cannot be written ({error.strerror}). Choose another folder with --out.")


if __name__ == "__main__":
    main()
