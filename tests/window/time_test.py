"""Pictures that several frames go into: of which frames they are made, seen by a bar that each frame has at another place."""
import glob
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import Desktop, ffmpeg, without_display

PROGRAM = None
FRAMES, STEP, BAR = 60, 10, 6  # pixels from the bar of a frame to that of the next, and its width
SIZE = (640, 120)


def runs_of(row, threshold):
    """Where bytes are brighter than that: (first, behind the last, the brightest)."""
    found, x = [], 0
    while x < len(row):
        first = x
        while x < len(row) and row[x] > threshold:
            x += 1
        if x > first:
            found.append((first, x, max(row[first:x])))
        x += 1
    return found


class Time(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.clip = os.path.join(cls.temporary.name, "bars.mp4")
        seconds = FRAMES / 25
        ffmpeg("-f", "lavfi", "-i", f"color=black:size={SIZE[0]}x{SIZE[1]}:rate=25:duration={seconds}",
               "-f", "lavfi", "-i", f"color=white:size={BAR}x{SIZE[1]}:rate=25:duration={seconds}",
               "-filter_complex", f"[0][1]overlay=x='{STEP}*(n-1)':y=0", "-c:v", "libx264", "-qp", "0", "-g", "25", "-pix_fmt", "yuv420p", cls.clip)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def frames_of_file(self, path):
        """Of each picture the frames that it is made of, each with its share."""
        width, height = SIZE
        data = ffmpeg("-i", path, "-f", "rawvideo", "-pix_fmt", "gray", "-")
        pictures = [data[i + width * (height // 2):i + width * (height // 2 + 1)] for i in range(0, len(data), width * height)]
        return [{round(first / STEP): brightest for first, _, brightest in runs_of(row, 20)} for row in pictures]

    def expect_centred(self, pictures, reach):
        self.assertEqual(len(pictures), FRAMES)
        for number, found in enumerate(pictures):
            around = [min(max(number + i, 0), FRAMES - 1) for i in range(-reach, reach + 1)]
            self.assertEqual(sorted(found), sorted(set(around)), f"picture {number}")
            for frame, brightness in found.items():
                self.assertAlmostEqual(brightness / 255, around.count(frame) / len(around), delta=0.04, msg=f"picture {number}")

    def test_what_is_recorded_is_centred_on_its_frame_from_the_first_to_the_last(self):
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "out.mkv")
            subprocess.run([PROGRAM, self.clip, "--reach", "2", "--strategy", "cpu-parallel", "--filter", "identity", "--offscreen",
                            "--record", path, "--record-size", "source", "--backend", "cpu"], check=True, timeout=240,
                           env=without_display(folder), capture_output=True)
            self.expect_centred(self.frames_of_file(path), 2)

    def desktop(self, *arguments):
        return Desktop(PROGRAM, self.clip, "--filter", "identity", "--backend", "cpu", "--window", "1280x720", *arguments, size=(1280, 720))

    def bars(self, desktop):
        picture = desktop.look()
        row = [picture.at(x, 330)[1] for x in range(900)]
        return runs_of(row, 24)

    def expect_neighbours(self, desktop, count, what):
        """As many bars as frames, each as bright as the others, at even distances of one frame."""
        scale = 916 / SIZE[0]

        def right():
            found = self.bars(desktop)
            if len(found) != count or max(b for *_, b in found) > min(b for *_, b in found) + 12:
                return False
            return all(abs(b[0] - a[0] - STEP * scale) < 3 for a, b in zip(found, found[1:]))

        desktop.wait_for(right, what)

    def test_a_picture_that_stays_is_made_of_its_neighbours(self):
        with self.desktop("--workbench", "time", "--reach", "2", "--strategy", "cpu-direct", "--format", "gray32f") as desktop:
            desktop.mark("frames/1")
            # Of the first frames there are no five, whoever waits for them.
            desktop.wait_for(lambda: len(self.bars(desktop)) == 5, "five frames")
            desktop.key("space")
            self.expect_neighbours(desktop, 5, "what was skipped while it played")
            desktop.key("Home", *["Right"] * 8)
            self.expect_neighbours(desktop, 5, "steps")
            desktop.key("End")
            self.expect_neighbours(desktop, 5, "a jump")
            desktop.key("Left", "Left")
            self.expect_neighbours(desktop, 5, "steps back")
            desktop.key("n")
            self.expect_neighbours(desktop, 5, "another strategy")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(60), 0, desktop.output())

    def test_so_it_is_where_the_workbench_is_begun_while_paused(self):
        with self.desktop("--workbench", "picture", "--strategy", "cpu-parallel") as desktop:
            desktop.mark("play")
            desktop.key("space", "End")
            desktop.wait_for(lambda: len(self.bars(desktop)) == 1, "a picture")
            desktop.key("ctrl+shift+2")
            desktop.mark("frames/1")
            desktop.wait_for(lambda: len(self.bars(desktop)) == 1 and self.bars(desktop)[0][2] < 200, "a blur in time")
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(60), 0, desktop.output())

    def test_what_is_rendered_is_centred_likewise(self):
        session = os.path.join(self.temporary.name, "session.json")
        with open(session, "w") as file:
            file.write('{"workbench": "volume", "panes": [{"strategy": "cpu-parallel"}], "recording": {"source_size": true, "panels": false}}')
        with self.desktop("--session", session, "--reach", "1") as desktop:
            desktop.mark("frames/1")
            desktop.key("space", "ctrl+e")
            desktop.mark("save-name")
            desktop.key("Return")
            desktop.wait_for(lambda: f"Rendered {FRAMES} frames" in desktop.output(), "the render", 240)
            self.expect_centred(self.frames_of_file(glob.glob(os.path.join(desktop.folder.name, "convoscope-render-*.mkv"))[0]), 1)
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(60), 0, desktop.output())


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
