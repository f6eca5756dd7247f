"""Recordings of the program, offscreen and on a virtual screen, and what ffprobe says of them."""
import array
import glob
import json
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import unittest

from desktop import HEIGHT, WIDTH, Desktop, ffmpeg, part_of, probe, without_display

PROGRAM = None


def stream(probed, kind):
    found = [s for s in probed["streams"] if s["codec_type"] == kind]
    return found[0] if found else None


def times(path):
    """Of its pictures, in seconds; also of a file that is still being written."""
    found = subprocess.run(["ffprobe", "-loglevel", "quiet", "-select_streams", "v", "-show_entries", "packet=pts_time", "-of", "csv=p=0",
                            path or os.devnull], capture_output=True, text=True).stdout
    return sorted(float(line.strip(",")) for line in found.split() if line[0].isdigit())


def plays(path):
    done = subprocess.run(["ffmpeg", "-nostdin", "-v", "error", "-i", path, "-f", "null", "-"], capture_output=True)
    return done.returncode == 0


class Folder(unittest.TestCase):
    SECONDS = 10  # of the clip

    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.folder = cls.temporary.name
        cls.clip = os.path.join(cls.folder, "clip.mp4")
        ffmpeg("-f", "lavfi", "-i", f"testsrc2=size=320x180:rate=30:duration={cls.SECONDS}", "-f", "lavfi", "-i",
               f"sine=440:d={cls.SECONDS}",
               "-pix_fmt", "yuv420p", "-c:a", "aac", cls.clip)

    @classmethod
    def tearDownClass(cls):
        cls.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)


