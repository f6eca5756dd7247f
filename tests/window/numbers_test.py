"""Numbers as a source of the window: what the panes make of them, written into cells, explained and counted; the book's layer of
2 x 2 filters; and the source of a strategy beside its picture. The numbers are the program's own, from --stats."""
import json
import os
import sys
import tempfile
import unittest

from desktop import Desktop

PROGRAM = None
SIGNAL, TAPS = [8, 2, 5, 4, 1, 7, 3], [1, 3, 5, 3, 1]
LAYER = "channels:1 2 3; 1 1 0; 2 0 1;; 0 2 1; 0 3 1; 1 0 2;; 1 2 0; 0 1 2; 1 1 0"
BANK = "1 1; 2 2;; 1 1; 1 1;; 0 1; 1 0;; 1 0; 0 1;; 0 1; 1 0;; 1 1; 1 1"


def words(numbers):
    return " ".join(map(str, numbers))


def filtered(samples, taps):
    """By the definition, with ghost cells of 0."""
    reach = len(taps) // 2
    padded = [0] * reach + samples + [0] * reach
    return [sum(w * x for w, x in zip(taps, padded[i:])) for i in range(len(samples))]


class Numbers(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.stats = os.path.join(self.folder.name, "stats.json")

    def tearDown(self):
        self.folder.cleanup()

    def desktop(self, *arguments, **options):
        return Desktop(PROGRAM, *arguments, "--backend", "cpu", "--stats", self.stats, **options)

    def quit(self, desktop):
        desktop.key("ctrl+q")
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())
        with open(self.stats) as file:
            return json.load(file)["numbers"]

    def test_a_signal_by_command_and_another_by_the_field(self):
        with self.desktop("numbers:" + words(SIGNAL), "--filter", words(TAPS), "--border", "zero", "--compare",
                          "source,cpu-direct", "--view", "grid") as desktop:
            for pane in (0, 1):
                desktop.wait_for(lambda: desktop.drawn(f"cells/{pane}"), "the cells of the panes")
            self.assertEqual(desktop.marks()["faults"], [])
            desktop.key("ctrl+o")
            desktop.enter("numbers:1 2 3 4 5 6 -700")
            desktop.wait_for(lambda: not desktop.marks()["busy"], "the other numbers")
            desktop.steady()
            self.assertEqual(self.quit(desktop), [[[[1, 2, 3, 4, 5, 6, -700]]], [[filtered([1, 2, 3, 4, 5, 6, -700], TAPS)]]])

    def test_counts_on_the_picture_and_the_source_beside_it(self):
        rows = "; ".join(words([(7 * x + 3 * y) % 10 for x in range(16)]) for y in range(16))
        with self.desktop("numbers:" + rows, "--filter", "box:radius=2", "--border", "zero", "--strategy", "cpu-direct",
                          size=(640, 720)) as desktop:
            desktop.wait_for(lambda: desktop.drawn("cells/0"), "the cells")
            desktop.key("shift+k")
            desktop.wait_for(lambda: desktop.drawn("listing-lines"), "the source of the strategy")
            self.assertEqual(desktop.marks()["faults"], [])
            desktop.key("Escape")
            desktop.wait_for(lambda: not desktop.drawn("listing"), "the sheet to close")
            desktop.xdotool("mousemove", *desktop.mark("cells/0"))
            desktop.key("shift+u")
            desktop.wait_for(lambda: desktop.drawn("story") and desktop.drawn("uses"), "what is counted")
            self.assertEqual(desktop.marks()["faults"], [])
            self.assertEqual(len(self.quit(desktop)[0][0]), 16)

    def test_the_books_layer_of_even_filters(self):
        with self.desktop(LAYER, "--bank", BANK, "--strategy", "cpu-direct") as desktop:
            desktop.wait_for(lambda: desktop.drawn("cells/0/0") and desktop.drawn("cells/0/1"), "both maps")
            desktop.xdotool("mousemove", *desktop.mark("cells/0/1"))
            desktop.key("e")
            desktop.wait_for(lambda: desktop.drawn("story-unrolled"), "the unrolled matrix")
            self.assertEqual(self.quit(desktop), [[[[14, 15], [12, 12]], [[8, 11], [8, 7]]]])


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
