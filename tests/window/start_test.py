"""The first start, and a source that fails while another one plays: in a real window, with mouse and keys."""
import json
import os
import sys
import tempfile
import unittest

from Xlib import Xatom, display

from desktop import HEIGHT, WIDTH, Desktop, ffmpeg

PROGRAM = None
# Of the stage: within the source's half and the filtered half of the split, above the messages.
STAGE_WIDTH = WIDTH - 364
LEFT, RIGHT = (80, 120, 400, 480), (520, 120, 840, 480)
HINT = (STAGE_WIDTH // 2 - 220, 560, STAGE_WIDTH // 2 + 220, 650)


class Start(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        # Fine stripes, which a blur flattens; the second clip is plain.
        cls.stripes, cls.plain = (os.path.join(cls.folder, name) for name in ("stripes.mkv", "plain.mkv"))
        ffmpeg("-f", "lavfi", "-i", "nullsrc=size=640x360:rate=5:duration=30,geq=lum='if(mod(floor(X/2),2),235,16)':cb=128:cr=128",
               "-c:v", "ffv1", cls.stripes)
        ffmpeg("-f", "lavfi", "-i", "color=0x3060c0:size=640x360:rate=5:duration=30", "-c:v", "ffv1", cls.plain)
        cls.broken = os.path.join(cls.folder, "broken.mp4")
        with open(cls.broken, "wb") as file:
            file.write(b"not a video" * 100)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def desktop(self, *arguments, config=None):
        environment = {"XDG_CONFIG_HOME": config, "XDG_STATE_HOME": config, "XDG_CACHE_HOME": config} if config else {}
        return Desktop(PROGRAM, *arguments, "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu", environment=environment)

    def quit(self, desktop):
        desktop.key("ctrl+q")
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())

    def settings(self, config):
        kept = {}
        for name in ("session.json", "settings.json"):
            with open(os.path.join(config, "convoscope", name)) as file:
                kept.update(json.load(file))
        return kept

    def title(self, desktop):
        return desktop.xdotool("getwindowname", desktop.window).stdout

    def shows(self, desktop, path):
        """The title begins with the file's name, which a path's beginning would push out of it."""
        return self.title(desktop).startswith(os.path.basename(path))

    def split(self, desktop):
        """A picture that is sharp on the left and blurred on the right."""
        picture = desktop.look()
        return picture if picture.contrast(*LEFT) > 20 and picture.contrast(*RIGHT) < 0.6 * picture.contrast(*LEFT) else None

    def test_a_first_start_shows_source_and_filtered_picture_and_a_hint_once(self):
        with tempfile.TemporaryDirectory() as config:
            with self.desktop(self.stripes, config=config) as desktop:
                with_hint = desktop.wait_for(lambda: self.split(desktop), "source and filtered picture beside each other")
                desktop.key("space", "Escape")
                desktop.wait_for(lambda: desktop.look().changed(with_hint, *HINT) > 0.05, "the hint to go")
                self.quit(desktop)
            kept = self.settings(config)
            self.assertFalse(kept["show_hint"])
            self.assertEqual([pane["strategy"] == "source" for pane in kept["panes"]], [True, False])
            self.assertEqual(kept["view"], "split")
            with self.desktop(self.stripes, config=config) as desktop:
                again = desktop.wait_for(lambda: self.split(desktop), "the same picture")
                self.assertGreater(again.changed(with_hint, *HINT), 0.05, "the hint does not come back")
                self.quit(desktop)
            self.assertFalse(self.settings(config)["show_hint"])

    def test_a_window_manager_that_was_killed_is_no_reason_to_end(self):
        """It leaves the name of its window behind."""
        with self.desktop("pattern") as first:
            self.quit(first)
            screen = display.Display(first.display)
            root, name = screen.screen().root, screen.intern_atom("_NET_SUPPORTING_WM_CHECK")
            root.change_property(name, Xatom.WINDOW, 32, [0x20020B])
            screen.sync()
            with Desktop(PROGRAM, "pattern", "--backend", "cpu", display=first.display,
                         environment={"LIBGL_ALWAYS_SOFTWARE": "1"}) as second:
                second.frames(2)
                self.quit(second)
            self.assertIsNone(root.get_full_property(name, Xatom.WINDOW))
            screen.close()

    def test_what_was_asked_for_is_shown_alone(self):
        with tempfile.TemporaryDirectory() as config:
            with self.desktop(self.stripes, "--filter", "box:radius=4", config=config) as desktop:
                desktop.wait_for(lambda: self.shows(desktop, self.stripes), "the clip")
                self.quit(desktop)
            kept = self.settings(config)
            self.assertEqual(len(kept["panes"]), 2, "options are not kept: the next start is a first one's")
            self.assertTrue(kept["show_hint"], "it was not put away")

    def open_by_name(self, desktop, name):
        desktop.key("ctrl+o")
        desktop.enter(name, "the browser's field")

    def test_figures_of_the_clip_before_are_gone(self):
        still = os.path.join(self.folder, "still.png")
        ffmpeg("-f", "lavfi", "-i", "color=0x3060c0:size=640x360", "-frames:v", "1", still)
        with tempfile.TemporaryDirectory() as config:
            results = os.path.join(config, "results.json")
            with self.desktop(self.stripes, "--stats", results, config=config) as desktop:
                desktop.wait_for(lambda: self.shows(desktop, self.stripes), "the clip")
                desktop.frames(40)  # of it most
                self.open_by_name(desktop, still)
                desktop.wait_for(lambda: self.shows(desktop, still), "the picture")
                desktop.frames(3)
                self.quit(desktop)
            with open(results) as file:
                stages = json.load(file)["stages"]
            for stage in "decode", "convert":
                self.assertLess(stages[stage]["count"], 5, f"{stage} of a single picture")

    def test_a_source_that_fails_leaves_the_one_that_plays(self):
        with tempfile.TemporaryDirectory() as config:
            with self.desktop(self.plain, "--filter", "identity", config=config) as desktop:
                shown = lambda: max(abs(a - b) for a, b in zip(desktop.look().at(200, 300), (0x30, 0x60, 0xc0))) < 12
                desktop.wait_for(shown, "the clip")
                title = self.title(desktop)
                for name in (self.broken, os.path.join(self.folder, "missing.mp4")):
                    self.open_by_name(desktop, name)
                    desktop.wait_for(lambda: "The previous source is still shown" in desktop.output() and
                                     os.path.basename(name) in desktop.output(), "the message")
                    self.assertEqual(self.title(desktop), title)
                    desktop.wait_for(shown, "the clip that goes on")
                self.open_by_name(desktop, self.stripes)
                desktop.wait_for(lambda: self.shows(desktop, self.stripes), "the next clip")
                desktop.wait_for(lambda: desktop.look().contrast(*LEFT) > 20, "its picture")
                self.quit(desktop)
            self.assertEqual(self.settings(config)["recent"], [self.stripes, self.plain])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
