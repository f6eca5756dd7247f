#pragma once
// The encoder of a recording, chosen from what this machine has.
#include <string>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/write/recorder.h"

namespace convoscope {

constexpr AVRational recording_time_base{1, 60000};  // every usual rate in whole units; mpeg4 allows no finer one

struct ChosenEncoder {
  Owned<AVCodecContext> context;
  std::string text;  // its name, and why a better one was passed over
};

// Opened for pictures of this size. `soon`: each picture comes out within about a fifth of a second, whatever the rate,
// which makes files 1 % larger. Throws Error when the machine has no encoder that fits. May take a second.
ChosenEncoder open_encoder(const RecordingSettings&, bool global_header, bool soon = false);

// x264's and x265's preset for pictures that come by the clock; `cores` share the work. Slower ones make smaller files.
const char* preset_for(RecordingCodec, double pixels_a_second, int cores);

// What the encoder takes, in its pixel format, BT.709 limited unless it is RGB.
Owned<SwsContext> make_recording_scaler(const AVCodecContext&);
// From rgba to limited range of the colour space, an SWS_CS_ number.
Owned<SwsContext> make_recording_scaler(int width, int height, AVPixelFormat, int colour_space);

}  // namespace convoscope
