#!/usr/bin/env python3
"""Every kind of file that the program writes, opened by other programs: how long it is, how many pictures it has, their
colours, and whether its sound is in step. Prints the table of docs/formats.md; 1 where something is off. Not part of
the tests: it takes what is installed of ffprobe, GStreamer, mpv, mediainfo and Chromium, and of the Python packages cv2
and av.

    tests/clients/clients.py build/release/convoscope [--keep FOLDER]
"""
import argparse
import array
import functools
import http.server
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import threading

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "window"))

# A flash and a tone at the same time, on one colour, behind and before which both are off.
SECONDS, RATE, COLOUR, AT = 3, 30, (200, 80, 40), 1.0
FRAMES = SECONDS * RATE
LOUD, BRIGHT, SOUND_RATE = 0.1, 200, 48000
MOST_COLOUR, MOST_STEP = 6, 0.02  # code values; seconds, half of what a listener may notice
LONGEST = 40  # seconds for a program with a file

HOME = tempfile.mkdtemp(prefix="convoscope-clients-home-")
ENVIRONMENT = dict(os.environ, XDG_CONFIG_HOME=HOME, XDG_STATE_HOME=HOME, ASAN_OPTIONS="detect_leaks=0")


def run(*command, **options):
    done = subprocess.run([str(part) for part in command], capture_output=True, timeout=LONGEST, env=ENVIRONMENT, **options)
    if done.returncode:
        raise RuntimeError(f"{command[0]}: {done.stderr.decode(errors='replace').strip().splitlines()[-1:]}")
    return done.stdout


def ffmpeg(*arguments):
    return run("ffmpeg", "-nostdin", "-v", "error", "-y", *arguments)


# What is opened -----------------------------------------------------------------------------------------------------

def make_source(path, sound, size="320x240"):
    colour, during = "0x%02x%02x%02x" % COLOUR, f"between(t,{AT},{AT + 0.3 - 1e-3})"
    ffmpeg("-f", "lavfi", "-i", f"color={colour}:size={size}:rate={RATE}:duration={SECONDS},format=gbrp,"
           f"drawbox=color=white:t=fill:enable='{during}',scale=out_color_matrix=bt709,format=yuv420p",
           "-f", "lavfi", "-i", f"aevalsrc='0.8*sin(2*PI*1000*t)*{during}':s={SOUND_RATE}:d={SECONDS}",
           "-c:v", "libx264", "-crf", "8", "-colorspace", "bt709", "-color_primaries", "bt709", "-color_trc", "bt709",
           "-c:a", sound, path)


def animation_in(folders, ending):
    return next((os.path.join(where, name) for folder in folders for where, _, names in os.walk(folder) for name in names
                 if name.endswith(ending)), None)


def animations(program, folder, source):
    """GIF and WebP of the last seconds come from the window only."""
    from desktop import Desktop
    for kind in ("gif", "webp"):
        session = os.path.join(folder, kind + ".json")
        with open(session, "w") as file:
            json.dump({"panes": [], "recording": {"keep_last_seconds": True, "animation": kind}}, file)
        with Desktop(program, source, "--backend", "cpu", "--session", session, "--filter", "identity",
                     environment={"HOME": HOME}) as desktop:
            desktop.frames(40)
            desktop.key("ctrl+g")
            found = functools.partial(animation_in, (desktop.folder.name, HOME), "." + kind)
            shutil.copy(desktop.wait_for(found, "the " + kind), os.path.join(folder, "last-seconds." + kind))
        os.remove(session)


