"""Chooses strategies in a real window as a person does, with the mouse, keys and the palette, and reads in --stats what ran."""
import json
import os
import sys
import unittest

from desktop import HEIGHT, WIDTH, Desktop

PROGRAM = None


class Strategies(unittest.TestCase):
    def desktop(self, backend, *arguments):
        return Desktop(PROGRAM, "pattern", "--size", "320x180", "--window", f"{WIDTH}x{HEIGHT}", "--backend", backend, "--stats",
                       "stats.json", *arguments)

    def stats(self, desktop):
        """What the program leaves when it is closed."""
        desktop.key("ctrl+q")
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())
        with open(os.path.join(desktop.folder.name, "stats.json")) as file:
            return json.load(file)

    def visible(self, desktop):
        return {m["id"]: m["seen"] for m in desktop.marks()["marks"] if not m["hidden"]}

    def show_list(self, desktop):
        """The filter panel folds away, so that the strategies have the room."""
        desktop.marks()
        desktop.key("F3")
        desktop.wait_for(lambda: any(id.startswith("strategy/") for id in self.visible(desktop)), "the list of strategies")

    def click_row(self, desktop, strategy):
        """Turns the wheel over the list of strategies until the row is in sight, and clicks it."""
        wanted, turns = "strategy/" + strategy, iter([4] * 30 + [5] * 60)  # to the top first, then down

        def in_sight():
            seen = self.visible(desktop)
            if wanted in seen and seen[wanted][3] - seen[wanted][1] > 10:
                return True
            x0, y0, x1, y1 = next(r for id, r in seen.items() if id.startswith("strategy/"))
            desktop.xdotool("mousemove", int((x0 + x1) / 2), int((y0 + y1) / 2), "click", next(turns))
            desktop.frames()
            return False

        desktop.wait_for(in_sight, f"the row {strategy} to come into sight", 120)
        desktop.click_mark(wanted)
        desktop.frames()

    def test_every_kind_of_row_runs_on_the_emulated_backend(self):
        with self.desktop("emulated", "--filter", "gaussian:radius=1") as desktop:
            self.show_list(desktop)
            self.click_row(desktop, "constant")
            desktop.key("n", "ctrl+d", "ctrl+d")  # the next of the ladder, and the two after that in panes of their own
            desktop.frames()
            self.click_row(desktop, "register-tile")
            desktop.key("ctrl+d")
            desktop.frames()
            self.click_row(desktop, "cpu-direct")
            desktop.key("ctrl+d", "ctrl+p")
            desktop.enter("strategy constant memory", "the palette")
            desktop.frames(6)
            stats = self.stats(desktop)
            self.assertEqual(stats["backend"], "emulated")
            panes = stats["strategies"]
            self.assertEqual([p["strategy"] for p in panes],
                             ["texture", "tiled-input-block", "register-tile", "cpu-direct", "constant"])
            for pane in panes:
                self.assertEqual((pane["runs"], pane["substitute"], pane["problem"]), (pane["strategy"], "", ""))

    def test_what_stands_in_is_named_and_can_be_made_the_choice(self):
        for click in (False, True):
            with self.desktop("cpu", "--strategy", "cpu-separable", "--filter", "disk:radius=2") as desktop:
                desktop.mark("pane/1/choose-what-runs")
                if click:
                    desktop.click_mark("pane/1/choose-what-runs")
                    desktop.wait_for(lambda: "pane/1/choose-what-runs" not in self.visible(desktop), "the notice to go")
                pane = self.stats(desktop)["strategies"][0]
                self.assertEqual(pane["strategy"], "cpu-parallel" if click else "cpu-separable")
                self.assertEqual(pane["runs"], "cpu-parallel")
                self.assertEqual(pane["substitute"], "" if click else "cpu-parallel")
                self.assertEqual(pane["problem"], "")

    def test_a_fresh_start_filters_what_g_leads_to(self):
        for backend in ("cpu", "emulated"):
            with self.desktop(backend) as desktop:
                self.show_list(desktop)
                desktop.mark("strategy/auto")  # the choice is in sight
                desktop.key("ctrl+p")
                desktop.enter("filter disk", "the palette")
                desktop.frames(6)
                pane = self.stats(desktop)["strategies"][-1]  # the first pane is the source
                self.assertTrue(pane["filter"].startswith("disk"), pane["filter"])
                self.assertEqual((pane["strategy"], pane["substitute"], pane["problem"]), ("auto", "", ""))
                self.assertNotIn(pane["runs"], ("", "auto"))

    def test_a_remembered_strategy_of_another_backend_is_done_and_stays(self):
        with self.desktop("cpu", "--strategy", "tiled-halo", "--filter", "gaussian:radius=1") as desktop:
            desktop.mark("pane/1/choose-what-runs")
            desktop.key("k")  # the next backend is the emulated one
            desktop.wait_for(lambda: "pane/1/choose-what-runs" not in self.visible(desktop), "the strategy itself to run")
            stats = self.stats(desktop)
            self.assertEqual((stats["backend"], stats["strategy"], stats["runs"]), ("emulated", "tiled-halo", "tiled-halo"))


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
