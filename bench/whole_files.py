"""Whole files through `convoscope filter`: the CPU, the GPU and `auto` beside ffmpeg's decoding and encoding, in one run.

    whole_files.py build/release/convoscope                        # what `make speed` prints: 1,000 frames of 1920×1080
    whole_files.py NEW --old OLD --size 3840x2160 1920x1080 --frames 10 100 480 --encode --repeat 3

The clips are made with ffmpeg (in --folder, kept there). Each line is the median of --repeat runs; "start" is what the program
says of itself, and is part of "wall". Exit code 1: the GPU is slower than the CPU on a clip of 1,000 frames or more.
"""
import argparse
import os
import re
import statistics
import subprocess
import sys
import tempfile
import time

FILTER = "gaussian:radius=4"
ENCODER = "-c:v libx264 -preset veryfast -crf 18 -bf 0 -rc-lookahead 10 -g 30"


def run(command, output=subprocess.DEVNULL):
    start = time.monotonic()
    done = subprocess.run(command, stdin=subprocess.DEVNULL, stdout=output, stderr=subprocess.PIPE, text=True)
    if done.returncode:
        sys.exit(f"{' '.join(command)} failed ({done.returncode}): {done.stderr.strip()[-600:]}")
    return time.monotonic() - start, done.stderr


def make_clip(ffmpeg, folder, size, frames):
    """A moving test picture with noise, as H.264 with B-frames: about as hard to decode as a film."""
    path = os.path.join(folder, f"{size}-{frames}.mp4")
    if not os.path.exists(path):
        run([ffmpeg, "-v", "error", "-y", "-f", "lavfi", "-i", f"testsrc2=s={size}:r=30,noise=alls=6:allf=t", "-frames:v", str(frames),
             "-c:v", "libx264", "-preset", "veryfast", "-crf", "23", "-g", "60", "-bf", "2", "-pix_fmt", "yuv420p",
             "-colorspace", "bt709", "-color_range", "tv", path])
    return path


class Table:
    def __init__(self, repeat):
        self.repeat = repeat
        print(f"{'':42} {'wall s':>8} {'start s':>8} {'then s':>8} {'frames/s':>9} {'x ffmpeg':>9}  set the pace")

    def add(self, name, command, frames, beside=None):
        """Median wall and running time; `beside`: the running time that it is compared with."""
        walls, starts, thens, said = [], [], [], ""
        for _ in range(self.repeat):
            wall, err = run(command)
            told = re.search(r" in ([\d.]+) s(?: \(and ([\d.]+) s to start\))?: ", err)
            walls.append(wall)
            starts.append(float(told[2] or 0) if told else 0)
            thens.append(float(told[1]) if told else wall)
            pace = re.search(r"(\w+) set the pace", err)
            said = (pace[1] if pace else "") + (" (few frames: the cores)" if "So few" in err else "")
        wall, start, then = (statistics.median(each) for each in (walls, starts, thens))
        factor = f"{then / beside:9.2f}" if beside else f"{'':9}"
        print(f"{name:42} {wall:8.2f} {start:8.2f} {then:8.2f} {frames / then:9.0f} {factor}  {said}", flush=True)
        return wall, then


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("program")
    parser.add_argument("--old", help="another build, beside it")
    parser.add_argument("--size", nargs="+", default=["1920x1080"])
    parser.add_argument("--frames", nargs="+", type=int, default=[1000])
    parser.add_argument("--encode", action="store_true", help="into .mp4 as well")
    parser.add_argument("--repeat", type=int, default=3)
    parser.add_argument("--ffmpeg", default="ffmpeg")
    parser.add_argument("--folder", default=os.path.join(tempfile.gettempdir(), "convoscope-clips"))
    parser.add_argument("--backends", nargs="+", default=["cpu", "cuda", "auto"])
    options = parser.parse_args()
    os.makedirs(options.folder, exist_ok=True)
    why = subprocess.run([options.program, "bench", "--file", "/dev/null", "--backend", "cuda"], capture_output=True, text=True)
    backends = options.backends
    if "/dev/null" not in why.stderr:
        print(f"Skipped: the GPU. {why.stderr.strip()}")
        backends = [each for each in backends if each == "cpu"]
    slower = []
    for size in options.size:
        for frames in options.frames:
            clip = make_clip(options.ffmpeg, options.folder, size, frames)
            for encode in (False, True) if options.encode else (False,):
                print(f"\n{frames} frames of {size}, {FILTER}, to {'.mp4' if encode else 'y4m that nobody reads'}")
                out = os.path.join(options.folder, "out.mp4") if encode else "-"
                table = Table(options.repeat)
                arguments = ENCODER.split() + ["-y", out] if encode else ["-f", "yuv4mpegpipe", "-"]
                _, beside = table.add("ffmpeg, nothing filtered", [options.ffmpeg, "-v", "error", "-i", clip, *arguments], frames)
                seen = {}
                for which, program in (("old", options.old), ("new", options.program)):
                    for backend in backends if program else []:
                        choice = [] if backend == "auto" else ["--backend", backend]
                        command = [program, "filter", clip, out, "--filter", FILTER, *choice]
                        seen[which, backend] = table.add(f"{which}, {backend}", command, frames, beside)
                if frames >= 1000 and ("new", "cuda") in seen:
                    ratio = seen["new", "cpu"][1] / seen["new", "cuda"][1]
                    print(f"GPU : CPU = {ratio:.2f}")
                    if ratio < 1:
                        slower.append(f"{size}, {frames} frames{', encoded' if encode else ''}: {ratio:.2f}")
    if slower:
        sys.exit("The GPU is slower than the CPU: " + "; ".join(slower))


if __name__ == "__main__":
    main()
