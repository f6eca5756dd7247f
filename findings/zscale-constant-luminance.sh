#!/bin/sh
# zscale (zimg) of FFmpeg 7.0.2 reads BT.2020 with constant luminance, and goes from there to red, green and blue of the same
# transfer characteristic: what has no colour at all, Y = 123 of 255, comes out as 141, where Y is all of red, green and
# blue alike. It decodes by the camera's curve and encodes by the inverse of the display's, 1/2.4; agamma=false changes
# nothing. Luma that is not constant keeps its 123.
# Installs a public package in a temporary folder. Fails where any of this has changed.
set -eu
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
python3 -m venv "$folder/venv"
"$folder/venv/bin/pip" install --quiet --disable-pip-version-check imageio-ffmpeg==0.6.0
"$folder/venv/bin/python" - <<'PYTHON'
import subprocess

import imageio_ffmpeg

ffmpeg = imageio_ffmpeg.get_ffmpeg_exe()
version = subprocess.run([ffmpeg, "-version"], capture_output=True, text=True).stdout.split()[2]
print("FFmpeg", version)
assert version.startswith("7.0.2")

def grey_through(matrix, more=""):
    """Red, green and blue of a picture in YUV whose samples are 123, 128 and 128, full range."""
    chain = (f"zscale=min={matrix}:rin=full:pin=2020:tin=2020_10:p=2020:t=2020_10:m=gbr:r=full:d=none{more},"
             "format=gbrp")
    picture = bytes([123]) * 4096 + bytes([128]) * 8192
    out = subprocess.run([ffmpeg, "-v", "error", "-f", "rawvideo", "-pix_fmt", "yuv444p", "-s", "64x64", "-i", "-",
                          "-vf", chain, "-f", "rawvideo", "-pix_fmt", "rgb24", "-"],
                         input=picture, capture_output=True, check=True).stdout
    return tuple(out[:3])

code = 123 / 255
light = ((code + 0.0993) / 1.0993) ** (1 / 0.45)
print("by the camera's curve and back by the display's:", round(255 * light ** (1 / 2.4), 1))
for matrix, more in (("2020_ncl", ""), ("2020_cl", ""), ("2020_cl", ":agamma=false")):
    print(matrix, more, grey_through(matrix, more))
assert grey_through("2020_ncl") == (123, 123, 123)
assert grey_through("2020_cl") == grey_through("2020_cl", ":agamma=false") == (141, 141, 141)
PYTHON
