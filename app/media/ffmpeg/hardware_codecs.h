#pragma once
// Which decoders and encoders this machine has, by opening each.
#include <string>
#include <vector>

namespace convoscope {

struct TriedCodec {
  std::string name;     // "H.264"
  std::string problem;  // part of a sentence; empty: it opens
};

// NVDEC's, on this CUDA device.
std::vector<TriedCodec> try_nvdec(int cuda_device);
// NVENC's, of a recording; FFmpeg takes the first GPU that has one.
std::vector<TriedCodec> try_nvenc(int cuda_device);
// Those that a recording falls back to.
std::vector<TriedCodec> try_software_encoders();
// Any thread: open_encoder(), which remembers the answer, need not ask for H.264 then. Asking costs half a second.
void ask_for_nvenc();

std::string ffmpeg_version();  // "5.1.8, in /usr/lib/x86_64-linux-gnu/libavcodec.so.59"

}  // namespace convoscope
