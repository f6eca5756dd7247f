"""The program without a display: the commands of the README, and what they leave behind."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

from desktop import picture_of, without_display

PROGRAM = None
WIDTH, HEIGHT = 960, 540
SIZE = ["--window", f"{WIDTH}x{HEIGHT}"]


class Offscreen(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.addCleanup(self.temporary.cleanup)
        self.clip = os.path.join(self.folder, "clip.mp4")
        subprocess.run(["ffmpeg", "-loglevel", "error", "-f", "lavfi", "-i", "testsrc2=size=640x360:rate=30:duration=1",
                        "-pix_fmt", "yuv420p", self.clip], check=True)

    def run_program(self, *arguments, expect=0):
        done = subprocess.run([PROGRAM, *map(str, arguments)], cwd=self.folder, env=without_display(self.folder), capture_output=True,
                              text=True, timeout=300)
        self.assertEqual(done.returncode, expect, done.stderr)
        return done

    def picture(self, name):
        return picture_of(os.path.join(self.folder, name), WIDTH, HEIGHT)

    def stats(self, name):
        with open(os.path.join(self.folder, name)) as file:
            return json.load(file)

    def count_frames(self, name):
        return int(subprocess.run(
            ["ffprobe", "-loglevel", "error", "-count_frames", "-select_streams", "v", "-of", "csv=p=0", "-show_entries",
             "stream=nb_read_frames", os.path.join(self.folder, name)], capture_output=True, check=True, text=True).stdout)

    def test_stats_and_screenshot_of_a_filtered_clip(self):
        for backend in ("cpu", "auto"):
            self.run_program(self.clip, "--strategy", "constant", "--filter", "gaussian:radius=4", "--offscreen", "--frames",
                             6, "--screenshot", backend + ".png", "--stats", "a.json", "--backend", backend, *SIZE)
            stats = self.stats("a.json")
            self.assertEqual(stats["source"], self.clip)
            self.assertEqual(stats["frames_shown"], 6)
            self.assertEqual(stats["frames_dropped"], 0)
            self.assertTrue(stats["strategy"] and stats["filter"])
            for stage in ("decode", "convert", "draw", "frame"):
                self.assertLessEqual(stats["stages"][stage]["min_ms"], stats["stages"][stage]["median_ms"])
                self.assertLessEqual(stats["stages"][stage]["median_ms"], stats["stages"][stage]["p95_ms"])
            self.assertGreater(stats["strategies"][0]["median_ms"], 0)

        self.run_program(self.clip, "--filter", "identity", "--offscreen", "--frames", 6, "--screenshot", "b.png", "--backend",
                         "cpu", *SIZE)
        area = (250, 140, 580, 400)
        for backend in ("cpu", "auto"):
            self.assertGreater(self.picture("b.png").contrast(*area), 1.15 * self.picture(backend + ".png").contrast(*area))

    def test_every_frame_is_recorded_once(self):
        self.run_program(self.clip, "--offscreen", "--record", "out.mkv", "--backend", "cpu", *SIZE)
        self.assertEqual(self.count_frames("out.mkv"), 30)
        self.run_program("pattern", "--size", "320x240", "--offscreen", "--record", "out.mp4", "--frames", 12, "--backend", "cpu",
                         *SIZE)
        self.assertEqual(self.count_frames("out.mp4"), 12)

    def test_a_session_that_was_saved_while_paused_is_drawn_too(self):
        for source in (self.clip, "pattern"):
            with open(os.path.join(self.folder, "paused.json"), "w") as file:
                json.dump({"convoscope": "session", "panes": [{"strategy": "constant"}], "source": source, "paused": True}, file)
            self.run_program("--session", "paused.json", "--offscreen", "--frames", 5, "--backend", "cpu", "--record", "r.mkv",
                             "--stats", "a.json", *SIZE)
            self.assertEqual(self.stats("a.json")["frames_shown"], 5)
            self.assertEqual(self.count_frames("r.mkv"), 5)

    def test_workbenches(self):
        for arguments, runs in ((("--bank", "gabor", "--maps", 4, "--compare", "cpu-direct,cpu-gemm"), "cpu-direct"),
                                (("--reach", 2, "--compare", "cpu-parallel,auto"), "cpu-parallel")):
            self.run_program(self.clip, *arguments, "--view", "grid", "--offscreen", "--frames", 12, "--screenshot", "w.png", "--stats",
                             "w.json", "--record", "w.mkv", "--backend", "cpu", *SIZE)
            rows = self.stats("w.json")["strategies"]
            self.assertEqual([row["runs"] for row in rows][0], runs)
            self.assertTrue(all(row["median_ms"] > 0 for row in rows), rows)
            self.assertEqual(self.count_frames("w.mkv"), 12)

    def test_what_cannot_be_computed_is_told_where_nobody_watches(self):
        with open(os.path.join(self.folder, "u.json"), "w") as file:
            json.dump({"workbench": "volume", "panes": [{"strategy": "cpu-parallel", "filter": "sobel-magnitude"}]}, file)
        done = self.run_program(self.clip, "--session", "u.json", "--offscreen", "--frames", 3, "--record", "u.mkv", "--backend", "cpu",
                                *SIZE, expect=2)
        self.assertIn("single pictures", done.stderr)
        self.assertIn("unfiltered", done.stderr)

    def test_several_strategies_and_views(self):
        for view in ("single", "grid", "split", "difference", "blink"):
            self.run_program("pattern", "--size", "320x240", "--compare", "cpu-direct,cpu-separable", "--view", view,
                             "--offscreen", "--frames", 3, "--screenshot", "v.png", "--stats", "v.json", "--backend", "cpu", *SIZE)
            stats = self.stats("v.json")
            self.assertEqual([s["strategy"] for s in stats["strategies"]], ["cpu-direct", "cpu-separable"])

    def test_views_show_what_they_say(self):
        def shot(*arguments):
            self.run_program("pattern", "--size", "960x540", *arguments, "--no-panels", "--offscreen", "--frames", 2,
                             "--screenshot", "v.png", "--backend", "cpu", *SIZE)
            return self.picture("v.png")

        compare = ["--compare", "source,cpu-parallel@sobel-magnitude"]
        whole = (340, 140, WIDTH, HEIGHT)  # without the cards
        source, edges = shot(*compare, "--view", "single:pane=1"), shot(*compare, "--view", "single:pane=2")
        self.assertGreater(source.changed(edges, *whole), 0.3)
        upright = shot(*compare, "--view", "split:at=0.6")
        self.assertEqual(upright.changed(source, 340, 140, 570, HEIGHT), 0)
        self.assertEqual(upright.changed(edges, 582, 140, WIDTH, HEIGHT), 0)
        level = shot(*compare, "--view", "split:angle=90,at=0.5")
        self.assertEqual(level.changed(source, 340, 140, WIDTH, 264), 0)
        self.assertEqual(level.changed(edges, 340, 400, WIDTH, HEIGHT), 0)
        slanted = shot(*compare, "--view", "split:angle=45,at=0.5")
        self.assertEqual(slanted.changed(source, 340, 140, 400, 200), 0)
        self.assertEqual(slanted.changed(edges, 860, 440, WIDTH, HEIGHT), 0)

        a, b, d = source.at(700, 300), edges.at(700, 300), shot(*compare, "--view", "difference:gain=1").at(700, 300)
        self.assertLess(max(abs(abs(x - y) - z) for x, y, z in zip(a, b, d)), 3)
        signed = shot(*compare, "--view", "difference:mode=signed,gain=1").at(700, 300)
        self.assertLess(max(abs(127.5 + (x - y) / 2 - z) for x, y, z in zip(a, b, signed)), 3)
        same = shot("--compare", "cpu-direct,cpu-parallel", "--view", "difference:gain=200,threshold=1,false-colour")
        self.assertEqual({same.at(x, 300) for x in range(340, 960, 20)}, {(5, 5, 13)}, "strategies agree: no difference")

    def test_a_view_option_that_makes_no_sense_ends_with_2(self):
        done = self.run_program("pattern", "--view", "split:angel=3", "--offscreen", expect=2)
        self.assertIn("Did you mean 'angle'?", done.stderr)

    def test_panes_are_checked_against_the_reference(self):
        self.run_program("pattern", "--size", "320x180", "--compare", "cpu-parallel,cpu-separable,source", "--view", "grid",
                         "--rate", 20, "--offscreen", "--realtime", "--frames", 120, "--stats", "c.json", "--backend", "cpu", *SIZE)
        parallel, separable, source = [s["check"] for s in self.stats("c.json")["strategies"]]
        for check in (parallel, separable):
            self.assertEqual(check["state"], "right")
            self.assertGreaterEqual(check["frames"], 1)
            self.assertGreater(check["pixels"], 1000)
            self.assertLessEqual(check["max_error"], check["tolerance"])
        self.assertEqual(source["state"], "none")

    def test_emulated_kernels_are_offered_and_not_timed(self):
        self.run_program("pattern", "--size", "64x48", "--strategy", "tiled-halo", "--filter", "box:radius=1", "--backend",
                         "emulated", "--offscreen", "--frames", 5, "--stats", "e.json", *SIZE)
        stats = self.stats("e.json")
        self.assertEqual(stats["strategy"], "tiled-halo")
        self.assertEqual(stats["strategies"][0]["count"], 0)

    def test_without_a_display_it_says_so_and_leaves_results(self):
        done = self.run_program("pattern", "--size", "320x240", "--frames", 10, "--backend", "cpu", *SIZE)
        self.assertIn("offscreen", done.stderr)
        for name in ("recording.mp4", "screenshot.png", "timings.json"):
            path = os.path.join("convoscope-output", name)
            self.assertIn(path, done.stdout)
            self.assertGreater(os.path.getsize(os.path.join(self.folder, path)), 0)

    def test_a_source_that_cannot_be_shown_ends_with_2(self):
        with open(os.path.join(self.folder, "broken.mp4"), "wb") as file:
            file.write(os.urandom(5000))
        done = self.run_program("broken.mp4", "--offscreen", "--frames", 5, "--backend", "cpu", expect=2)
        self.assertIn("broken.mp4", done.stderr)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
