"""Opening, saving and recording in the real window, by mouse and keyboard: nothing is replaced without asking, and every
message names the whole path."""
import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile
import time
import unittest

from desktop import Desktop, picture_of, probe

PROGRAM = None


class Files(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.keep = tempfile.TemporaryDirectory()
        cls.folder = os.path.join(cls.keep.name, "clips and more")
        os.makedirs(os.path.join(cls.folder, "shots"))
        cls.ffmpeg("testsrc=size=320x180:rate=25:duration=2", "-c:v", "mpeg4", os.path.join(cls.folder, "bird.mp4"))
        cls.ffmpeg("color=red:size=320x180:rate=25:duration=0.4", os.path.join(cls.folder, "shots", "shot%d.png"))
        with open(os.path.join(cls.folder, "notes.txt"), "w") as file:
            file.write("no video")
        with open(os.path.join(cls.folder.encode(), b"odd \xff\n.mp4"), "wb") as file:
            file.write(b"broken")

    @classmethod
    def tearDownClass(cls):
        cls.keep.cleanup()

    @staticmethod
    def ffmpeg(source, *arguments):
        subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "lavfi", "-i", source, *arguments], check=True)

    def desktop(self, *arguments):
        return Desktop(PROGRAM, "pattern", "--size", "160x96", "--window", "900x900", "--backend", "cpu", *arguments, size=(900, 900))

    def type_into(self, desktop, mark, text):
        desktop.mark(mark)
        desktop.enter(text, mark)

    def choose(self, desktop, mark):
        """A row, and what its button does."""
        desktop.click_mark(mark)
        desktop.click_mark("browser-open")

    @staticmethod
    def width_of(path):
        with open(path) as file:
            return json.load(file)["width"]

    def title(self, desktop):
        return desktop.xdotool("getwindowname", desktop.window).stdout

    def says(self, desktop, text):
        desktop.wait_for(lambda: text in desktop.output(), f"'{text}'")

    def test_a_clip_is_opened_with_the_mouse(self):
        with self.desktop() as desktop:
            desktop.key("ctrl+o")
            self.type_into(desktop, "browser-path", self.folder + "/")
            self.choose(desktop, "file/bird.mp4")
            desktop.wait_for(lambda: "bird.mp4" in self.title(desktop), "the clip")
            # The folder is remembered; its pictures play as a clip.
            desktop.key("ctrl+o")
            self.choose(desktop, "file/shots")
            desktop.mark("file/shot10.png")
            desktop.click_mark("browser-sequence")
            desktop.wait_for(lambda: "shots –" in self.title(desktop), "the sequence")
            self.assertNotIn("error", desktop.output())

    def test_statistics_never_replace_what_is_shown_in_the_end(self):
        clip = os.path.join(self.keep.name, "own", "clip.mp4")
        os.makedirs(os.path.dirname(clip))
        shutil.copy(os.path.join(self.folder, "bird.mp4"), clip)
        with self.desktop("--stats", clip) as desktop:
            desktop.key("ctrl+o")
            self.type_into(desktop, "browser-path", os.path.dirname(clip) + "/")
            self.choose(desktop, "file/clip.mp4")
            desktop.wait_for(lambda: "clip.mp4" in self.title(desktop), "the clip")
            desktop.process.terminate()
            self.assertEqual(desktop.process.wait(60), 2, desktop.output())
            self.assertIn("is the INPUT itself", desktop.output())
        with open(clip, "rb") as after, open(os.path.join(self.folder, "bird.mp4"), "rb") as before:
            self.assertEqual(after.read(), before.read())

    def test_a_filter_is_saved_twice_and_the_second_time_asks(self):
        with self.desktop("--filter", "box:radius=1") as desktop:
            path = os.path.join(desktop.folder.name, "mine.json")
            desktop.key("ctrl+shift+s")
            self.type_into(desktop, "save-name", "mine")
            self.says(desktop, "Saved the filter as " + path)
            with open(path) as file:
                first = json.load(file)
            self.assertEqual(first["width"], 3)

            desktop.key("Up", "ctrl+shift+s")
            desktop.mark("save-name")
            desktop.wait_for(lambda: desktop.marks()["wants_text"], "the name to take the keyboard")
            desktop.key("ctrl+a")
            desktop.type("mine")
            desktop.xdotool("key", "Return", "Return")  # once more, out of habit
            desktop.mark("save-replace")
            with open(path) as file:
                self.assertEqual(json.load(file), first)
            time.sleep(1)
            desktop.key("Return")  # the question was read
            desktop.wait_for(lambda: self.width_of(path) == 5, "the new filter")

    def close_section(self, desktop, key, title):
        """A key shows a section that is out of sight first."""
        for _ in range(3):
            panel = [m["id"] for m in desktop.marks()["marks"] if m["window"].startswith("##panel")]
            after = panel[panel.index("section/" + title) + 1:]
            if not after or after[0].startswith("section/"):
                return
            frame = desktop.marks()["frame"]
            desktop.key(key)
            desktop.wait_for(lambda: desktop.marks()["frame"] > frame + 5, "some frames")
        self.fail(f"{key} does not close {title}")

    def test_messages_and_feedback_are_in_no_screenshot(self):
        with self.desktop() as desktop:
            def is_said():  # what the key does, on the stage, for a second
                desktop.key("space")
                return any(mark["id"] == "feedback" for mark in desktop.marks()["marks"])
            desktop.wait_for(is_said, "what the key does")
            desktop.key("s")
            shots = desktop.wait_for(lambda: glob.glob(desktop.folder.name + "/*.png"), "the first screenshot")
            self.says(desktop, "Saved a screenshot as " + shots[0])
            desktop.mark("message/saved")
            said = next(mark["seen"] for mark in desktop.marks()["marks"] if mark["id"] == "message/saved")
            x0, y0, x1, y1 = (int(each) for each in said)
            shown = desktop.look()
            desktop.key("s")
            both = desktop.wait_for(lambda: len(glob.glob(desktop.folder.name + "/*.png")) == 2 and
                                    sorted(glob.glob(desktop.folder.name + "/*.png")), "the second screenshot")
            self.says(desktop, "Saved a screenshot as " + both[1])
            first, second = (picture_of(path, 900, 900) for path in both)
            self.assertGreater(shown.changed(first, x0, y0, x1, y1), 0.1, "the message is on the screen")
            self.assertEqual(second.changed(first, x0, y0, x1, y1), 0)

    def test_a_recording_goes_where_the_panel_says(self):
        to = os.path.join(self.keep.name, "recordings")
        os.makedirs(to)
        with self.desktop() as desktop:
            for key, title in (("F3", "Filter"), ("F4", "Strategy"), ("F5", "Timing")):
                self.close_section(desktop, key, title)
            desktop.key("F7")  # the recording panel alone
            desktop.click_mark("record-folder")
            self.type_into(desktop, "browser-path", to + "/")
            desktop.click_mark("browser-open")
            desktop.click_mark("record-container/mp4")
            desktop.click_mark("record-quality/small")
            desktop.key("r")
            desktop.wait_for(lambda: glob.glob(to + "/*.mp4"), "the file")
            desktop.mark("recording-mark")
            desktop.key("s")
            self.says(desktop, "Saved a screenshot as " + to + "/")
            desktop.key("r")
            self.says(desktop, "frames to ")
            self.assertNotIn(".part", " ".join(glob.glob(to + "/*.mp4")), "it is whole")
            self.says(desktop, "frames to " + glob.glob(to + "/*.mp4")[0])
            self.assertTrue(probe(glob.glob(to + "/*.mp4")[0])["streams"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
