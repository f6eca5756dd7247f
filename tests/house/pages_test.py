"""What a program can check of the pages for readers; house_test.py runs these, too."""
import contextlib
import copy
import glob
import io
import json
import os
import re
import sys
import tempfile
import unittest

import prose
import said

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.dont_write_bytecode = True  # beside the sources
sys.path.insert(0, os.path.join(ROOT, "bench"))
import figures  # noqa: E402
import figures_take  # noqa: E402
import record_index  # noqa: E402


def text_of(name):
    with open(os.path.join(ROOT, name), encoding="utf-8") as file:
        return file.read()


def anchors(page):
    """As GitHub makes them of headings: without marks, in small letters, with dashes for spaces; the second one ends in -1."""
    found = []
    for heading in re.findall(r"^#+ +(.*?) *$", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S), re.M):
        anchor = re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-")
        same = sum(1 for each in found if re.fullmatch(re.escape(anchor) + r"(-\d+)?", each))
        found.append(f"{anchor}-{same}" if same else anchor)
    return found


class Pages(unittest.TestCase):
    def test_sentences_of_pages_are_short(self):
        """At most 35 words, and 17 on average over a page: see prose.py."""
        wrong = [fault for name in prose.pages() for fault in prose.faults(name, text_of(name))]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_what_counts_sentences_knows_where_they_end(self):
        for text, words in (("One two. Three four five.", [2, 3]), ("Takes 1.5 ms, e.g. Ada's, i.e. fast.", [7]), ("It took 1.5 ms. Now 1.", [4, 2]), ("A: b; c \u2013 d \u00b7 e", [5]),
                            ("**Bold lead.** [A link](x.md#y.z) (and more.) `a. B. c` ends.", [2, 4, 2]),
                            ("See `a.md`. `b` is next \u2026 and on. 3 \u00d7 3 is odd!", [2, 5, 4]), ("![A picture.](p.png)", [])):
            self.assertEqual([len(prose.words_of(each)) for each in prose.sentences(text)], words, text)
        long = " ".join(["word"] * 36)
        page = f"# {long}\n\nOne.\n- Two\n  three.\n1. Four.\n\n| {long} | `x` {long} |\n\n```\n{long}\n```\n"
        mean, found = prose.counted(page)
        self.assertEqual([words for words, _ in found], [1, 2, 1, 36, 37])
        self.assertAlmostEqual(mean, 4 / 3)
        self.assertEqual(len(prose.faults("page", page)), 2)
        items = "It can:\n\n- do one thing;\n- do **another**\n  thing.\n\nIt says:\n- One.\n- Two.\n\n# A:\n- three\n"
        self.assertEqual([words for words, _ in prose.counted(items)[1]], [8, 3, 1, 1])
        self.assertEqual(len(prose.faults("page", " ".join(["word"] * 18))), 1)

    def test_sentences_that_the_program_says_are_short(self):
        """Of the window, of messages, errors and help: at most 35 words, as in pages."""
        names = [os.path.relpath(path, ROOT) for room in ("app", "kernels") for ending in (".cpp", ".h", ".cu", ".cuh", ".in")
                 for path in glob.glob(os.path.join(ROOT, room, "**", "*" + ending), recursive=True)]
        found = [(words, sentence, f"{name}:{line}") for name in names for words, sentence, line in said.sentences(text_of(name))]
        self.assertGreater(len(found), 3000)
        wrong = [f"{where}: {words} words: {sentence}" for words, sentence, where in found if words > prose.LONGEST]
        self.assertEqual(wrong, [], "\n".join(wrong))

    def test_what_counts_them_knows_what_is_put_together(self):
        for code, expected in (('f("One two three four. " "Five six seven eight.", "Short one.");', [4, 4]),
                            ('text = "It takes " + std::to_string(a + b) + " of them (" + name(x, y) + ").";', [6]),
                            ('"What is " + (many ? "quite a lot" : "few") + " of it" + std::string(all ? " here." : ".");', [8]),
                            ('if (said == "one two three four five") return R"(Raw text\nhas four.)"; // "a b c d e"', [5, 4]),
                            ('"Two rows:\\n  one has three words\\n  another has some more"', [4, 4]),
                            ('asm volatile("{ one two three four five }" : "l"(descriptor(start, a)));', []),
                            ('messages = {"He says \\"no, thanks\\" to that.", \'"\', "1 2 3 4"};', [6, 4])):
            self.assertEqual([words for words, _, _ in said.sentences(code)], expected, code)

    def test_links_between_pages_lead_somewhere(self):
        broken = []
        for name in [*prose.pages(), "bench/RECORD.md", "bench/peers/README.md"]:
            page = text_of(name)
            for link in re.findall(r"\]\(([^)\s]+)\)", re.sub(r"^```.*?^```", "", page, flags=re.M | re.S)):
                path, _, anchor = link.partition("#")
                if ":" in path:
                    continue
                there = os.path.normpath(os.path.join(os.path.dirname(name), path)) if path else name
                if not os.path.exists(os.path.join(ROOT, there)) or anchor and anchor not in anchors(text_of(there)):
                    broken.append(f"{name}: {link}")
        self.assertEqual(broken, [])

    def test_the_records_index_is_what_its_entries_make_of_it(self):
        record = text_of("bench/RECORD.md")
        self.assertEqual(record, record_index.made(record), "bench/record_index.py writes it anew")
        # What begins in bold was meant as an entry, which needs a heading to be found by.
        self.assertEqual(re.findall(r"^\*\*[^*\n]+\.\*\*", record, re.M), [])

    def test_every_strategy_has_a_line_in_the_ladder(self):
        page = text_of("docs/ladder.md")
        parts = dict(zip(("image", "signal", "volume", "layer"), re.split(r"^## (?=Pictures|Signals|Volumes|Layers)", page, flags=re.M)[1:]))
        silent = [f"{kind}: {each}" for kind, words in re.findall(r"\b(\w+)_(?:CPU|CUDA)_STRATEGIES([^)]+)\)", text_of("kernels/CMakeLists.txt"))
                  if kind in parts for each in words.split()
                  if not each.startswith("$") and not re.search(rf"^\| [^|]*`{each}`", parts[kind], re.M)]
        self.assertEqual(silent, [])

    def test_figures_are_what_the_data_make_of_them(self):
        self.assertEqual(figures.kinds(), ["image", "layer", "signal", "volume"])
        for kind in figures.kinds():
            self.assertEqual([os.path.relpath(path, ROOT) for path in figures.stale(kind)], [], "bench/figures.py writes them anew")

    def test_a_figure_of_a_page_cannot_be_changed_by_hand(self):
        page, text = next((path, text) for path, text in figures.made("image").items() if path.endswith(".md"))
        self.assertIn("| 7.3 |", text)
        self.assertEqual(figures.filled("image", text.replace("| 7.3 |", "| 7.2 |"), figures.read("image")), text)

    def test_data_are_written_as_they_were_read(self):
        for kind in figures.kinds():
            text = text_of(f"bench/data/{kind}.json")
            as_written = json.loads(text, parse_float=figures_take.AsWritten, parse_int=figures_take.AsWritten)
            self.assertEqual(figures_take.written(as_written) + "\n", text)

    def test_what_bench_measured_is_taken_over(self):
        row = {"kind": "image", "strategy": "constant", "filter": "gaussian:radius=4", "rx": 4, "format": "rgba8", "width": 3840, "height": 2160,
               "verified": True, "copy_ms": 0.02, "median_ms": 0.5}
        others = [dict(row, median_ms=0.7), dict(row, filter="disk:radius=4", median_ms=0.1), dict(row, width=1920, median_ms=0.1),
                  dict(row, strategy="global", doubt="interval"), dict(row, strategy="cpu-parallel"),
                  {"kind": "image", "strategy": "constant", "verified": False, "rx": 4, "format": "rgba8", "width": 3840, "height": 2160, "filter": "gaussian"}]
        with tempfile.TemporaryDirectory() as folder:
            report, data = os.path.join(folder, "bench.json"), os.path.join(folder, "image.json")
            with open(report, "w") as file:
                json.dump({"program": "0.2", "device": {"name": "A GPU", "cuda": "driver 13.1, toolkit 13.0"}, "date": "2030-01-02T03:04:05Z", "rows": [*others, row]}, file)
            with open(data, "w") as file:
                file.write(text_of("bench/data/image.json"))
            with contextlib.redirect_stdout(io.StringIO()) as said:
                figures_take.take(report, data)
            self.assertIn("doubtful: global\n", said.getvalue())
            with open(data) as file:
                taken = json.load(file)
        before = json.loads(text_of("bench/data/image.json"))
        expected = copy.deepcopy(before["ladder"]["rows"])
        constant = next(each for each in expected if each["id"] == "constant")
        letter = next(each["session"] for each in taken["ladder"]["rows"] if each["id"] == "constant")
        self.assertNotIn(letter, before["sessions"])
        constant["session"], constant["values"][2] = letter, 25.0
        self.assertEqual(taken["ladder"]["rows"], expected)
        self.assertEqual(taken["sessions"][letter], {"device": "A GPU", "driver": "not recorded", "cuda": "driver 13.1, toolkit 13.0",
                                                     "published": "2030-01-02", "copy_ms": "0.02 to 0.02", "program": "0.2"})
        self.assertEqual(taken["goals"], before["goals"])


if __name__ == "__main__":
    unittest.main()
