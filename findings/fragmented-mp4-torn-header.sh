#!/bin/sh
# A fragmented mp4 whose writing stopped, as on a full disk, may end within the header (moof) of its last fragment. FFmpeg
# 7.0.2 then refuses the whole file for most lengths of what is there (524 of 675, from 40 bytes on), though every
# earlier fragment is whole; for the others it plays all of those. So a file is to be cut at its last whole fragment
# before it is called playable. Installs a public package in a temporary folder. Fails where any of this has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check imageio-ffmpeg==0.6.0
cd "$folder"
"$folder/venv/bin/python" - <<'PYTHON'
import re
import subprocess

import imageio_ffmpeg

ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
version = subprocess.run([ffmpeg, "-version"], capture_output=True, text=True).stdout.split()[2]
print("FFmpeg", version)
assert version.startswith("7.0.2")
subprocess.run([ffmpeg, "-v", "error", "-f", "lavfi", "-i", "testsrc2=s=64x48:r=10", "-f", "lavfi", "-i", "sine", "-t", "3",
                "-c:v", "libx264", "-g", "10", "-c:a", "aac", "-movflags", "frag_keyframe+empty_moov+default_base_moof",
                "clip.mp4"], check=True)
clip = open("clip.mp4", "rb").read()
begin = [at.start() - 4 for at in re.finditer(b"moof", clip)][-1]
length = int.from_bytes(clip[begin:begin + 4], "big")


def frames(size):
    """Pictures that are decoded of the first `size` bytes; None: the file is refused."""
    open("torn.mp4", "wb").write(clip[:size])
    done = subprocess.run([ffmpeg, "-v", "error", "-stats", "-i", "torn.mp4", "-map", "0:v", "-f", "null", "-"],
                          capture_output=True, text=True)
    told = re.findall(r"frame=\s*(\d+)", done.stderr)
    return int(told[-1]) if told else None


before = frames(begin)
torn = {size: frames(begin + size) for size in range(1, length)}
refused = [size for size, count in torn.items() if count is None]
print(f"without the last fragment: {before} pictures")
print(f"with 1 to {length - 1} bytes of its header of {length}: refused at {len(refused)} lengths, from {refused[0]} on;",
      f"{sum(count == before for count in torn.values())} play {before} pictures")
assert before and before >= 19
assert 0 < len(refused) < length - 1
assert all(count in (None, before) for count in torn.values())
PYTHON
