"""Whether the sound of a clip is heard with its picture: a flash and a beep every second, recorded from the screen and from a sound
server of the test's own, with what a person does about sound."""
import array
import json
import os
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

from desktop import Desktop, ffmpeg

RATE = 8000
SECONDS, LOUDNESS_SECONDS = 4, 2.2  # three beeps at least, and two
SKIPPED = 77


class SoundServer:
    """PulseAudio with a sink that nobody hears but a recorder; a context manager."""

    def __enter__(self):
        self.folder = tempfile.TemporaryDirectory()
        # Anybody's default is ALSA's, and that is this server.
        with open(os.path.join(self.folder.name, ".asoundrc"), "w") as chosen:
            chosen.write("pcm.!default { type pulse }\nctl.!default { type pulse }\n")
        self.environment = {"HOME": self.folder.name, "XDG_RUNTIME_DIR": self.folder.name,
                            "PULSE_RUNTIME_PATH": self.folder.name}
        self.process = subprocess.Popen(
            ["pulseaudio", "-n", "--exit-idle-time=-1", "--use-pid-file=no", "-L", "module-null-sink sink_name=test rate=48000", "-L",
             "module-native-protocol-unix"], env={**os.environ, **self.environment}, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        for _ in range(100):
            if os.path.exists(os.path.join(self.folder.name, "native")):
                return self
            time.sleep(0.1)
        self.__exit__()
        raise AssertionError("the sound server did not start")

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait(10)
        self.folder.cleanup()


def begins(values, times, level, rest):
    """When the values rise above the level, after as long a rest."""
    found, last = [], -1e9
    for value, at in zip(values, times):
        if value > level:
            if at - last > rest:
                found.append(at)
            last = at
    return found


def record(desktop, server):
    """When flashes and beeps begin, on one clock."""
    path = os.path.join(server.folder.name, "heard.mkv")
    subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-y", "-f", "x11grab", "-framerate", "50", "-video_size",
                    f"{desktop.width}x{desktop.height}", "-i", desktop.display, "-f", "pulse", "-i", "test.monitor", "-t", str(SECONDS),
                    "-c:v", "ffv1", "-c:a", "pcm_s16le", path], env={**os.environ, **server.environment}, check=True)

    def times(kind):
        told = subprocess.run(["ffprobe", "-loglevel", "error", "-of", "json", "-select_streams", kind, "-show_entries",
                               "packet=pts_time", path], capture_output=True, check=True).stdout
        return [float(packet["pts_time"]) for packet in json.loads(told)["packets"]]
    x, y = desktop.width // 2 - 8, desktop.height // 2 - 8
    grey = ffmpeg("-i", path, "-an", "-fps_mode", "passthrough", "-vf", f"crop=16:16:{x}:{y},scale=1:1,format=gray", "-f", "rawvideo", "-")
    sound = array.array("h", ffmpeg("-i", path, "-vn", "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"))
    first = times("a")[0]
    beeps = begins(map(abs, sound), (first + i / RATE for i in range(len(sound))), 3000, 0.3)
    return begins(grey, times("v"), 128, 0.3), beeps


def loudest(server):
    """Of the samples of some beeps, once what was on its way is over."""
    time.sleep(0.5)
    heard = subprocess.run(["ffmpeg", "-nostdin", "-loglevel", "error", "-f", "pulse", "-i", "test.monitor", "-t", str(LOUDNESS_SECONDS),
                            "-ac", "1", "-ar", str(RATE), "-f", "s16le", "-"], env={**os.environ, **server.environment}, check=True,
                           capture_output=True).stdout
    return max(map(abs, array.array("h", heard)), default=0)


def in_step(desktop, server, speed=1.0):
    """Busy machines show and sound late now and then: three times have to be wrong."""
    seen = []
    for _ in range(3):
        flashes, beeps = record(desktop, server)
        apart = [min((beep - flash for beep in beeps), key=abs) for flash in flashes] if beeps else []
        steps = [after - before for before, after in zip(beeps, beeps[1:])]
        seen.append((flashes, beeps))
        # The recorder hears some 0.15 s before it sees, with any player.
        if len(apart) >= 2 and -0.35 < statistics.median(apart) < 0.1 and steps and \
                abs(statistics.median(steps) - 1 / speed) < 0.04:
            return
    raise AssertionError(f"not in step: {seen}")


