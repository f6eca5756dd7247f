"""Starts the program and ends it at random moments: it always leaves, with the right code, at once.

    ends_test.py PROGRAM [--count 40] [--seed 1] [--backend cpu --backend emulated] [--limit 2]

Needs nothing but Python, also on a machine with a GPU: ends_test.py build/release/convoscope --count 200 --backend cuda.
Runs are `filter`, `--offscreen` with and without a recording, and a window where DISPLAY is set or Xvfb is installed; with
strategies that compile or plan in the background, alone, nine at a time, and on the other workbenches; half of them are
sent a signal.

--limit: seconds from the signal, or from the last result, to the end. What a machine is slow at comes on top, since a
signal may come while the program still starts: how long a run of one picture takes from its start to its end, with nothing
in the background. It is measured first, anew where a run took too long, and told.
"""
import argparse
import os
import random
import shutil
import signal
import subprocess
import sys
import tempfile
import threading
import time

from desktop import Desktop

STRATEGIES = {
    "cpu": ["auto", "auto", "cpu-separable", "cpu-parallel"],
    "emulated": ["auto", "auto", "separable", "constant"],
    "cuda": ["auto", "auto", "specialised", "specialised", "fft", "low-rank", "im2col-gemm", "cudnn"],
}
WAYS = ["filter", "offscreen", "record", "filter", "window", "offscreen", "record"]  # windows take long to open
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
WINDOW = "480x320"  # what is drawn without a GPU ends no later for being small, but starts sooner
HANGS = 180  # seconds that no run takes, on whatever machine


def write_clip(path, frames, width=64, height=48):
    picture = b"FRAME\n" + bytes(i % 251 for i in range(width * height * 3 // 2))
    with open(path, "wb") as clip:
        clip.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height) + picture * frames)


def caught(pid, number):
    """Whether the process waits for the signal, which it then has blocked; else it dies of it, as any program does."""
    with open(f"/proc/{pid}/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith("SigBlk"))
    return bool(mask >> (number - 1) & 1)


def state(pid):
    try:
        with open(f"/proc/{pid}/stat") as stat:
            return stat.read().rpartition(")")[2].split()[0]
    except FileNotFoundError:  # it had ended before the signal, and Popen has seen that
        return "X"


def interrupt(process, number):
    """The codes that it may end with. The program is held still meanwhile: it has ended before the signal, or it has not."""
    process.send_signal(signal.SIGSTOP)
    while state(process.pid) not in "TZX":
        time.sleep(0.001)
    if state(process.pid) != "T":
        return {0}, None
    allowed = {128 + number if caught(process.pid, number) else -number}
    process.send_signal(number)
    process.send_signal(signal.SIGCONT)
    return allowed, time.time()


class Run:
    """One start of the program; `command`: what follows its name."""

    def __init__(self, world, way, command, number=None, delay=0.0):
        self.world, self.way, self.number, self.delay = world, way, number, delay
        self.stats = os.path.join(world.folder, "stats.json")
        self.command = [world.program, *command]
        if way != "filter":
            self.command += ["--stats", self.stats]
        if way in ("offscreen", "record"):
            self.command += ["--offscreen"]
        if way == "record":
            self.command += ["--record", os.path.join(world.folder, "recording.mkv")]

    def __str__(self):
        what = f"{signal.Signals(self.number).name} after {self.delay:.2f} s" if self.number else "to its end"
        return f"{' '.join(self.command)}  ({what})"

    def go(self):
        """(what is wrong or None, seconds it took to end)"""
        for name in ("stats.json", "recording.mkv", "recording.part.mkv"):
            if os.path.exists(os.path.join(self.world.folder, name)):
                os.remove(os.path.join(self.world.folder, name))
        with open(os.path.join(self.world.folder, "log"), "w+b") as log:
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=log,
                                       env=self.world.environment(self.way), cwd=self.world.folder)
            written = [None]

            def read():
                while os.read(process.stdout.fileno(), 1 << 20):
                    written[0] = time.time()
            reader = threading.Thread(target=read)
            reader.start()
            allowed, asked = {0}, None
            try:
                if self.number:
                    time.sleep(self.delay)
                    allowed, asked = interrupt(process, self.number)
                process.wait(HANGS)
            except subprocess.TimeoutExpired:
                return f"did not end within {HANGS} s", HANGS
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
                reader.join()
                process.stdout.close()
            ended = time.time()
            log.seek(0)
            said = log.read().decode(errors="replace")
        code = process.returncode
        if code not in allowed:
            return f"code {code} instead of {sorted(allowed)}; it said:\n{said}", 0
        if asked is None:
            asked = written[0] if self.way == "filter" else os.path.getmtime(self.stats) if os.path.exists(self.stats) else None
        if asked is None:
            return f"it left no result; it said:\n{said}", 0
        return None, max(ended - asked, 0)


