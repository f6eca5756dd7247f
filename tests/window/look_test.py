"""Looking closely in a real window: the source while its key is held, the difference's figures against ffmpeg's, the
menus of the right button."""
import json
import os
import re
import subprocess
import sys
import tempfile
import time
import unittest

from desktop import Desktop, ffmpeg, without_display

PROGRAM = None


class Looking(unittest.TestCase):
    def desktop(self, *arguments, size=(1280, 720)):
        return Desktop(PROGRAM, "pattern", "--size", "640x360", "--rate", "5", *arguments, "--window",
                       f"{size[0]}x{size[1]}", "--backend", "cpu", size=size)

    def quit(self, desktop):
        desktop.key("ctrl+q")
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())

    def test_the_source_is_looked_at_while_its_key_is_held(self):
        with self.desktop("--strategy", "cpu-separable", "--filter", "box:radius=2") as desktop:
            desktop.mark("play")
            for keys in (("i",), ("q",), ("i", "q")):
                desktop.xdotool("mousemove", 400, 300)
                desktop.key(*keys)
                desktop.wait_for(lambda: desktop.drawn("inspection"), "the values of the pixel")
                desktop.xdotool("keydown", "z")
                desktop.frames(10, "frames while the key is held")
                self.assertTrue(desktop.drawn("inspection"), "the source's values are shown too")
                desktop.xdotool("mousemove", 300, 200)
                desktop.key("ctrl+d", "ctrl+w")  # one pane more, and one less, meanwhile
                desktop.xdotool("keyup", "z")
                desktop.frames(5, "frames after it")
                desktop.key(*keys)
                desktop.wait_for(lambda: not desktop.drawn("inspection"), "the values to go")
            self.quit(desktop)

    def test_what_is_told_of_a_paused_picture_needs_no_mouse(self):
        with self.desktop("--workbench", "layer", "--bank", "edges") as desktop:
            seen = lambda: {m["id"]: m["seen"] for m in desktop.marks()["marks"]}
            card_width = lambda: seen()["card/1"][2] - seen()["card/1"][0]
            desktop.key("space", "shift+F3")
            desktop.steady((0, 0, 900, 600))
            desktop.click_mark("learn-set-up")
            width, since = card_width(), time.monotonic()
            while time.monotonic() - since < 4:  # neither does this move the mouse
                time.sleep(0.2)
                if card_width() != width:
                    width, since = card_width(), time.monotonic()
            desktop.xdotool("mousemove_relative", "--", 2, 1)
            desktop.frames(5)
            self.assertLess(abs(card_width() - width), 20, "its time comes by itself")
            self.quit(desktop)

    def test_the_difference_is_what_ffmpeg_measures(self):
        with tempfile.TemporaryDirectory() as folder:
            path = lambda name: os.path.join(folder, name)
            ffmpeg("-f", "lavfi", "-i", "testsrc2=size=320x200:rate=5:duration=8", "-c:v", "ffv1", "-pix_fmt", "bgr0", path("a.mkv"))
            chosen = ["--filter", "gaussian:radius=2", "--border", "replicate"]
            subprocess.run([PROGRAM, path("a.mkv"), "--offscreen", "--backend", "cpu", "--compare", "source,cpu-direct",
                            *chosen, "--view", "difference", "--frames", "30", "--window", "1280x720",
                            "--stats", path("s.json")], check=True, timeout=240, env=without_display(folder),
                           capture_output=True)
            with open(path("s.json")) as file:
                found = json.load(file)["difference"]
            subprocess.run([PROGRAM, "filter", path("a.mkv"), path("b.mkv"), "--backend", "cpu", "--strategy", "cpu-direct",
                            *chosen, "--lossless"], check=True, timeout=240, env=without_display(folder), capture_output=True)
            said = subprocess.run(
                ["ffmpeg", "-nostdin", "-i", path("a.mkv"), "-i", path("b.mkv"), "-lavfi",
                 f"[0]format=gbrp,select=eq(n\\,{found['frame']})[a];[1]format=gbrp,select=eq(n\\,{found['frame']})[b];"
                 "[a]split[a1][a2];[b]split[b1][b2];[a1][b1]psnr;[a2][b2]ssim", "-f", "null", "-"],
                check=True, capture_output=True, text=True).stderr
        psnr = float(re.search(r"PSNR .*average:([0-9.]+)", said)[1])
        ssim = float(re.search(r"SSIM .*All:([0-9.]+)", said)[1])
        self.assertAlmostEqual(found["psnr"], psnr, delta=0.02)
        # ffmpeg has other constants (64 for 4096 in the first), which dark windows feel.
        self.assertAlmostEqual(found["ssim"], ssim, delta=0.02)
        self.assertGreater(found["largest"], 10)
        self.assertGreater(found["mean"], 0)

    def test_identical_panes_say_so_and_the_largest_difference_is_gone_to(self):
        with self.desktop("--compare", "cpu-direct,cpu-parallel", "--filter", "box:radius=1", "--view", "difference") as desktop:
            desktop.wait_for(lambda: desktop.drawn("difference-card"), "the card")
            self.assertFalse(desktop.drawn("difference-largest"))
            desktop.key("u")  # the active pane shows the source: now they differ
            at = desktop.mark("difference-largest")
            before = desktop.look()
            desktop.click(*at)
            desktop.wait_for(lambda: desktop.drawn("inspection"), "the values of the pixel")
            desktop.wait_for(lambda: desktop.look().changed(before, 330, 250, 900, 640) > 0.3, "the pixel, enlarged")
            self.quit(desktop)

    def test_the_right_button_opens_menus(self):
        with self.desktop("--strategy", "cpu-separable", "--filter", "box:radius=2") as desktop:
            desktop.click_mark("play", button=3)
            desktop.click_mark("menu/Play or pause")
            desktop.click(400, 400, button=3)
            desktop.click_mark("menu/Add a pane to compare with")
            desktop.wait_for(lambda: not desktop.drawn("menu/Close the pane"), "the menu to close")
            desktop.click(200, 400, button=3)
            desktop.click_mark("menu/Explain this pixel")
            desktop.wait_for(lambda: desktop.drawn("story"), "the sheet")
            self.quit(desktop)


if __name__ == "__main__":
    PROGRAM = os.path.abspath(sys.argv.pop(1))
    unittest.main(verbosity=2)
