"""Takes what `convoscope bench --json` measured of pictures into bench/data/image.json."""
import json
import re

SIZE = (3840, 2160)
COLUMNS = [("rgba8", 1), ("rgba8", 2), ("rgba8", 4), ("rgba8", 8), ("rgba8", 16), ("gray32f", 2), ("gray32f", 8)]


class AsWritten(str):
    """A number, digit by digit."""


def written(value, column=0):
    """JSON whose lists of plain values stand on one line each, with numbers as they were."""
    def flat(value):
        if isinstance(value, AsWritten):
            return str(value)
        if isinstance(value, dict):
            return "{" + ", ".join(f"{json.dumps(key, ensure_ascii=False)}: {flat(each)}" for key, each in value.items()) + "}"
        if isinstance(value, list):
            return "[" + ", ".join(map(flat, value)) + "]"
        return json.dumps(value, ensure_ascii=False)
    line = flat(value)
    if len(line) + column <= 118 or not isinstance(value, (dict, list)):
        return line
    pad = " " * (column + 2)
    if isinstance(value, dict):
        parts, ends = [f"{json.dumps(key, ensure_ascii=False)}: {written(each, column + 2)}" for key, each in value.items()], "{}"
    else:
        parts, ends = [written(each, column + 2) for each in value], "[]"
    return ends[0] + "\n" + ",\n".join(pad + part for part in parts) + "\n" + " " * column + ends[1]


def multiple(times):
    """As the table has it: two decimals near one are noise, and three digits are enough above."""
    return AsWritten(f"{times:.1f}" if times < 100 else f"{times:.0f}")


def take(path, data_path):
    """The medians of a Gaussian at 3840×2160, as multiples of a copy, for each strategy of the table that was measured."""
    with open(path, encoding="utf-8") as file:
        report = json.load(file)
    with open(data_path, encoding="utf-8") as file:
        data = json.load(file, parse_float=AsWritten, parse_int=AsWritten)
    rows = {row["id"]: row for row in data["ladder"]["rows"]}
    fastest, doubtful = {}, set()
    for row in report["rows"]:
        if row["strategy"] not in rows:
            continue
        if "doubt" in row:
            doubtful.add(row["strategy"])
            continue
        column = (row["format"], row["rx"])
        if (row["kind"] == "image" and row["verified"] and (row["width"], row["height"]) == SIZE and column in COLUMNS
                and re.match("gaussian", row["filter"])):
            key = row["strategy"], COLUMNS.index(column)
            if key not in fastest or row["median_ms"] < fastest[key]["median_ms"]:
                fastest[key] = row
    if doubtful:
        print(f"figures.py: not taken, since their times are doubtful: {', '.join(sorted(doubtful))}")
    if not fastest:
        raise SystemExit(f"figures.py: {path} has no Gaussian at 3840×2160 that can be taken. Make it on a GPU with: "
                         f"convoscope bench --size 3840x2160 --json {path}")
    copies = sorted(row["copy_ms"] for row in fastest.values())
    letter = next(letter for letter in map(chr, range(ord("A"), ord("Z"))) if letter not in data["sessions"])
    data["sessions"][letter] = {
        "device": report["device"]["name"], "driver": "not recorded",
        "cuda": report["device"].get("cuda", "not recorded"),
        "published": report["date"][:10], "copy_ms": f"{copies[0]:.3g} to {copies[-1]:.3g}", "program": report.get("program", "not recorded")}
    for strategy in sorted({strategy for strategy, _ in fastest}):
        row = rows[strategy]
        row["session"] = letter
        row["values"] = [multiple(fastest[strategy, i]["median_ms"] / fastest[strategy, i]["copy_ms"]) if (strategy, i) in fastest else old
                         for i, old in enumerate(row["values"])]
    used = {str(row["session"]) for table in data.values() if isinstance(table, dict) and "rows" in table
            for row in [table, *table["rows"]] if "session" in row}
    data["sessions"] = {key: session for key, session in data["sessions"].items() if key in used}
    with open(data_path, "w", encoding="utf-8") as file:
        file.write(written(data) + "\n")
