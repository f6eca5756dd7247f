"""What has room in a real window: messages with buttons in a small one, the page of settings in a usual one, the labels in
the smallest; and that nothing which is under the mouse moves away."""
import os
import sys
import unittest

from desktop import Desktop
from drop import drop

PROGRAM = None


class Room(unittest.TestCase):
    def desktop(self, size, *arguments):
        return Desktop(PROGRAM, "pattern", "--window", f"{size[0]}x{size[1]}", "--backend", "cpu", *arguments, size=size)

    def seen(self, desktop, *beginnings):
        return {m["id"]: m["seen"] for m in desktop.marks()["marks"] if not m["hidden"] and m["id"].startswith(beginnings)}

    def expect_no_faults(self, desktop, where):
        desktop.frames(4)
        self.assertEqual(desktop.marks()["faults"], [], where)

    def test_a_strategy_under_the_mouse_stays_when_the_backend_is_another_one(self):
        with self.desktop((1280, 720)) as desktop:
            desktop.mark("play")
            desktop.key("F3")  # the filter panel folds away, so that the strategies have the room
            row = "strategy/constant"
            x, y = desktop.mark(row)
            desktop.xdotool("mousemove", x, y)
            desktop.frames(3)
            before = self.seen(desktop, row)[row]
            cuda = lambda: sum(m["id"] == "strategy/auto" and m["seen"][1] < before[1] for m in desktop.marks()["marks"])
            self.assertTrue(cuda(), "on the CPU auto is above the kernels")
            for above in (False, True):
                desktop.key("k")  # to the emulated one and, where there is no GPU, back
                desktop.wait_for(lambda: bool(cuda()) == above, "the list of the other backend")
                desktop.frames(4)
                self.assertAlmostEqual(self.seen(desktop, row)[row][1], before[1], delta=1.5)

    def test_messages_take_half_of_a_small_stage_and_their_buttons_stay(self):
        with self.desktop((640, 480), "--compare", "global,constant", "--view", "grid") as desktop:
            desktop.mark("play")
            desktop.key("Escape")  # the hint
            files = [os.path.join(desktop.folder.name, f"shot{i}.ppm") for i in (1, 2, 3)]
            for path in files:
                with open(path, "wb") as file:
                    file.write(b"P6 64 64 255\n" + bytes(64 * 64 * 3))
            self.assertTrue(drop(desktop.display, desktop.window, files, 100, 100))
            desktop.mark("message/drop/Open the next one")
            desktop.key("s")
            desktop.mark("message/saved/Open")
            desktop.key("ctrl+o")
            desktop.enter("/no/such/file.mp4", "the browser's field")
            desktop.mark("messages-more")
            boxes = lambda: {id: seen for id, seen in self.seen(desktop, "message/").items() if id.count("/") == 1}
            self.assertLessEqual(sum(y1 - y0 for _, y0, _, y1 in boxes().values()), 210, boxes())
            self.expect_no_faults(desktop, "in a grid")
            button = "message/drop/Open the next one"
            before = self.seen(desktop, button)[button]
            for view in ("split", "difference", "blink", "single", "grid"):
                desktop.key("v")
                self.expect_no_faults(desktop, view)
                self.assertEqual(self.seen(desktop, button)[button], before, view)
            desktop.click_mark("messages-more")
            desktop.mark("past/1/copy")

    def test_that_a_strategy_cannot_run_can_be_put_away(self):
        with self.desktop((1280, 720), "--strategy", "global") as desktop:
            desktop.click_mark("pane/1/close-notice")
            desktop.wait_for(lambda: not self.seen(desktop, "pane/1/"), "the notice to go")
            self.assertTrue(desktop.drawn("choose-what-runs"), "the panel says it still")

    def test_the_page_of_settings_is_seen_whole(self):
        with self.desktop((1600, 900)) as desktop:
            desktop.mark("play")
            desktop.key("ctrl+comma")
            desktop.mark("settings/theme/Dark")
            desktop.click_mark("settings/reset")  # then there are as many rows as there can be
            for id in ("settings/reset-now", "settings/reset-not"):
                desktop.mark(id)
                x0, y0, x1, y1 = self.seen(desktop, id)[id]
                self.assertGreater(y1 - y0, 20, f"{id} is cut")
            self.expect_no_faults(desktop, "the page of settings")

    def test_nothing_is_cut_in_the_smallest_windows(self):
        for size in ((200, 120), (640, 480), (960, 80)):
            with self.desktop(size, "--compare", "global,constant", "--view", "grid") as desktop:
                desktop.wait_for(lambda: self.seen(desktop, "card/2"), "the labels")
                self.expect_no_faults(desktop, size)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
