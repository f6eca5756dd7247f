"""Opening, saving and recording in the real window, by mouse and keyboard: nothing is replaced without asking, and every
message names the whole path."""
import glob
import json
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import Desktop, probe

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

    def place(self, desktop, mark):
        """The middle of what is seen of it; waits until it is drawn and lies still."""
        last = []

        def still():
            for each in desktop.marks()["marks"]:
                if each["id"] == mark and not each["hidden"]:
                    at = each["seen"]
                    if at == (last[-1] if last else None):
                        return at
                    last.append(at)
            return None

        x0, y0, x1, y1 = desktop.wait_for(still, f"'{mark}' to be drawn")
        return int((x0 + x1) / 2), int((y0 + y1) / 2)

    def click(self, desktop, mark):
        desktop.click(*self.place(desktop, mark))

    def type_into(self, desktop, mark, text):
        self.place(desktop, mark)
        desktop.wait_for(lambda: desktop.marks()["wants_text"], "the field to take the keyboard")
        desktop.type(text)
        desktop.key("Return")

    def choose(self, desktop, mark):
        """A row, and what its button does."""
        self.click(desktop, mark)
        self.click(desktop, "browser-open")

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
            self.place(desktop, "file/shot10.png")
            self.click(desktop, "browser-sequence")
            desktop.wait_for(lambda: "shots –" in self.title(desktop), "the sequence")
            self.assertNotIn("error", desktop.output())

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
            self.type_into(desktop, "save-name", "mine")
            self.place(desktop, "save-replace")
            desktop.key("Return")  # out of habit
            with open(path) as file:
                self.assertEqual(json.load(file), first)
            self.click(desktop, "save-replace")
            desktop.wait_for(lambda: self.width_of(path) == 5, "the new filter")

    def test_a_recording_goes_where_the_panel_says(self):
        to = os.path.join(self.keep.name, "recordings")
        os.makedirs(to)
        with self.desktop() as desktop:
            desktop.key("F3", "F4", "F5", "F7")  # the recording panel alone
            self.click(desktop, "record-folder")
            self.type_into(desktop, "browser-path", to + "/")
            self.click(desktop, "browser-open")
            self.click(desktop, "record-container/mp4")
            self.click(desktop, "record-quality/small")
            desktop.key("r")
            desktop.wait_for(lambda: glob.glob(to + "/*.mp4"), "the file")
            self.place(desktop, "recording-mark")
            desktop.key("s")
            self.says(desktop, "Saved a screenshot as " + to + "/")
            desktop.key("r")
            self.says(desktop, "frames to " + glob.glob(to + "/*.mp4")[0])
            self.assertTrue(probe(glob.glob(to + "/*.mp4")[0])["streams"])


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