def make_outputs(program, folder):
    """Files by what they are, and what is known of each: the sound that was copied, and whether times are known."""
    aac, mp3, opus, tall = (os.path.join(folder, name) for name in ("aac.mp4", "mp3.mp4", "opus.mkv", "tall.mp4"))
    for path, codec in ((aac, "aac"), (mp3, "libmp3lame"), (opus, "libopus")):
        make_source(path, codec)
    make_source(tall, "aac", "1280x720")
    files = {}

    def add(kind, name, *command):
        path = os.path.join(folder, name)
        run(program, *command, *([path] if command[0] == "filter" else []), "--filter", "identity", "--backend", "cpu")
        files[kind] = path

    for ending in ("mp4", "mov", "mkv"):
        add(f".{ending}, AAC copied", "aac-out." + ending, "filter", aac)
        add(f".{ending}, MP3 copied", "mp3-out." + ending, "filter", mp3)
    for ending in ("mp4", "mkv"):
        add(f".{ending}, Opus copied", "opus-out." + ending, "filter", opus)
        path = os.path.join(folder, "recorded." + ending)
        add(f".{ending}, recorded", "recorded." + ending, aac, "--offscreen", "--record", path)
    add(".y4m", "out.y4m", "filter", aac)
    add(".y4m, 720 lines", "tall.y4m", "filter", tall)
    still = os.path.join(folder, "still.png")
    ffmpeg("-i", aac, "-frames:v", "1", still)
    add(".png", "out.png", "filter", still)
    shot, stats = os.path.join(folder, "shot.png"), os.path.join(folder, "stats.json")
    run(program, aac, "--offscreen", "--frames", "3", "--filter", "identity", "--backend", "cpu", "--screenshot", shot,
        "--stats", stats)
    files["screenshot"], files[".json"] = shot, stats
    if shutil.which("Xvfb") and shutil.which("xdotool"):
        animations(program, folder, aac)
        for kind in ("gif", "webp"):
            files["." + kind] = os.path.join(folder, "last-seconds." + kind)
    return files


# What opens it: each returns some of seconds, frames, rgb, begin, flash, click -----------------------------------------

