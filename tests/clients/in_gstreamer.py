"""What GStreamer makes of a file, as JSON: it runs in the Python that has gi (Debian: python3-gi, gir1.2-gst-plugins-base-1.0)."""
import array
import json
import sys

import gi

gi.require_version("Gst", "1.0")
gi.require_version("GstApp", "1.0")
gi.require_version("GstPbutils", "1.0")
from gi.repository import Gst, GstApp, GstPbutils  # noqa: E402, F401 (GstApp gives appsinks their methods)

Gst.init(None)
LOUD, BRIGHT = 0.1, 200
QUEUE = "queue max-size-time=0 max-size-buffers=0 max-size-bytes=0"


def samples_of(pipeline, sinks):
    """Of both sinks, as they come, until both have ended."""
    open_sinks = dict(sinks)
    while open_sinks:
        for name, sink in list(open_sinks.items()):
            sample = sink.try_pull_sample(50 * Gst.MSECOND)
            if sample:
                yield name, sample
            elif sink.get_property("eos"):
                del open_sinks[name]
            elif error := pipeline.get_bus().pop_filtered(Gst.MessageType.ERROR):
                raise RuntimeError(error.parse_error().gerror.message)


def play(path, sound):
    info = GstPbutils.Discoverer.new(20 * Gst.SECOND).discover_uri("file://" + path)
    if info.get_audio_streams() == []:
        sound = False
    line = (f'filesrc location="{path}" ! decodebin name=d  d. ! {QUEUE} ! videoconvert ! video/x-raw,format=RGB ! '
            "appsink name=v sync=false ")
    if sound:
        line += f"d. ! {QUEUE} ! audioconvert ! audio/x-raw,format=F32LE,channels=1 ! appsink name=a sync=false"
    pipeline = Gst.parse_launch(line)
    sinks = {name: pipeline.get_by_name(name) for name in ("v", "a") if pipeline.get_by_name(name)}
    pipeline.set_state(Gst.State.PLAYING)
    result = {"seconds": info.get_duration() / Gst.SECOND, "frames": 0}
    heard = 0.0  # seconds, counted in samples from the first one's time on, as a sound card does
    for name, sample in samples_of(pipeline, sinks):
        buffer, structure = sample.get_buffer(), sample.get_caps().get_structure(0)
        time = sample.get_segment().to_running_time(Gst.Format.TIME, buffer.pts)
        seconds = None if time == Gst.CLOCK_TIME_NONE else time / Gst.SECOND
        data = buffer.extract_dup(0, buffer.get_size())
        if name == "v":
            width, height = structure.get_value("width"), structure.get_value("height")
            at = len(data) // height * (height // 2) + 3 * (width // 2)
            pixel = list(data[at:at + 3])
            result.setdefault("rgb", pixel)
            result.setdefault("begin", seconds)
            if min(pixel) > BRIGHT:
                result.setdefault("flash", seconds)
            result["frames"] += 1
            continue
        rate, values = structure.get_value("rate"), array.array("f", data)
        if heard == 0 and seconds:
            heard = seconds
        if "click" not in result:
            found = next((i for i, value in enumerate(values) if abs(value) > LOUD), None)
            if found is not None:
                result["click"] = heard + found / rate
        heard += len(values) / rate
    pipeline.set_state(Gst.State.NULL)
    return result


try:
    print(json.dumps(play(sys.argv[1], sys.argv[2] == "sound")))
except Exception as problem:  # told in the table
    print(json.dumps({"problem": str(problem)[:120]}))
