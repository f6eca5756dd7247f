#pragma once
// Pictures of grey and of RGB whose samples lie in another way than VideoFormat can say, or are none of 8 bits: sample
// by sample, since swscale takes deep grey with alpha for limited range and many others through YUV.
#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

// Whether unpack_samples() reads them: grey and RGB, packed or in planes, of any depth and byte order, with or without
// alpha, numbers of 32 bits (0 … 1) too; no palettes, no Bayer patterns, no bits that lie across bytes.
bool has_unpackable_samples(const AVPixFmtDescriptor&);

// What unpack_samples() makes of it: gray16le or gbrp16le, or with alpha rgba.
AVPixelFormat unpacked_format(const AVPixFmtDescriptor&);

// In full range. `out` has the frame's size and unpacked_format(), and its memory. `limited`: grey is of limited range.
void unpack_samples(const AVFrame&, const AVPixFmtDescriptor&, bool limited, AVFrame& out);

}  // namespace convoscope
