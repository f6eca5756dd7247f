"""Starts the program and ends it at random moments: it always leaves, with the right code, at once.

    ends_test.py PROGRAM [--count 40] [--seed 1] [--backend cpu --backend emulated] [--limit 2]

Needs nothing but Python, also on a machine with a GPU: ends_test.py build/release/convoscope --count 200 --backend cuda.
Runs are `filter` and `--offscreen`, and a window where DISPLAY is set, in the strategies that compile or plan in the
background; half of them are sent a signal. --limit: seconds from the signal, or from the last result, to the end.
"""
import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

STRATEGIES = {
    "cpu": ["auto", "auto", "cpu-separable", "cpu-parallel"],
    "emulated": ["auto", "auto", "separable", "constant"],
    "cuda": ["auto", "auto", "specialised", "specialised", "fft", "low-rank", "im2col-gemm", "cudnn"],
}
SIGNALS = [signal.SIGINT, signal.SIGTERM, signal.SIGHUP]
HANGS = 180  # seconds that no run takes, on whatever machine


def write_clip(path, frames, width=64, height=48):
    picture = b"FRAME\n" + bytes(i % 251 for i in range(width * height * 3 // 2))
    with open(path, "wb") as clip:
        clip.write(b"YUV4MPEG2 W%d H%d F25:1 Ip A1:1 C420jpeg\n" % (width, height) + picture * frames)


def caught(pid, number):
    """Whether the process has a handler for the signal; without one it dies of it, as any program does."""
    with open(f"/proc/{pid}/status") as status:
        mask = next(int(line.split()[1], 16) for line in status if line.startswith("SigCgt"))
    return bool(mask >> (number - 1) & 1)


class Run:
    def __init__(self, rng, program, backends, folder):
        self.backend = rng.choice(backends)
        self.strategy = rng.choice(STRATEGIES[self.backend])
        ways = ["filter", "offscreen", "record"] + (["window"] if "DISPLAY" in os.environ else [])
        self.way = rng.choice(ways)
        self.number = rng.choice(SIGNALS) if rng.random() < 0.5 or self.way == "window" else None
        self.delay = rng.uniform(0, 1.5)
        radius = rng.randint(1, 6)
        common = ["--backend", self.backend, "--strategy", self.strategy, "--filter", f"gaussian:radius={radius}"]
        clip = os.path.join(folder, "long.y4m" if self.number else "short.y4m")
        self.result = os.path.join(folder, "stats.json")
        if self.way == "filter":
            self.command = [program, "filter", clip, "-", *common]
        else:
            self.command = [program, clip, *common, "--stats", self.result]
            if self.way != "window":
                self.command += ["--offscreen", "--frames", str(10**6 if self.number else rng.randint(1, 30))]
            if self.way == "record":
                self.command += ["--record", os.path.join(folder, "recording.mkv")]
        self.folder = folder

    def __str__(self):
        what = f"{signal.Signals(self.number).name} after {self.delay:.2f} s" if self.number else "to its end"
        return f"{' '.join(self.command)}  ({what})"

    def go(self):
        """(what is wrong or None, seconds it took to end)"""
        for name in ("stats.json", "recording.mkv"):
            if os.path.exists(os.path.join(self.folder, name)):
                os.remove(os.path.join(self.folder, name))
        environment = dict(os.environ, ASAN_OPTIONS="detect_leaks=0",
                           **{f"XDG_{kind}_HOME": os.path.join(self.folder, kind) for kind in ("CONFIG", "CACHE", "STATE")})
        with open(os.path.join(self.folder, "log"), "w+b") as log:
            process = subprocess.Popen(self.command, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=log,
                                       env=environment, cwd=self.folder)
            try:
                allowed, asked = {0}, None
                if self.number:
                    time.sleep(self.delay)
                    if process.poll() is None:
                        allowed = {128 + self.number, 0} if caught(process.pid, self.number) else {
                            -self.number, 128 + self.number}
                        process.send_signal(self.number)
                        asked = time.time()
                process.wait(HANGS)
            except subprocess.TimeoutExpired:
                return f"did not end within {HANGS} s", HANGS
            finally:
                if process.poll() is None:
                    process.kill()
                    process.wait()
            ended = time.time()
            log.seek(0)
            said = log.read().decode(errors="replace")
        if asked is None and os.path.exists(self.result):
            asked = os.path.getmtime(self.result)
        code = process.returncode
        if code not in allowed:
            return f"code {code} instead of {sorted(allowed)}; it said:\n{said}", 0
        return None, ended - asked if asked else 0


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("program")
    arguments.add_argument("--count", type=int, default=40)
    arguments.add_argument("--seed", type=int, default=1)
    arguments.add_argument("--backend", action="append", choices=STRATEGIES)
    arguments.add_argument("--limit", type=float, default=2, help="seconds that an end may take")
    a = arguments.parse_args()
    rng = random.Random(a.seed)
    slowest, codes, wrong = 0.0, 0, 0
    with tempfile.TemporaryDirectory() as folder:
        write_clip(os.path.join(folder, "long.y4m"), 20000)
        write_clip(os.path.join(folder, "short.y4m"), 30)
        for i in range(a.count):
            run = Run(rng, os.path.abspath(a.program), a.backend or ["cpu", "emulated"], folder)
            problem, seconds = run.go()
            if not problem and seconds > a.limit:
                problem = f"took {seconds:.2f} s to end"
            if problem:
                wrong += 1
                print(f"{i}: {run}\n   {problem}", flush=True)
            slowest = max(slowest, seconds)
    print(f"{a.count} ends, {wrong} wrong; the slowest took {slowest:.2f} s")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
