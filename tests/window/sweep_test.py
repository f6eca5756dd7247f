"""Drives a sweep with keys and mouse in a real window on a virtual screen, and looks at its pixels and its files."""
import csv
import glob
import json
import os
import struct
import subprocess
import sys
import unittest

from desktop import HEIGHT, WIDTH, Desktop, picture_of

PROGRAM = None
# Where the plot of the sweep's window lies, well inside of it.
PLOT = (60, 300, 640, 560)


class Sweep(unittest.TestCase):
    def desktop(self, *arguments):
        return Desktop(PROGRAM, "pattern", "--size", "160x96", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu",
                       "--compare", "cpu-direct,cpu-separable", "--filter", "gaussian:radius=2", *arguments)

    def test_is_measured_plotted_saved_and_laid_over_while_everything_changes(self):
        with self.desktop() as desktop:
            desktop.key("F8")
            desktop.mark("sweep-start")
            empty = desktop.look()
            desktop.key("shift+F8")
            # Meanwhile: another strategy, another filter, another pane, a cleared clock, another backend and back.
            desktop.key("n", "g", "ctrl+d", "c", "k", "k")
            desktop.wait_for(lambda: "has measured 10 of 10 points" in desktop.output(), "the sweep to end", 240)
            desktop.wait_for(lambda: desktop.look().changed(empty, *PLOT) > 0.02, "the plot")

            desktop.key("ctrl+F8")
            desktop.mark("save-name")
            desktop.key("Return")
            desktop.wait_for(lambda: "Saved the sweep" in desktop.output(), "the files")
            saved = glob.glob(os.path.join(desktop.folder.name, "convoscope-sweep-*"))
            self.assertEqual(sorted(os.path.splitext(name)[1] for name in saved), [".csv", ".json", ".png"])
            stem = os.path.splitext(saved[0])[0]
            with open(stem + ".json") as file:
                document = json.load(file)
            self.assertEqual(len(document["rows"]) + len(document["not_measured"]), 10)
            self.assertEqual({row["strategy"] for row in document["rows"]}, {"cpu-direct", "cpu-separable"})
            self.assertEqual({row["rx"] for row in document["rows"]}, {1, 2, 4, 8, 16})
            self.assertEqual({(row["width"], row["height"]) for row in document["rows"]}, {(160, 96)})
            for row in document["rows"]:
                self.assertTrue(0 < row["p05_ms"] <= row["median_ms"] <= row["p95_ms"])
            with open(stem + ".csv") as file:
                rows = list(csv.DictReader(file))
            self.assertEqual([float(row["median_ms"]) for row in rows if row["verified"] == "true"],
                             [row["median_ms"] for row in document["rows"]])
            self.look_at(stem + ".png")

            desktop.wait_for(lambda: not desktop.drawn("save-name"), "the dialog to go")
            before = desktop.look()
            desktop.key("ctrl+shift+F8")
            desktop.enter(stem + ".json", "the browser's field")
            desktop.wait_for(lambda: "Overlaid the sweep" in desktop.output(), "the saved sweep")
            desktop.wait_for(lambda: not desktop.drawn("browser-open"), "the browser to go")
            desktop.wait_for(lambda: desktop.look().changed(before, *PLOT) > 0, "its lines over the others")

            broken = os.path.join(desktop.folder.name, "broken.json")
            with open(broken, "w") as file:
                file.write('{"rows": [')
            desktop.key("ctrl+shift+F8")
            desktop.enter(broken, "the browser's field")
            desktop.wait_for(lambda: "holds no sweep" in desktop.output(), "the explanation")
            desktop.key("Escape", "Escape")
            self.assertIsNone(desktop.process.poll(), desktop.output())

    def test_goes_over_the_maps_of_a_layer(self):
        with Desktop(PROGRAM, "pattern", "--size", "64x36", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu",
                     "--workbench", "layer", "--maps", "6") as desktop:
            desktop.wait_for(lambda: desktop.look().contrast(330, 120, 880, 560) > 0.3, "the maps of a picture")
            desktop.key("shift+F8")
            desktop.wait_for(lambda: "The sweep has measured" in desktop.output(), "the sweep to end", 240)
            desktop.key("ctrl+F8")
            desktop.mark("save-name")
            desktop.key("Return")
            desktop.wait_for(lambda: "Saved the sweep" in desktop.output(), "the files")
            stem = os.path.splitext(glob.glob(os.path.join(desktop.folder.name, "convoscope-sweep-*.json"))[0])[0]
            with open(stem + ".json") as file:
                rows = json.load(file)["rows"]
            self.assertEqual({row["parameters"]["M"]["value"] for row in rows}, {4, 6, 8, 16, 24, 32, 48, 64})
            self.assertEqual({row["parameters"]["pass"]["value"] for row in rows}, {"forward"})
            self.assertEqual({(row["kind"], row["width"], row["height"]) for row in rows}, {("layer", 64, 36)})
            with open(stem + ".csv") as file:
                self.assertEqual({row["M [maps]"] for row in csv.DictReader(file)},
                                 {"4", "6", "8", "16", "24", "32", "48", "64"})
            desktop.wait_for(lambda: not desktop.drawn("save-name"), "the dialog to go")
            desktop.key("ctrl+shift+F8")
            desktop.enter(stem + ".json", "the browser's field")
            desktop.wait_for(lambda: "Overlaid the sweep" in desktop.output(), "the saved sweep")

    def test_is_cancelled_and_ends_with_the_window(self):
        with self.desktop() as desktop:
            desktop.key("shift+F8", "shift+F8")
            desktop.wait_for(lambda: "was cancelled" in desktop.output() or "has measured" in desktop.output(), "the end")
            desktop.key("shift+F8")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())
            children = subprocess.run(["pgrep", "-f", "convoscope bench --lines.*160x96"], capture_output=True).stdout
            self.assertEqual(children, b"", "the measuring process is gone")

    def test_ends_when_nobody_reads_what_it_measures(self):
        # Each of its rows takes minutes, so that nothing is written meanwhile; a killed window closes the pipe like this.
        process = subprocess.Popen([PROGRAM, "bench", "--lines", "--kind", "image", "--backend", "cpu", "--strategy", "cpu-direct",
                                    "--radius", "63", "--size", "7680x4320"], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                                   restore_signals=False)  # SIGPIPE is ignored here, as in a window
        try:
            self.assertIn(b": ", process.stderr.readline())
            process.stdout.close()
            process.wait(30)
        finally:
            process.kill()
            process.wait()

    def look_at(self, path):
        """More than a background: lines and text in several colours."""
        with open(path, "rb") as file:
            head = file.read(24)
        self.assertEqual(struct.unpack(">II", head[16:24]), (1600, 1000))
        pixels = picture_of(path, 1600, 1000).data
        background = pixels[:3]
        drawn = [pixels[i:i + 3] for i in range(0, len(pixels), 3 * 7) if pixels[i:i + 3] != background]
        self.assertGreater(len(drawn), 2000)
        self.assertGreater(len(set(drawn)), 20)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
