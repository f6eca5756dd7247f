"""Comparing with mouse and keys only: panes, wipe, difference, hold to flick, the palette."""
import json
import os
import sys
import unittest

from desktop import HEIGHT, WIDTH, Desktop

PROGRAM = None
AREA = (0, 0, WIDTH, HEIGHT)  # all of the window is the picture while the panels are hidden


class Comparing(unittest.TestCase):
    def desktop(self, *arguments):
        return Desktop(PROGRAM, "pattern", "--size", "640x360", "--rate", "5", *arguments, "--window",
                       f"{WIDTH}x{HEIGHT}", "--backend", "cpu")

    def steady(self, desktop):
        """A picture that no longer moves, but for the figures on the cards."""
        return desktop.steady(AREA, 0.002)

    def quit(self, desktop):
        desktop.key("ctrl+q")
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())
        with open(os.path.join(desktop.folder.name, "convoscope", "session.json")) as kept:
            return json.load(kept)

    def paused(self, desktop):
        desktop.wait_for(lambda: desktop.look().contrast(300, 100, 800, 500) > 1, "a picture")
        desktop.key("space")
        return self.steady(desktop)

    def test_panes_are_added_closed_and_moved(self):
        with self.desktop("--strategy", "cpu-direct", "--filter", "box:radius=2", "--no-panels") as desktop:
            alone = self.paused(desktop)
            desktop.key("ctrl+d", "ctrl+d")
            three = self.steady(desktop)
            self.assertGreater(three.changed(alone, *AREA), 0.2, "a grid of three")
            desktop.key("u")  # the third one shows the source
            third_is_source = self.steady(desktop)
            desktop.drag(345, 384, 150, 60)  # its card onto the first pane
            moved = self.steady(desktop)
            self.assertGreater(moved.changed(third_is_source, 0, 0, WIDTH // 2 - 10, HEIGHT // 2 - 10), 0.02)
            desktop.key("2", "ctrl+w")
            self.steady(desktop)
            kept = self.quit(desktop)
        self.assertEqual([p["strategy"] for p in kept["panes"]], ["source", "cpu-direct-separable"])
        self.assertEqual(kept["view"], "grid")

    def test_the_wipe_stays_where_it_is_dropped_and_turns(self):
        with self.desktop("--compare", "source,cpu-parallel", "--filter", "sobel-magnitude", "--view", "split",
                          "--no-panels") as desktop:
            before = self.paused(desktop)
            middle, level = WIDTH // 2, HEIGHT // 2
            self.assertGreater(min(before.at(middle, level)), 200, "the line is bright")
            desktop.drag(middle, level, middle // 2, level)
            moved = self.steady(desktop)
            self.assertGreater(min(moved.at(middle // 2, level)), 200)
            self.assertGreater(moved.changed(before, middle // 2 + 10, 100, middle - 10, HEIGHT - 20), 0.1)
            desktop.drag(middle // 2, HEIGHT - 80, middle // 2 - 200, HEIGHT - 110)  # near its end: it turns
            turned = self.steady(desktop)
            self.assertLess(min(turned.at(middle // 2, HEIGHT - 40)), 200)
            kept = self.quit(desktop)
        self.assertEqual(kept["view"], "split")
        self.assertGreater(abs(kept["split"]["angle"]), 10)
        self.assertAlmostEqual(kept["split"]["lines"][0], 0.3, delta=0.15)

    def test_differences_flick_and_palette(self):
        with self.desktop("--compare", "source,cpu-parallel", "--filter", "gaussian:radius=6", "--view", "grid",
                          "--no-panels") as desktop:
            desktop.key("ctrl+p")  # with the next key the hint of a first start goes, which lies over the panes
            desktop.wait_for(lambda: desktop.marks()["wants_text"], "the palette")
            desktop.key("Escape")
            grid = self.paused(desktop)
            desktop.xdotool("keydown", "alt", "keydown", "1")
            first = self.steady(desktop)
            desktop.xdotool("keyup", "1", "keyup", "alt")
            self.assertLess(self.steady(desktop).changed(grid, *AREA), 0.02, "let go: the grid again")
            self.assertGreater(first.changed(grid, *AREA), 0.2, "held: one pane alone")
            desktop.xdotool("keydown", "x")
            held = self.steady(desktop)
            desktop.xdotool("keyup", "x")
            desktop.key("shift+4")
            absolute = self.steady(desktop)
            self.assertLess(absolute.changed(held, *AREA), 0.02, "what the key shows is the difference")
            desktop.key("d")
            signed = self.steady(desktop)
            self.assertTrue(all(abs(c - 128) < 25 for c in signed.at(WIDTH - 4, HEIGHT // 2)), "grey where nothing differs")
            desktop.key("shift+d", "alt+equal")
            self.assertGreater(self.steady(desktop).changed(signed, *AREA), 0.2, "false colour")

            desktop.key("ctrl+p")
            desktop.enter("view grid", "the palette")
            self.assertLess(self.steady(desktop).changed(grid, *AREA), 0.02, "the palette's command was obeyed")
            desktop.key("ctrl+p")
            desktop.wait_for(lambda: desktop.marks()["wants_text"], "the palette")
            desktop.key("Escape")
            self.assertLess(self.steady(desktop).changed(grid, *AREA), 0.02)
            kept = self.quit(desktop)
        self.assertEqual(kept["difference"]["mode"], "signed")
        self.assertTrue(kept["difference"]["false_colour"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
