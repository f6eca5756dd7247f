"""What keyboard and mouse do within one frame, and what other programs do to the window."""
import contextlib
import json
import os
import signal
import struct
import sys
import unittest

from desktop import HEIGHT, WIDTH, Desktop
from drop import drop

PROGRAM = None

# Places on the keyboard, as X numbers them: where a US one has Q, A and 1.
PLACE_OF_Q, PLACE_OF_A, PLACE_OF_1 = "24", "38", "10"


class Input(unittest.TestCase):
    def desktop(self, *arguments, **options):
        return Desktop(PROGRAM, "pattern", *arguments, "--window", f"{WIDTH}x{HEIGHT}", "--backend", "cpu", **options)

    @contextlib.contextmanager
    def within_a_frame(self, desktop):
        """What is done meanwhile comes all at once."""
        desktop.process.send_signal(signal.SIGSTOP)
        try:
            yield
        finally:
            desktop.process.send_signal(signal.SIGCONT)

    def kept(self, desktop):
        """What would be restored now, as text, without what was measured before."""
        try:
            with open(os.path.join(desktop.folder.name, "convoscope", "session.json")) as file:
                session = json.load(file)
            session.pop("measured", None)
            return json.dumps(session)
        except (FileNotFoundError, json.JSONDecodeError):
            return ""

    def wait_until_kept(self, desktop, text):
        desktop.wait_for(lambda: text in self.kept(desktop), f"{text} to be kept")

    def test_clicks_of_one_frame_are_each_obeyed_where_they_were(self):
        with self.desktop("--filter", "1 2 3; 4 5 6; 7 8 9", "--border", "zero") as desktop:
            mirror, weights, play = desktop.mark("border/mirror"), desktop.mark("weights"), desktop.mark("play")
            with self.within_a_frame(desktop):
                for at in mirror, play, weights:
                    desktop.xdotool("mousemove", *at, "click", 1)
                desktop.xdotool("mousemove", 10, 300)
            self.wait_until_kept(desktop, '"mirror"')
            self.wait_until_kept(desktop, '"paused": true')

    def test_a_double_click_within_a_frame_types_into_a_weight(self):
        with self.desktop("--filter", "1 2 3; 4 5.125 6; 7 8 9") as desktop:
            at = desktop.mark("weights")
            with self.within_a_frame(desktop):
                desktop.xdotool("mousemove", *at, "click", "--repeat", 2, "--delay", 10, 1, "type", "--delay", 0, "--args", 1, "0.75",
                                "key", "--delay", 0, "Return", "mousemove", 10, 300)
            self.wait_until_kept(desktop, "0.75")
            self.assertNotIn("5.125", self.kept(desktop))

    def test_a_path_typed_in_the_frame_of_ctrl_o_is_opened(self):
        with self.desktop() as desktop:
            picture = os.path.join(desktop.folder.name, "at once.ppm")
            with open(picture, "wb") as file:
                file.write(b"P6 64 64 255\n" + bytes(64 * 64 * 3))
            desktop.frames(2)
            with self.within_a_frame(desktop):
                desktop.xdotool("key", "--delay", 0, "ctrl+o", "type", "--delay", 0, "--args", 1, picture, "key", "Return")
            desktop.wait_for(lambda: "at once.ppm" in desktop.xdotool("getwindowname", desktop.window).stdout, "the picture")
            self.assertEqual(desktop.output(), "", "no letter of the name did anything else")

    def test_of_several_files_that_are_dropped_the_others_are_told_of(self):
        with self.desktop() as desktop:
            files = [os.path.join(desktop.folder.name, f"shot{i}.ppm") for i in (1, 2, 3)]
            for path in files:
                with open(path, "wb") as file:
                    file.write(b"P6 64 64 255\n" + bytes(64 * 64 * 3))
            desktop.frames(2)
            self.assertTrue(drop(desktop.display, desktop.window, files, 300, 300))
            desktop.wait_for(lambda: "shot1.ppm" in desktop.xdotool("getwindowname", desktop.window).stdout, "the first of them")
            desktop.wait_for(lambda: f"The next one is '{files[1]}'." in desktop.output(), "what became of the others")
            desktop.click_mark("message/drop/Open the next one")
            desktop.wait_for(lambda: "shot2.ppm" in desktop.xdotool("getwindowname", desktop.window).stdout, "the second of them")

    def test_clips_that_are_dropped_together_play_one_after_another(self):
        with self.desktop() as desktop:
            files = [os.path.join(desktop.folder.name, name) for name in ("clip10.y4m", "broken.mp4", "clip2.y4m")]
            for path in files:
                with open(path, "wb") as file:
                    if path.endswith("y4m"):
                        file.write(b"YUV4MPEG2 W64 H64 F25:1 C420jpeg\n" + 25 * (b"FRAME\n" + bytes(64 * 96)))
                    else:
                        file.write(b"no video")
            title = lambda: desktop.xdotool("getwindowname", desktop.window).stdout
            desktop.frames(2)
            self.assertTrue(drop(desktop.display, desktop.window, files, 300, 300))
            desktop.wait_for(lambda: "clip2.y4m" in title(), "the first of them that plays")
            self.assertIn("broken.mp4", desktop.output())
            self.assertIn("It is left out.", desktop.output())
            desktop.wait_for(lambda: "clip10.y4m" in title(), "the next one, when that has ended")
            desktop.xdotool("key", "ctrl+Prior")
            desktop.wait_for(lambda: "clip2.y4m" in title(), "the one before")

    def test_weights_that_are_dropped_are_the_layer_workbenchs_bank(self):
        with self.desktop() as desktop:
            bank = os.path.join(desktop.folder.name, "bank.npy")
            header = b"{'descr': '<f4', 'fortran_order': False, 'shape': (2, 3, 3, 3), }"
            with open(bank, "wb") as file:
                file.write(b"\x93NUMPY\x01\x00" + struct.pack("<H", 118) + header.ljust(117) + b"\n" + struct.pack("<54f", *range(54)))
            desktop.frames(2)
            self.assertTrue(drop(desktop.display, desktop.window, [bank], 300, 300))
            desktop.wait_for(lambda: f"Loaded the bank of {bank}" in desktop.output(), "the bank")
            self.wait_until_kept(desktop, '"workbench": "layer"')
            filter_file = os.path.join(desktop.folder.name, "filter.json")
            with open(filter_file, "w") as file:
                file.write('{"width": 3, "height": 3, "weights": [0, 0, 0, 0, 1, 0, 0, 0, 0]}')
            self.assertTrue(drop(desktop.display, desktop.window, [filter_file], 300, 300))
            desktop.wait_for(lambda: "cannot be used" in desktop.output(), "what a bank has to hold")

    def test_outlives_a_program_that_ends_while_its_file_is_dragged_over_the_window(self):
        with self.desktop("--verbose") as desktop:
            desktop.frames(2)
            with self.within_a_frame(desktop):
                drop(desktop.display, desktop.window, [os.path.join(desktop.folder.name, "any.png")], 300, 300, seconds=0.3)
            desktop.wait_for(lambda: "has refused request" in desktop.output(), "the answer to the program that is gone")
            desktop.frames(3)
            desktop.key("ctrl+q")
            self.assertEqual(desktop.process.wait(30), 0, desktop.output())

    def obeys_what_keys_type(self, desktop):
        """On a French keyboard, where places type other letters than on a US one, and digits only with Shift."""
        desktop.key(PLACE_OF_Q)
        self.wait_until_kept(desktop, "absolute=1")
        desktop.key("ctrl+d")
        self.wait_until_kept(desktop, '"active_pane": 2')
        desktop.key(PLACE_OF_1)
        self.wait_until_kept(desktop, '"active_pane": 0')
        desktop.key("ctrl+o")
        desktop.wait_for(lambda: desktop.marks()["wants_text"], "the field of the path")
        desktop.type("nowhere")
        desktop.enter(os.path.join(desktop.folder.name, "missing"))  # in place of what is there: after Ctrl+A
        desktop.wait_for(lambda: "missing" in desktop.output(), "the answer")
        self.assertNotIn("nowhere", desktop.output())
        desktop.key("ctrl+" + PLACE_OF_A)  # Q
        self.assertEqual(desktop.process.wait(60), 0, desktop.output())

    def test_shortcuts_follow_the_layout_of_the_keyboard(self):
        with self.desktop(layout="fr") as desktop:
            desktop.frames(2)
            desktop.key("bracketleft")  # AltGr+5: where a loop begins
            self.wait_until_kept(desktop, '"loop_from": ')
            desktop.key("backslash")  # AltGr+8
            desktop.wait_for(lambda: '"loop"' in (kept := self.kept(desktop)) and '"loop_from"' not in kept, "the loop to be gone")
            desktop.key("question")  # Shift+comma
            desktop.wait_for(lambda: desktop.drawn("help-search"), "the page of all keys")
            desktop.key("Escape")
            desktop.wait_for(lambda: not desktop.drawn("help-search"), "the page of all keys to close")
            self.obeys_what_keys_type(desktop)

    def test_a_weight_is_typed_where_digits_need_shift(self):
        """The minus is on the place of the 6, and Shift+0 and Shift+5 are shortcuts elsewhere."""
        with self.desktop("--filter", "1 2 3; 4 5.125 6; 7 8 9", layout="fr") as desktop:
            desktop.frames(2)
            desktop.key("w")
            desktop.type("-0,75")
            desktop.key("Return")
            self.wait_until_kept(desktop, "-0.75")
            self.assertNotIn("5.125", self.kept(desktop))
            desktop.key("Up")
            desktop.type("5")
            desktop.key("Return")
            desktop.wait_for(lambda: "-0.75" not in self.kept(desktop), "the weight to be 5")

    def test_shortcuts_follow_a_layout_that_changes(self):
        with self.desktop() as desktop:
            desktop.frames(2)
            desktop.key(PLACE_OF_Q)
            self.wait_until_kept(desktop, '"magnifier": true')
            desktop.set_layout("ru")  # which types no letter that a shortcut has: they go by their places
            desktop.key(PLACE_OF_Q)
            self.wait_until_kept(desktop, '"magnifier": false')
            desktop.set_layout("fr")
            self.obeys_what_keys_type(desktop)


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
