"""A virtual screen and the program on it, driven by keys and mouse and looked at pixel by pixel (Xvfb, xdotool, ffmpeg)."""
import glob
import json
import os
import shutil
import signal
import subprocess
import tempfile
import time

WIDTH, HEIGHT = 1280, 720
# Who began the tests with nohup has it ignored, and so would have what is begun here.
signal.signal(signal.SIGHUP, signal.SIG_DFL)
# By their whole names: a test may take PATH away from the program.
XDOTOOL, FFMPEG = shutil.which("xdotool"), shutil.which("ffmpeg")


class Picture:
    """RGB bytes of a screen."""

    def __init__(self, data, width=WIDTH, height=HEIGHT):
        assert len(data) == width * height * 3, f"{len(data)} bytes for {width}x{height}"
        self.data, self.width, self.height = data, width, height

    def save(self, path):
        subprocess.run([FFMPEG, "-loglevel", "error", "-y", "-f", "rawvideo", "-pix_fmt", "rgb24", "-video_size",
                        f"{self.width}x{self.height}", "-i", "-", path], input=self.data, check=True)

    def at(self, x, y):
        i = 3 * (y * self.width + x)
        return tuple(self.data[i:i + 3])

    def region(self, x0, y0, x1, y1):
        return b"".join(self.data[3 * (y * self.width + x0):3 * (y * self.width + x1)] for y in range(y0, y1))

    def contrast(self, x0, y0, x1, y1):
        """Mean absolute difference of horizontal neighbours in green: what a blur lowers."""
        total = count = 0
        for y in range(y0, y1, 2):
            row = self.data[3 * (y * self.width + x0) + 1:3 * (y * self.width + x1):3]
            total += sum(abs(a - b) for a, b in zip(row, row[1:]))
            count += len(row) - 1
        return total / count

    def changed(self, other, x0=0, y0=0, x1=None, y1=None):
        """The share of pixels that differ by more than 8 code values in some channel."""
        a = self.region(x0, y0, x1 or self.width, y1 or self.height)
        b = other.region(x0, y0, x1 or self.width, y1 or self.height)
        if a == b:
            return 0
        pixels = range(0, len(a), 3 if len(a) < 500_000 else 9)  # every third of a large area is enough
        different = sum(1 for i in pixels
                        if abs(a[i] - b[i]) > 8 or abs(a[i + 1] - b[i + 1]) > 8 or abs(a[i + 2] - b[i + 2]) > 8)
        return different / len(pixels)


def ffmpeg(*arguments):
    return subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", *map(str, arguments)], check=True,
                          capture_output=True).stdout


def part_of(path):
    """Where a video is until it is whole: out.part.mkv of out.mkv."""
    return "{}.part{}".format(*os.path.splitext(path))


def probe(path):
    """What ffprobe finds, every frame counted."""
    return json.loads(subprocess.run(["ffprobe", "-loglevel", "error", "-count_frames", "-of", "json", "-show_streams",
                                      "-show_format", path], capture_output=True, check=True).stdout)


