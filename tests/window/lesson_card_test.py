"""Goes through a lesson in a real window: the sheet of lessons, by keys and mouse, and what is kept of it."""
import json
import os
import sys
import unittest

from desktop import Desktop

PROGRAM = None


class LessonCard(unittest.TestCase):
    def open(self, *arguments, size=(1280, 720)):
        return Desktop(PROGRAM, "pattern", "--backend", "cpu", "--window", f"{size[0]}x{size[1]}", *arguments, size=size)

    def answer(self, desktop, number, text):
        desktop.click_mark(f"question/{number}/typed")
        desktop.frames(2)
        desktop.key("ctrl+a")
        desktop.type(text)
        desktop.key("Return")
        desktop.mark(f"question/{number}/said")

    def progress(self, desktop):
        try:
            with open(os.path.join(desktop.folder.name, "convoscope", "lessons.json")) as file:
                return json.load(file)["lessons"]
        except (FileNotFoundError, json.JSONDecodeError):
            return {}

    def test_is_chosen_answered_left_and_gone_on_with(self):
        with self.open() as desktop:
            desktop.key("shift+F1")
            desktop.click_mark("lesson/01-one-dimension")
            desktop.mark("question/1/typed")
            self.answer(desktop, 1, "53")  # wrong
            self.assertEqual(self.progress(desktop).get("01-one-dimension", {}).get("solved", []), [])
            desktop.click_mark("question/1/hint")
            self.answer(desktop, 1, "52")
            desktop.wait_for(lambda: self.progress(desktop).get("01-one-dimension", {}).get("solved") == [1], "what was solved")
            desktop.click_mark("lesson-next")
            desktop.mark("question/2/typed")
            desktop.key("shift+Next")  # Page Down
            desktop.mark("question/4/typed")
            desktop.key("shift+Prior")
            desktop.mark("question/3/typed")
            desktop.wait_for(lambda: self.progress(desktop)["01-one-dimension"]["step"] == 1, "the step")
            desktop.click_mark("lesson-list")
            desktop.mark("lesson/02-two-dimensions")
            desktop.key("Escape")
            desktop.wait_for(lambda: not desktop.drawn("lesson"), "the sheet to close")
            self.assertEqual(desktop.marks()["faults"], [])

    def test_shows_its_session_points_and_gives_back_what_was_there(self):
        with self.open("--lesson", "13", "--strategy", "cpu-direct", "--border", "mirror") as desktop:
            desktop.mark("lesson-next")
            for _ in range(3):
                desktop.key("shift+Next")
            desktop.click_mark("lesson-session")
            desktop.mark("lesson-own")
            desktop.wait_for(lambda: desktop.drawn("close-pane/1") or desktop.drawn("card/1"), "two panes", 60)
            desktop.click_mark("lesson-show")
            desktop.mark("section/Filter")
            desktop.click_mark("lesson-own")
            desktop.wait_for(lambda: not desktop.drawn("lesson-own"), "the own state")

    def test_has_room_in_a_small_window(self):
        with self.open("--lesson", "1", size=(640, 480)) as desktop:
            desktop.mark("lesson-next")
            self.assertEqual([fault for fault in desktop.marks()["faults"] if "lesson" in fault or "question" in fault], [])
            desktop.key("shift+Next")
            desktop.key("shift+Next")
            desktop.mark("lesson-back")


if __name__ == "__main__":
    PROGRAM = sys.argv.pop(1)
    unittest.main(verbosity=2)