class Offscreen(Folder):
    def command(self, *arguments):
        return [PROGRAM, self.clip, "--backend", "cpu", "--offscreen", "--window", "640x360", *map(str, arguments)]

    def environment(self):
        return without_display(self.folder)

    def run_program(self, *arguments, expect=0, **options):
        done = subprocess.run(self.command(*arguments), cwd=self.folder, env=self.environment(), capture_output=True,
                              text=True, timeout=300, **options)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def test_every_frame_with_sound_and_the_settings_of_all_panes(self):
        for name in ("all.mkv", "all.mp4"):
            done = self.run_program("--compare", "cpu-direct,cpu-parallel,cpu-separable", "--view", "grid", "--filter",
                                    "box:radius=1", "--record", name, "--frames", 45)
            self.assertIn("sound copied", done.stderr)
            probed = probe(self.path(name))
            picture = stream(probed, "video")
            self.assertEqual(picture["nb_read_frames"], "45")
            self.assertEqual((picture["width"], picture["height"]), (640, 360))
            self.assertAlmostEqual(float(probed["format"]["duration"]), 1.5, delta=0.1)
            self.assertEqual((picture["color_space"], picture["color_range"]), ("bt709", "tv"))
            self.assertEqual(stream(probed, "audio")["codec_name"], "aac")
            tags = {k.lower(): v for k, v in probed["format"]["tags"].items()}
            panes = json.loads(tags["convoscope"])["panes"]
            self.assertEqual([p["strategy"] for p in panes], ["cpu-direct", "cpu-parallel", "cpu-separable"])
            self.assertIn("cpu-parallel", tags["comment"])

    def test_the_picture_alone(self):
        self.run_program("--record", "alone.mkv", "--record-size", "source", "--record-codec", "ffv1", "--record-sound", "off",
                         "--filter", "identity", "--frames", 20)
        probed = probe(self.path("alone.mkv"))
        picture = stream(probed, "video")
        self.assertEqual((picture["width"], picture["height"], picture["codec_name"]), (320, 180, "ffv1"))
        self.assertIsNone(stream(probed, "audio"))
        # Unfiltered and without loss it is the source: only the two conversions to RGB may differ.
        # Frame by frame: Matroska's times are rounded to milliseconds.
        measured = subprocess.run(["ffmpeg", "-nostdin", "-i", self.path("alone.mkv"), "-i", self.clip, "-frames:v", "20", "-lavfi",
                                   "[0:v]format=yuv420p,settb=1/30,setpts=N[a];[1:v]settb=1/30,setpts=N[b];[a][b]psnr", "-f", "null", "-"], capture_output=True, text=True)
        average = float(measured.stderr.split("average:")[1].split()[0])
        self.assertGreater(average, 30)

    def test_at_the_rate_that_was_chosen(self):
        for rate, frames in (10, 10), (12, 12):  # a third of the clip's, and one that it has not
            self.run_program("--record", "rate.mkv", "--record-rate", rate, "--frames", 30)
            seen = times(self.path("rate.mkv"))
            self.assertEqual(len(seen), frames)
            for number, seconds in enumerate(seen):  # the clip's own frame that is there by then
                self.assertLess(abs(seconds - number / rate), 1 / 30, seen)
            os.remove(self.path("rate.mkv"))

    def test_in_the_quality_that_was_chosen(self):
        sizes = []
        for quality in "small", "good", "best":
            self.run_program("--record", quality + ".mkv", "--record-quality", quality, "--record-sound", "off", "--frames", 15)
            sizes.append(os.path.getsize(self.path(quality + ".mkv")))
        self.assertGreater(sizes[1], 1.2 * sizes[0], sizes)
        self.assertGreater(sizes[2], 1.2 * sizes[1], sizes)

    def test_killed_half_way_its_part_plays(self):
        for name in ("killed.mkv", "killed.mp4"):
            part = part_of(self.path(name))
            process = subprocess.Popen(self.command("--record", name, "--frames", 300), cwd=self.folder, env=self.environment(),
                                       stderr=subprocess.DEVNULL)
            end = time.monotonic() + 60
            while not os.path.exists(part) or os.path.getsize(part) < 200_000:
                self.assertIsNone(process.poll(), "it ended before it was killed")
                self.assertLess(time.monotonic(), end)
                time.sleep(0.01)
            process.send_signal(signal.SIGKILL)
            process.wait()
            self.assertFalse(os.path.exists(self.path(name)), "the name of a whole one")
            self.assertGreater(int(stream(probe(part), "video")["nb_read_frames"]), 10)
            self.assertTrue(plays(part))
        self.run_program("--record", "killed.mp4", "--frames", 3)
        self.assertEqual([name for name in sorted(os.listdir(self.folder)) if name.startswith("killed")],
                         ["killed.mp4", "killed.part.mkv"], "the next run has taken the place of its own")

    def test_stopped_half_way_it_leaves_an_older_file(self):
        self.run_program("--record", "old.mkv", "--frames", 10)
        with open(self.path("old.mkv"), "rb") as file:
            older = file.read()
        process = subprocess.Popen(self.command("--record", "old.mkv", "--frames", 300), cwd=self.folder, env=self.environment(),
                                   stderr=subprocess.PIPE, text=True)
        part, end = self.path("old.part.mkv"), time.monotonic() + 60
        while not os.path.exists(part) or os.path.getsize(part) < 200_000:
            self.assertIsNone(process.poll(), "it ended before it was stopped")
            self.assertLess(time.monotonic(), end)
            time.sleep(0.01)
        process.send_signal(signal.SIGINT)
        said = process.communicate(timeout=60)[1]
        self.assertEqual(process.returncode, 128 + signal.SIGINT, said)
        self.assertRegex(said, "Recording was stopped by SIGINT. Recorded [0-9]+ frames to '.*old.part.mkv' .*old.mkv' is as it was")
        with open(self.path("old.mkv"), "rb") as file:
            self.assertEqual(file.read(), older)
        self.assertGreater(int(stream(probe(part), "video")["nb_read_frames"]), 5)

    def test_a_file_that_may_not_grow_is_said_and_plays(self):
        limit = 150_000
        done = self.run_program("--record", "full.mkv", "--frames", 300, expect=2,
                                preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, (limit, limit)))
        self.assertIn("has stopped", done.stderr)
        self.assertIn("What was written plays", done.stderr)
        self.assertIn("full.part.mkv'", done.stderr)
        self.assertFalse(os.path.exists(self.path("full.mkv")))
        self.assertGreater(int(stream(probe(self.path("full.part.mkv")), "video")["nb_read_frames"]), 5)

    def test_wrong_choices_are_refused(self):
        for arguments, words in ((("--record", "a.mp4", "--record-codec", "ffv1"), ".mkv"),
                                 (("--record-size", "source"), "--record FILE"),
                                 (("--record", "a.mkv", "--record-size", "huge"), "huge"),
                                 (("--record", "a.mkv", "--record-panels", "maybe"), "on or off"),
                                 (("--record", "a.mkv", "--record-panels", "on", "--record-size", "source"), "alone")):
            self.assertIn(words, self.run_program(*arguments, expect=2).stderr)