class World:
    """Where runs happen, and how slow it is."""

    def __init__(self, program, folder, display, software):
        self.program, self.folder, self.display, self.software = os.path.abspath(program), folder, display, software
        self.whole = {}  # by way: seconds from start to end with one picture
        write_clip(self.clip("long"), 20000)
        write_clip(self.clip("short"), 30)
        write_clip(self.clip("one"), 1)

    def clip(self, name):
        return os.path.join(self.folder, name + ".y4m")

    def environment(self, way):
        kept = {name: value for name, value in os.environ.items() if name not in ("DISPLAY", "WAYLAND_DISPLAY")}
        if way == "window":
            kept.update(DISPLAY=self.display, **({"LIBGL_ALWAYS_SOFTWARE": "1"} if self.software else {}))
        return dict(kept, ASAN_OPTIONS="detect_leaks=0",
                    **{f"XDG_{kind}_HOME": os.path.join(self.folder, kind) for kind in ("CONFIG", "CACHE", "STATE")})

    def measure(self, way):
        plain = ["--backend", "cpu", "--strategy", "cpu-direct", "--filter", "identity"]
        command = ["filter", self.clip("one"), "-", *plain] if way == "filter" else [
            self.clip("one"), *plain, "--frames", "1", "--window", WINDOW]
        begin = time.time()
        problem, _ = Run(self, way, command).go()
        assert not problem, f"a run of one picture: {problem}"
        self.whole[way] = max(time.time() - begin, self.whole.get(way, 0))
        load = os.getloadavg()[0]
        print(f"{way}: one picture takes {self.whole[way]:.2f} s from start to end, with a load of {load:.1f} on "
              f"{os.cpu_count()} cores", flush=True)

    def random_run(self, rng, way, backend):
        strategy = rng.choice(STRATEGIES[backend])
        number = rng.choice(SIGNALS) if rng.random() < 0.5 or way == "window" else None
        work = "picture" if way == "filter" else rng.choice(["picture", "picture", "nine", "time", "layer"])
        command = ["filter"] if way == "filter" else []
        command += [self.clip("long" if number else "short"), *(["-"] if way == "filter" else []), "--backend", backend]
        blur = f"gaussian:radius={rng.randint(1, 6)}"
        if work == "picture":
            command += ["--strategy", strategy, "--filter", blur]
        elif work == "nine":  # a plan each
            command += ["--compare", ",".join(f"auto@gaussian:radius={radius}" for radius in range(1, 10)), "--view", "grid"]
        else:
            command += ["--workbench", work, "--strategy", "auto", *(["--maps", "4"] if work == "layer" else [])]
        if way != "filter":
            command += ["--window", WINDOW]
        if way in ("offscreen", "record"):
            command += ["--frames", str(10**6 if number else rng.randint(1, 30 if work == "picture" else 3))]
        return Run(self, way, command, number, rng.uniform(0, min(1.5 + self.whole[way], 8)))  # while it starts, and after


def test(world, a):
    rng, slowest, wrong, signals = random.Random(a.seed), 0.0, 0, 0
    ways = [way for way in WAYS if way != "window" or world.display]
    for way in sorted(set(ways)):
        world.measure(way)
    for i in range(a.count):
        run = world.random_run(rng, ways[i % len(ways)], rng.choice(a.backend or ["cpu", "emulated"]))
        problem, seconds = run.go()
        if not problem and seconds > a.limit + world.whole[run.way]:
            world.measure(run.way)
            if seconds > a.limit + world.whole[run.way]:
                problem = f"took {seconds:.2f} s to end, of {a.limit + world.whole[run.way]:.2f} s"
        if problem:
            wrong += 1
            print(f"{i}: {run}\n   {problem}", flush=True)
        elif a.verbose:
            print(f"{i}: {seconds:.2f} s  {run}", flush=True)
        slowest = max(slowest, seconds)
        signals += run.number is not None
    print(f"{a.count} ends ({signals} by a signal; {', '.join(sorted(set(ways)))}), {wrong} wrong; the slowest took {slowest:.2f} s")
    return 1 if wrong else 0


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--backend", action="append", choices=STRATEGIES)
    arguments.add_argument("--limit", type=float, default=2, help="seconds that an end may take, and what a start takes here")
    arguments.add_argument("--verbose", action="store_true", help="tell of each run")
    a = arguments.parse_args()
    server = None
    with tempfile.TemporaryDirectory() as folder:
        try:
            display = os.environ.get("DISPLAY")
            if not display and shutil.which("Xvfb"):
                server = Desktop(a.program)
                server.start_server()
                display = server.display
            return test(World(a.program, folder, display, server is not None), a)
        finally:
            if server:
                server.server.terminate()
                server.server.wait()


if __name__ == "__main__":
    sys.exit(main())