def pixel(data, width, height):
    at = 3 * (width * (height // 2) + width // 2)
    return list(data[at:at + 3])


def click_in(samples, rate=SOUND_RATE):
    return next((i / rate for i, value in enumerate(samples) if abs(value) > LOUD), None)


def in_ffmpeg(path, sound):
    """ffprobe, and ffmpeg for what is seen and heard."""
    probe = json.loads(run("ffprobe", "-v", "error", "-count_frames", "-show_streams", "-show_format", "-of", "json", path))
    video = next(stream for stream in probe["streams"] if stream["codec_type"] == "video")
    result = {"frames": int(video["nb_read_frames"])}
    if "duration" in probe["format"]:
        result["seconds"] = float(probe["format"]["duration"])
    size = video["width"], video["height"]
    pictures = ffmpeg("-i", path, "-map", "0:v", "-vsync", "passthrough", "-f", "rawvideo", "-pix_fmt", "rgb24", "-")
    times = [float(line.strip(",")) for line in run("ffprobe", "-v", "error", "-select_streams", "v", "-show_entries",
             "frame=best_effort_timestamp_time", "-of", "csv=p=0", path).decode().split() if re.match(r"[\d.]", line)]
    bytes_each = 3 * size[0] * size[1]
    colours = [pixel(pictures[i:i + bytes_each], *size) for i in range(0, len(pictures), bytes_each)]
    result["rgb"] = colours[0]
    if len(times) == len(colours) > 1:
        result["begin"] = times[0]
        result["flash"] = next((time for time, rgb in zip(times, colours) if min(rgb) > BRIGHT), None)
    if sound:
        samples = array.array("f", ffmpeg("-copyts", "-i", path, "-map", "0:a", "-af", "aresample=async=1:first_pts=0", "-ac", "1",
                                          "-ar", SOUND_RATE, "-f", "f32le", "-"))
        result["click"] = click_in(samples)
    return result


def in_gstreamer(path, sound):
    return json.loads(run("/usr/bin/python3", os.path.join(HERE, "in_gstreamer.py"), path, "sound" if sound else "silent"))


def in_mpv(path, sound):
    folder = tempfile.mkdtemp(dir=HOME)
    run("mpv", "--no-config", "--ao=null", "--vo=image", "--vo-image-format=png", "--vo-image-outdir=" + folder,
        "--frames=1", "--no-audio", "--scale=nearest", path)
    first = sorted(os.listdir(folder))[0]
    size = [int(n) for n in run("ffprobe", "-v", "error", "-show_entries", "stream=width,height", "-of", "csv=p=0",
                                os.path.join(folder, first)).decode().strip().strip(",").split(",")[:2]]
    result = {"rgb": pixel(ffmpeg("-i", os.path.join(folder, first), "-f", "rawvideo", "-pix_fmt", "rgb24", "-"), *size)}
    said = run("mpv", "--no-config", "--ao=null", "--vo=null", "--frames=1", "--no-audio",
               "--term-playing-msg=LENGTH ${=duration} COUNT ${=estimated-frame-count}", path).decode()
    if found := re.search(r"LENGTH ([\d.]+)", said):
        result["seconds"] = float(found.group(1))
    if found := re.search(r"COUNT (\d+)", said):
        result["frames"] = int(found.group(1))
    if sound:
        heard = os.path.join(folder, "heard.wav")
        run("mpv", "--no-config", "--ao=pcm", "--ao-pcm-file=" + heard, "--vo=null", path)
        samples = array.array("f", ffmpeg("-i", heard, "-ac", "1", "-ar", SOUND_RATE, "-f", "f32le", "-"))
        result.update(begin=0.0, flash=AT, click=click_in(samples))  # it begins both together
    return result


def in_opencv(path, _):
    import cv2
    capture = cv2.VideoCapture(path)
    result = {"frames": int(capture.get(cv2.CAP_PROP_FRAME_COUNT))}
    if rate := capture.get(cv2.CAP_PROP_FPS):
        result["seconds"] = result["frames"] / rate
    read, first = capture.read()
    if not read:
        raise RuntimeError("reads no picture")
    result["rgb"] = [int(value) for value in first[first.shape[0] // 2, first.shape[1] // 2][::-1]]
    return result


def in_pyav(path, _):
    import av
    with av.open(path) as container:
        video = container.streams.video[0]
        result = {"frames": video.frames} if video.frames else {}  # Matroska does not say it
        if container.duration:
            result["seconds"] = container.duration / av.time_base
        first = next(container.decode(video)).to_ndarray(format="rgb24")
        result["rgb"] = [int(value) for value in first[first.shape[0] // 2, first.shape[1] // 2]]
        return result


def in_mediainfo(path, _):
    tracks = json.loads(run("mediainfo", "--Output=JSON", path))["media"]["track"]
    video = next((track for track in tracks if track["@type"] in ("Video", "Image")), None)
    if not video:
        raise RuntimeError("sees no picture")
    result = {}
    if "FrameCount" in video:
        result["frames"] = int(video["FrameCount"])
    if "Duration" in tracks[0]:
        result["seconds"] = float(tracks[0]["Duration"])
    return result


PAGE = """<body><script>
const done = result => fetch('/result', {method: 'POST', body: JSON.stringify(result)});
const element = document.createElement(MOVING ? 'video' : 'img'), result = {};
const see = (width, height) => {
  const canvas = document.createElement('canvas');
  canvas.width = width; canvas.height = height;
  const context = canvas.getContext('2d');
  context.drawImage(element, 0, 0);
  return [...context.getImageData(width >> 1, height >> 1, 1, 1).data].slice(0, 3);
};
const hear = async () => {
  const data = await (await fetch('FILE')).arrayBuffer();
  const sound = await new OfflineAudioContext(1, 48000, 48000).decodeAudioData(data);
  result.click = sound.getChannelData(0).findIndex(value => Math.abs(value) > 0.1) / sound.sampleRate;
  result.begin = 0; result.flash = 1;
};
element.onerror = () => done({problem: 'cannot play it'});
element.onload = () => done({rgb: see(element.naturalWidth, element.naturalHeight)});
element.onloadeddata = async () => {
  result.seconds = element.duration;
  // Until one is presented, what is drawn may be black; and a headless page presents only what plays.
  const presented = new Promise(go => element.requestVideoFrameCallback(go));
  element.play();
  await presented;
  result.rgb = see(element.videoWidth, element.videoHeight);
  if (SOUND) await hear().catch(problem => { result.problem = String(problem); });
  done(result);
};
element.muted = true; element.preload = 'auto'; element.src = 'FILE'; document.body.append(element);
</script>"""


def in_chromium(path, sound, program):
    folder, name = os.path.split(path)
    moving = name.endswith(("mp4", "mov", "mkv"))
    page = PAGE.replace("MOVING", str(moving).lower()).replace("SOUND", str(sound).lower()).replace("FILE", name)

    answer, answered = [], threading.Event()

    class Handler(http.server.SimpleHTTPRequestHandler):
        def do_GET(self):
            if self.path != "/page":
                return super().do_GET()
            self.send_response(200)
            self.send_header("Content-Type", "text/html")
            self.end_headers()
            self.wfile.write(page.encode())

        def do_POST(self):
            answer.append(self.rfile.read(int(self.headers["Content-Length"])))
            self.send_response(204)
            self.end_headers()
            answered.set()

        def log_message(self, *_):
            pass

    class Server(http.server.ThreadingHTTPServer):
        def handle_error(self, *_):  # Chromium leaves half way where it has seen enough
            pass

    server = Server(("127.0.0.1", 0), functools.partial(Handler, directory=folder))
    threading.Thread(target=server.serve_forever, daemon=True).start()
    # The page says when it is done. Chromium's own clock for headless pages (--virtual-time-budget) runs ahead while
    # decoders, which it does not know of, are at work, so that it would end before they answer.
    browser = subprocess.Popen([program, "--headless", "--no-sandbox", "--disable-gpu", "--remote-debugging-port=0",
                                "--user-data-dir=" + os.path.join(HOME, "chromium"), f"http://127.0.0.1:{server.server_port}/page"],
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=ENVIRONMENT)
    try:
        answered.wait(LONGEST)
    finally:
        browser.terminate()
        browser.wait(LONGEST)
        server.shutdown()
    if not answer:
        raise RuntimeError("gives no answer")
    return json.loads(answer[0])


def clients():
    found = {"FFmpeg": in_ffmpeg} if shutil.which("ffprobe") else {}
    if subprocess.run(["/usr/bin/python3", "-c", "import gi; gi.require_version('Gst', '1.0')"], capture_output=True,
                      check=False).returncode == 0:
        found["GStreamer"] = in_gstreamer
    for name, one, program in (("mpv", in_mpv, "mpv"), ("mediainfo", in_mediainfo, "mediainfo")):
        if shutil.which(program):
            found[name] = one
    for name, one, module in (("OpenCV", in_opencv, "cv2"), ("PyAV", in_pyav, "av")):
        if importlib.util.find_spec(module):
            found[name] = one
    if chromium := shutil.which("chromium") or shutil.which("google-chrome"):
        found["Chromium"] = functools.partial(in_chromium, program=chromium)
    return found


# What is said of it ---------------------------------------------------------------------------------------------------

def cell(kind, result):
    """Its text, and whether all is as it should be."""
    if "problem" in result:
        return result["problem"], False
    moving = kind not in (".png", "screenshot", ".json")
    animation = kind in (".gif", ".webp")
    parts, good = [], True

    def part(text, right):
        nonlocal good
        good = good and right
        parts.append(text if right else f"**{text}**")

    if moving and not animation:
        if result.get("seconds") is not None:
            part(f"{result['seconds']:.3f} s", abs(result["seconds"] - SECONDS) < 1 / RATE + 0.005)
        if result.get("frames") is not None:
            part(str(result["frames"]), result["frames"] == FRAMES)
    elif animation and result.get("frames") is not None:
        part(f"{result['frames']} pictures", result["frames"] > 1)
    if "rgb" in result and kind != "screenshot":
        worst = max(abs(is_ - was) for is_, was in zip(result["rgb"], COLOUR))
        part("colours" if worst <= MOST_COLOUR else f"{worst} off", worst <= MOST_COLOUR)
    if result.get("click") is not None and result.get("flash") is not None:
        step = result["click"] - result["flash"]
        part(f"{1000 * step:+.0f} ms", abs(step) < MOST_STEP)
    return ", ".join(parts) or "opens", good


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("program")
    parser.add_argument("--keep", help="a folder for the files, which stay there")
    arguments = parser.parse_args()
    folder = os.path.abspath(arguments.keep or tempfile.mkdtemp(prefix="convoscope-clients-"))
    os.makedirs(folder, exist_ok=True)
    files, programs, off = make_outputs(os.path.abspath(arguments.program), folder), clients(), []
    print("| file | " + " | ".join(programs) + " |\n| --- |" + " --- |" * len(programs))
    for kind, path in files.items():
        cells = []
        for name, opens in programs.items():
            if kind == ".json":
                cells.append("")
                continue
            try:
                text, good = cell(kind, opens(path, "copied" in kind or "recorded" in kind))
            except Exception as problem:  # one program's failure is one cell of the table
                text, good = str(problem)[:80].replace("|", "/"), False
            cells.append(text)
            if not good:
                off.append(f"{kind} in {name}: {text}")
        if kind == ".json":
            json.load(open(path))
            cells[0] = "Python's json reads it"
        print(f"| {kind} | " + " | ".join(cells) + " |", flush=True)
    for one in off:
        print("off: " + one, file=sys.stderr)
    shutil.rmtree(HOME, ignore_errors=True)
    if not arguments.keep:
        shutil.rmtree(folder, ignore_errors=True)
    return 1 if off else 0


if __name__ == "__main__":
    sys.exit(main())