def picture_of(path, width=WIDTH, height=HEIGHT):
    return Picture(ffmpeg("-i", path, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"), width, height)


def without_display(folder, **variables):
    """An environment with no screen, and settings in the folder."""
    kept = {k: v for k, v in os.environ.items() if k not in ("DISPLAY", "WAYLAND_DISPLAY")}
    return dict(kept, XDG_CONFIG_HOME=folder, XDG_STATE_HOME=folder, ASAN_OPTIONS="detect_leaks=0", **variables)


class Desktop:
    """An Xvfb screen, or the display that is named (drawn by whatever draws there), with one program in it; a context manager."""

    def __init__(self, program, *arguments, environment=None, size=(WIDTH, HEIGHT), display=None, said_to=None,  # a descriptor
                 layout=None):
        self.program, self.arguments, self.extra = os.path.abspath(program), [str(a) for a in arguments], environment or {}
        # Enough to see it move. At its own size and 60 pictures a second a software renderer leaves nothing to the tests beside it.
        if "pattern" in self.arguments and not display:
            for option, value in (("--rate", "10"), ("--size", "640x360")):
                if option not in self.arguments:
                    self.arguments += [option, value]
        self.width, self.height = size
        self.display, self.server, self.said_to, self.layout = display, None, said_to, layout
        self.marks_text = self.marks_read = None  # what the file of marks held last, and what that means

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        software = {}
        if not self.display:
            self.start_server()
            software = {"LIBGL_ALWAYS_SOFTWARE": "1"}
        self.marks_file = os.path.join(self.folder.name, "marks.json")
        self.environment = dict(os.environ, DISPLAY=self.display, XDG_CONFIG_HOME=self.folder.name,
                                XDG_STATE_HOME=self.folder.name, XDG_CACHE_HOME=self.folder.name, CONVOSCOPE_MARKS=self.marks_file,
                                ASAN_OPTIONS="detect_leaks=0", **software)
        # What the window saves of its own accord lies beside what the test has there.
        with open(os.path.join(self.folder.name, "user-dirs.dirs"), "w") as folders:
            folders.write("".join(f'XDG_{which}_DIR="{self.folder.name}"\n' for which in ("PICTURES", "VIDEOS")))
        self.environment.update(self.extra)
        self.log = open(os.path.join(self.folder.name, "log"), "w+")
        self.process = None
        try:
            if self.layout:
                self.set_layout(self.layout)
            self.process = subprocess.Popen([self.program, *self.arguments], env=self.environment, cwd=self.folder.name,
                                            stdout=self.log, stderr=self.said_to or self.log)
            self.window = self.wait_for(self.find_window, "the window to open", 60)
        except BaseException:  # a server that is left over would keep the test's own output open
            self.__exit__()
            raise
        return self

    def start_server(self):
        # -noreset: else the server begins anew whenever its last client leaves, which xdotool is before the program is there,
        # and whoever comes meanwhile is refused.
        read, write = os.pipe()
        self.server = subprocess.Popen(
            ["Xvfb", "-displayfd", str(write), "-screen", "0", f"{self.width}x{self.height}x24", "+extension", "GLX", "-noreset", "-nolisten",
             "tcp"],
            pass_fds=[write], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        os.close(write)
        with os.fdopen(read) as ready:
            self.display = ":" + ready.readline().strip()

    def __exit__(self, *_):
        for process in (self.process, self.server):
            if process is None:
                continue
            if process.poll() is None:
                process.terminate()
            try:
                process.wait(20)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()
        self.log.close()
        self.folder.cleanup()

    def output(self):
        self.log.flush()
        with open(self.log.name) as log:
            return log.read()

    def stacks(self):
        """Where each thread is, by a debugger when there is one to ask; else what the kernel says of the threads."""
        pid = str(self.process.pid)
        for command in (["gdb", "-p", pid, "-batch", "-ex", "thread apply all bt 40"], ["eu-stack", "-n", "40", "-p", pid]):
            if shutil.which(command[0]):
                told = subprocess.run(command, capture_output=True, text=True).stdout
                if told.strip():  # nothing where it may not look at the process
                    return told[-8000:]
        threads = []
        for task in glob.glob(f"/proc/{pid}/task/*"):
            try:
                with open(task + "/comm") as name, open(task + "/stat") as stat, open(task + "/wchan") as where:
                    threads.append(f"{name.read().strip()} {stat.read().rsplit(')', 1)[1].split()[0]} {where.read()}")
            except OSError:  # it has ended
                pass
        return "\n".join(threads)

    def what_it_shows(self):
        """For who wonders why it does not answer: whether it draws, what it knows of the mouse, and where its window is."""
        before = self.marks()
        time.sleep(1)
        after = self.marks()
        return (f"{after['frame'] - before['frame']} frames in a second; the mouse to it: {after['mouse']}, its size: {after['size']}, "
                f"busy: {after['busy']}\n" + self.xdotool("getwindowgeometry", self.window, "getmouselocation").stdout)

    def xdotool(self, *arguments):
        return subprocess.run([XDOTOOL, *map(str, arguments)], env=self.environment, capture_output=True, text=True)

    def set_layout(self, layout):
        """The keyboard's, as a user changes it. xdotool's keys are then what is typed, its numbers are places."""
        subprocess.run(["setxkbmap", layout], env=self.environment, check=True)

    def find_window(self):
        assert self.process.poll() is None, f"the program ended with {self.process.returncode}:\n{self.output()}"
        found = self.xdotool("search", "--onlyvisible", "--name", "Convoscope").stdout.split()
        return found[0] if found else None

    def wait_for(self, condition, what, seconds=90):
        """Its value, once it is true. Long limits cost nothing, and a machine that does other things too may need them."""
        end = time.monotonic() + seconds
        while True:
            value = condition()
            if value:
                return value
            assert self.process.poll() is None, f"the program ended with {self.process.returncode}:\n{self.output()}"
            assert time.monotonic() < end, f"waited {seconds} s for {what}; the program said:\n{self.output()}\n{self.stacks()}"
            time.sleep(0.1)

    def marks(self):
        """What the last frame drew: {"frame", "busy", "mouse", "size", "wants_text", "marks": [{"id", "seen", …}], "faults"}."""
        def read():
            try:
                with open(self.marks_file, "rb") as file:
                    text = file.read()
                if text != self.marks_text:  # who waits looks often at the same frame
                    self.marks_read, self.marks_text = json.loads(text), text
                return self.marks_read
            except (FileNotFoundError, json.JSONDecodeError, UnicodeDecodeError):
                return None
        return self.wait_for(read, "the first frame")

    def frames(self, count=3, what="the next frames"):
        """Waits until so many more are drawn: what was done before is seen then. An idle window, which draws nothing, is nudged."""
        first, nudged = self.marks()["frame"], time.monotonic()

        def drawn():
            nonlocal nudged
            if self.marks()["frame"] >= first + count:
                return True
            if time.monotonic() - nudged > 0.5:
                self.xdotool("key", "Shift_L")  # means nothing by itself
                nudged = time.monotonic()
            return False
        self.wait_for(drawn, what)

    def mark(self, id, seconds=90):
        """Where the middle of the control of this name is, once it is drawn in sight and lies still."""
        last = None

        def find():
            nonlocal last
            state = self.marks()
            seen = [mark["seen"] for mark in state["marks"] if mark["id"] == id and not mark["hidden"]]
            if not seen:
                last = None
            elif last and last[0] == seen[0] and state["frame"] > last[1]:
                return seen[0]
            else:
                last = seen[0], state["frame"]
                self.frames(2)
            return None
        x0, y0, x1, y1 = self.wait_for(find, f"the control {id}", seconds)
        return int((x0 + x1) / 2), int((y0 + y1) / 2)

    def drawn(self, id):
        return any(mark["id"] == id for mark in self.marks()["marks"])

    def steady(self, area=(), share=0):
        """The picture of a paused source at rest: what was asked for is done, and it looks the same twice."""
        last = None

        def look():
            nonlocal last
            self.frames(3)
            if self.marks()["busy"]:
                return None
            before, last = last, self.look()
            return last if before and last.changed(before, *area) <= share else None
        return self.wait_for(look, "the picture to come to rest", 120)

    def enter(self, text, field="the text field"):
        """Types into the field that is opening, in place of what it holds, and presses Enter."""
        self.frames(3)
        self.wait_for(lambda: self.marks()["wants_text"], field + " to take the keyboard")
        self.key("ctrl+a")
        self.type(text)
        self.key("Return")

    def click_mark(self, id, button=1):
        self.click(*self.mark(id), button)

    def key(self, *keys):
        """Presses one after another, each long enough for a frame of a software renderer to see it held."""
        for key in keys:
            *modifiers, last = key.split("+")
            for modifier in modifiers:
                self.xdotool("keydown", modifier)
            self.xdotool("keydown", last)
            time.sleep(0.3)
            for held in [last, *reversed(modifiers)]:
                self.xdotool("keyup", held)
            time.sleep(0.15)

    def type(self, text):
        self.xdotool("type", "--delay", "30", "--", text)
        time.sleep(0.2)

    def click(self, x, y, button=1):
        self.xdotool("mousemove", x, y)
        time.sleep(0.15)
        self.xdotool("mousedown", button)
        time.sleep(0.15)
        self.xdotool("mouseup", button)
        time.sleep(0.2)

    def drag(self, x0, y0, x1, y1, button=1):
        self.xdotool("mousemove", x0, y0, "mousedown", button)
        time.sleep(0.2)
        for step in range(1, 6):
            self.xdotool("mousemove", x0 + (x1 - x0) * step // 5, y0 + (y1 - y0) * step // 5)
            time.sleep(0.1)
        self.xdotool("mouseup", button)
        time.sleep(0.2)

    def look(self):
        """What is on the screen now."""
        grabbed = subprocess.run(
            [FFMPEG, "-loglevel", "error", "-f", "x11grab", "-draw_mouse", "0", "-video_size", f"{self.width}x{self.height}", "-i",
             self.display, "-frames:v", "1", "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
            env=self.environment, capture_output=True)
        assert grabbed.returncode == 0, grabbed.stderr.decode()
        return Picture(grabbed.stdout, self.width, self.height)