class Window(Folder):
    SECONDS = 5

    def desktop(self, *arguments, clip=None, environment=None):
        return Desktop(PROGRAM, clip or self.clip, *arguments, "--filter", "box:radius=1", "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu",
                       environment=environment)

    def started(self, desktop):
        desktop.wait_for(lambda: desktop.look().contrast(330, 120, 880, 560) > 0.3, "a picture")

    def made(self, desktop, pattern):
        found = glob.glob(os.path.join(desktop.folder.name, pattern))
        return found[0] if found else None

    def accept(self, desktop):
        """The name that a dialog proposes."""
        desktop.mark("save-name")
        desktop.key("Return")

    def begin_render(self, desktop, name):
        """Until there are pictures in the file."""
        desktop.key("ctrl+e")
        self.accept(desktop)
        header = 4000
        desktop.wait_for(lambda: os.path.getsize(self.made(desktop, name) or os.devnull) > header, "pictures in " + name)

    def test_three_seconds_by_key(self):
        with self.desktop() as desktop:
            self.started(desktop)
            pressed = time.monotonic()
            desktop.key("r")
            desktop.mark("recording-mark")
            recorded = lambda: max(times(self.made(desktop, "*.mkv")), default=0)
            desktop.wait_for(lambda: recorded() > 1, "a second in the file")
            desktop.xdotool("windowsize", desktop.window, 1000, 600)  # goes on at its first size
            desktop.wait_for(lambda: desktop.marks()["size"] == [1000, 600], "the other size")
            desktop.wait_for(lambda: recorded() > 3, "three seconds in the file")
            desktop.key("r")
            desktop.wait_for(lambda: "Recorded" in desktop.output(), "the recording to end")
            longest = time.monotonic() - pressed
            probed = probe(self.made(desktop, "*.mkv"))
            picture = stream(probed, "video")
            self.assertEqual((picture["width"], picture["height"]), (WIDTH, HEIGHT))
            self.assertGreater(int(picture["nb_read_frames"]), 5)
            self.assertGreater(float(probed["format"]["duration"]), 3)
            self.assertLess(float(probed["format"]["duration"]), longest + 0.5)
            self.assertIsNotNone(stream(probed, "audio"))
            self.assertIn("box", json.dumps(probed["format"]["tags"]))

    def test_one_that_was_asked_for_and_stops_is_told_by_the_exit_code(self):
        limit = 150_000
        with self.desktop("--record", "full.mkv") as desktop:
            resource.prlimit(desktop.process.pid, resource.RLIMIT_FSIZE, (limit, limit))
            desktop.wait_for(lambda: "has stopped" in desktop.output(), "the file to be full")
            desktop.frames(3)
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 2, desktop.output())

    def test_the_sound_of_another_source_is_not_that_of_the_first(self):
        other = self.path("other.mp4")
        ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x180:rate=30:duration=9", "-pix_fmt", "yuv420p", other)
        with self.desktop() as desktop:
            self.started(desktop)
            desktop.frames(20)  # sound is left out while the source does not play at its speed yet
            desktop.key("r")
            recorded = lambda: max(times(self.made(desktop, "*.mkv")), default=0)
            desktop.wait_for(lambda: recorded() > 1, "a second in the file")
            desktop.key("ctrl+o")
            desktop.enter(other)
            desktop.wait_for(lambda: f"The recording goes on with '{other}'." in desktop.output(), "the other source")
            changed = recorded() + 0.7  # what was in step until then is written later
            desktop.wait_for(lambda: recorded() > changed + 2, "two more seconds in the file")
            desktop.key("r")
            desktop.wait_for(lambda: "Recorded" in desktop.output(), "the recording to end")
            heard = array.array("h", ffmpeg("-i", self.made(desktop, "*.mkv"), "-af", "aresample=async=1:first_pts=0", "-ac", "1", "-ar", "8000",
                                            "-f", "s16le", "-"))
            self.assertGreater(max(heard[:8000], default=0), 1000)
            self.assertLess(max(heard[int(8000 * changed):], default=0), 200)

    def test_a_picture_that_stands_still(self):
        """No new one comes, and what is seen is recorded all the same."""
        with self.desktop() as desktop:
            self.started(desktop)
            desktop.key("space")
            desktop.steady((330, 120, 880, 560))
            desktop.key("r")
            desktop.wait_for(lambda: max(times(self.made(desktop, "*.mkv")), default=0) > 1, "a second in the file")
            desktop.key("r")
            desktop.wait_for(lambda: "Recorded" in desktop.output(), "the recording to end")
            self.assertTrue(plays(self.made(desktop, "*.mkv")))

    def test_renders_every_frame_and_returns(self):
        short = self.path("short.mp4")
        ffmpeg("-i", self.clip, "-t", 3, "-pix_fmt", "yuv420p", "-c:a", "aac", short)
        with self.desktop(clip=short) as desktop:
            self.started(desktop)
            desktop.key("space", "shift+p", "ctrl+e")
            self.accept(desktop)
            desktop.wait_for(lambda: "Rendered 90 frames" in desktop.output(), "the render", 240)
            path = self.made(desktop, "convoscope-render-*.mkv")
            self.assertEqual(stream(probe(path), "video")["nb_read_frames"], "90")
            self.assertIsNotNone(stream(probe(path), "audio"))
            self.begin_render(desktop, "convoscope-render-002*.mkv")
            desktop.key("Escape")
            desktop.frames(3)
            self.assertNotIn("Rendering was cancelled.", desktop.output(), "one press only asks")
            desktop.key("Escape")
            desktop.wait_for(lambda: "Rendering was cancelled." in desktop.output(), "the end of the render")
            self.assertIsNone(self.made(desktop, "convoscope-render-002.mkv"), "the name of a whole one")
            second = self.made(desktop, "convoscope-render-002.part.mkv")
            self.assertIn("the rest is missing", desktop.output())
            self.assertIn("convoscope-render-002.part.mkv'", desktop.output())
            self.assertTrue(plays(second))
            self.assertLess(int(stream(probe(second), "video")["nb_read_frames"]), 90)
            self.begin_render(desktop, "convoscope-render-003*.mkv")
            desktop.key("ctrl+q")
            desktop.frames(3)
            self.assertIsNone(desktop.process.poll(), "one press only asks")
            desktop.xdotool("key", "ctrl+q")
            self.assertEqual(desktop.process.wait(90), 0, desktop.output())
            frames = int(stream(probe(self.made(desktop, "convoscope-render-003.part.mkv")), "video")["nb_read_frames"])
            self.assertIn(f"Rendering was cancelled. Rendered {frames:,} frames", desktop.output())

    def test_a_rendering_of_a_clip_that_is_cut_off_stays_a_part(self):
        whole, cut = self.path("whole.mkv"), self.path("cut.mkv")
        ffmpeg("-i", self.clip, "-t", "2", "-c", "copy", whole)
        with open(whole, "rb") as file, open(cut, "wb") as to:
            to.write(file.read(os.path.getsize(whole) * 2 // 3))
        with self.desktop(clip=cut) as desktop:
            self.started(desktop)
            desktop.key("ctrl+e")
            self.accept(desktop)
            desktop.wait_for(lambda: "Not all of the source could be decoded. Rendered " in desktop.output(), "the end of the render", 240)
            self.assertTrue(plays(self.made(desktop, "convoscope-render-*.part.mkv")))
            self.assertEqual(glob.glob(os.path.join(desktop.folder.name, "convoscope-render-*[0-9].mkv")), [], "the name of a whole one")

    def test_a_rendering_that_is_killed_leaves_its_part(self):
        with self.desktop() as desktop:
            self.started(desktop)
            self.begin_render(desktop, "convoscope-render-*.mkv")
            desktop.process.send_signal(signal.SIGKILL)
            desktop.process.wait()
            made = glob.glob(os.path.join(desktop.folder.name, "convoscope-render-*"))
            self.assertEqual([os.path.basename(path) for path in made], ["convoscope-render-001.part.mkv"])
            self.assertTrue(plays(made[0]))

    def test_a_rendering_whose_file_goes_ends(self):
        with self.desktop() as desktop:
            self.started(desktop)
            renders = lambda: any(mark["window"].startswith("##render") for mark in desktop.marks()["marks"])
            self.begin_render(desktop, "convoscope-render-*.mkv")
            self.assertTrue(renders())
            os.remove(self.made(desktop, "convoscope-render-*.mkv"))
            desktop.wait_for(lambda: "was deleted or moved away" in desktop.output(), "what has happened")
            desktop.frames(3)
            self.assertFalse(renders())

    def test_copies_the_picture_through_the_desktops_helper(self):
        with self.desktop(environment={"PATH": self.folder}) as desktop:  # no xclip there
            self.started(desktop)
            desktop.key("ctrl+c")
            desktop.wait_for(lambda: "xclip is not installed" in desktop.output(), "the advice")


class WindowWithHelper(Folder):
    """With a program called xclip that keeps what it is given."""

    def test_copy_and_animation(self):
        tools = tempfile.mkdtemp(dir=self.folder)
        copied = os.path.join(tools, "copied.png")
        helper = os.path.join(tools, "xclip")
        with open(helper, "w") as script:
            script.write(f'#!/bin/sh\ncat > "{copied}.part" && mv "{copied}.part" "{copied}"\n')
        os.chmod(helper, 0o755)
        before = os.environ["PATH"]
        os.environ["PATH"] = tools + ":" + before
        try:
            with Desktop(PROGRAM, self.clip, "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu") as desktop:
                desktop.wait_for(lambda: desktop.look().contrast(330, 120, 880, 560) > 0.3, "a picture")
                desktop.key("ctrl+c")
                desktop.wait_for(lambda: os.path.exists(copied), "the copy")
                picture = stream(probe(copied), "video")
                self.assertEqual(picture["codec_name"], "png")
                self.assertLess(picture["width"], WIDTH, "without the panels")
                desktop.key("ctrl+g")
                desktop.wait_for(lambda: "No pictures of the last seconds" in desktop.output(), "the advice")
        finally:
            os.environ["PATH"] = before


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