def filtered(desktop, server):
    """By hand: beeps of 1 kHz go in a low-pass of 300 Hz, stay in a band-pass, in step, and come back without a filter."""
    for panel in ("F3", "F4", "F5"):
        desktop.key(panel)
    desktop.key("F10")
    loud = loudest(server)
    desktop.click_mark("sound-filtered")
    desktop.click_mark("sound-kind")
    desktop.click_mark("sound-kind/low-pass")
    desktop.key("ctrl+shift+m")
    desktop.mark("sound-card")
    x, y = desktop.mark("sound/cutoff")
    desktop.drag(x, y, x - 25, y)  # to some 200 Hz
    time.sleep(1)
    low = loudest(server)
    assert low < loud / 8, f"a low-pass leaves {low} of {loud}"
    desktop.click_mark("sound-kind")
    desktop.click_mark("sound-kind/band-pass")
    time.sleep(1)
    in_step(desktop, server)
    band = loudest(server)
    assert band > loud / 2, f"a band-pass leaves {band} of {loud}"
    desktop.key("ctrl+m")
    desktop.key("ctrl+shift+m")
    time.sleep(1)
    in_step(desktop, server)


def main():
    program = sys.argv[1]
    if not shutil.which("pulseaudio"):
        print("PulseAudio is not installed, so nothing is heard here: skipped.")
        sys.exit(SKIPPED)
    with tempfile.TemporaryDirectory() as folder, SoundServer() as server:
        clip = os.path.join(folder, "beep.mkv")
        ffmpeg("-f", "lavfi", "-i", "color=black:size=320x240:rate=25:duration=60,"
               "drawbox=color=white:t=fill:enable='lt(mod(t,1),0.12)'", "-f", "lavfi", "-i",
               "aevalsrc='0.8*sin(2*PI*1000*t)*lt(mod(t,1),0.12)':s=44100:d=60", "-c:v", "mjpeg", "-c:a", "flac", clip)
        with Desktop(program, clip, "--window", "640x480", "--filter", "identity", "--strategy", "cpu-parallel",
                     environment=server.environment, size=(640, 480)) as desktop:
            desktop.frames(20)
            in_step(desktop, server)
            desktop.key("shift+m")
            assert loudest(server) < 100, "heard though it is off"
            desktop.key("shift+m")
            desktop.key("shift+Right", "shift+Right")  # seconds, so the beeps stay where they are
            in_step(desktop, server)
            loud = loudest(server)
            for _ in range(5):
                desktop.key("shift+Down")
            quiet = loudest(server)
            assert 0.4 < quiet / loud < 0.6, f"half as loud: {quiet} of {loud}"
            desktop.key("space")
            desktop.frames(3)
            assert loudest(server) < 100, "heard in a pause"
            desktop.key("space")
            in_step(desktop, server)
            filtered(desktop, server)
            server.process.terminate()  # the server ends, and the picture goes on
            server.process.wait(10)
            before = desktop.marks()["frame"]
            desktop.frames(30)
            assert desktop.marks()["frame"] > before
            desktop.key("ctrl+q")
            assert desktop.process.wait(10) == 0, desktop.output()

        # No sound card at all; and a machine that does not even have ALSA's configuration.
        for more in ({}, {"ALSA_CONFIG_PATH": os.path.join(folder, "missing.conf")}):
            with Desktop(program, clip, "--strategy", "cpu-parallel",
                         environment={"HOME": folder, "XDG_RUNTIME_DIR": folder,
                                      "PULSE_SERVER": "unix:" + os.path.join(folder, "none"), **more}) as desktop:
                desktop.frames(5)
                time.sleep(1)
                desktop.click_mark("sound")
                desktop.wait_for(lambda: "No sound card was found." in desktop.output(), "the reason")
                desktop.key("ctrl+shift+m")  # it is seen all the same
                desktop.mark("sound-card")
                for noise in ("ALSA", "jack", "Jack"):
                    assert noise not in desktop.output(), desktop.output()
                desktop.key("ctrl+q")
                assert desktop.process.wait(10) == 0, desktop.output()


if __name__ == "__main__":
    main()
