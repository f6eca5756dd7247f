"""Mouse and keys of the real window through one xdotool, at the pace of the program: whatever is done is waited for until
the program has seen it, however long a machine that does other things takes for that."""
import subprocess
import time

from desktop import XDOTOOL

LOOK = 0.002  # seconds between two looks at what was drawn
PATIENCE = 120  # seconds in which every machine draws a frame: more, and the program hangs


class Hand:
    def __init__(self, desktop):
        self.desktop = desktop
        self.doing = "the start"
        self.answers = {"move": [], "click or key": []}  # of each: (seconds, what was done)
        self.x = self.y = 2  # at 0, 0 GLFW takes a motion for one of its own and tells nobody
        # One for all, since starting it takes longer than what it does.
        self.tool = subprocess.Popen([XDOTOOL, "-"], stdin=subprocess.PIPE, env=desktop.environment, text=True, bufsize=1)

    def close(self):
        self.tool.stdin.close()
        self.tool.wait(PATIENCE)

    def send(self, *words):
        self.tool.stdin.write(" ".join(map(str, words)) + "\n")
        self.tool.stdin.flush()

    def state(self):
        """What the last frame drew (Desktop.marks)."""
        assert self.desktop.process.poll() is None, \
            f"the program ended with {self.desktop.process.returncode} after {self.doing}:\n{self.desktop.output()}"
        return self.desktop.marks()

    def aside(self):
        """One pixel from where the mouse is, and back the next time."""
        self.x += -1 if self.x % 2 else 1
        self.send("mousemove", self.x, self.y)

    def frames(self, count):
        """Waits until so many more frames are drawn."""
        first = self.state()["frame"]
        started = nudged = time.monotonic()
        while self.state()["frame"] < first + count:
            now = time.monotonic()
            assert now - started < PATIENCE, \
                f"no frame for {PATIENCE} s after {self.doing}:\n{self.desktop.output()}\n{self.desktop.stacks()}"
            if now - nudged > 0.05:  # an idle window draws nothing
                self.aside()
                nudged = now
            time.sleep(LOOK)

    def arrived(self):
        """Waits until the program knows where the mouse is, and so all that was sent before. How long that takes."""
        started = time.monotonic()
        while True:
            x, y = self.state()["mouse"]
            seconds = time.monotonic() - started
            if abs(x - self.x) < 1 and abs(y - self.y) < 1:
                return seconds
            assert seconds < PATIENCE, f"the mouse at ({self.x}, {self.y}) is not seen for {PATIENCE} s after {self.doing}; it is " \
                f"at ({x}, {y}):\n{self.desktop.output()}\n{self.desktop.stacks()}"
            time.sleep(LOOK)

    def act(self, *words, frames=1):
        """Sends it, and waits until it has been taken and so many more frames were drawn."""
        self.send(*words)
        self.aside()  # events stay in order: where it is seen, what was done before has been taken
        seconds = self.arrived()
        if words[0] != "type":  # for which xdotool takes its time
            self.answers["click or key"].append((seconds, self.doing))
        self.frames(frames)

    def move(self, x, y):
        self.x, self.y = x, y
        self.send("mousemove", x, y)
        self.answers["move"].append((self.arrived(), self.doing))

    def press(self, button=1):
        self.act("mousedown", button, frames=0)

    def release(self, button=1, frames=2):
        self.act("mouseup", button, frames=frames)  # a window that opens is hidden for a frame, while it finds its size

    def click(self, x, y, button=1):
        self.move(x, y)
        self.press(button)
        self.release(button)

    def wheel(self, *buttons):
        for button in buttons:
            self.send("click", "--delay", 0, button)
        self.aside()
        self.arrived()
