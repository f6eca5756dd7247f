#include "app/media/ffmpeg/hardware_codecs.h"

#include <dlfcn.h>

#include <new>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/nvdec.h"
#include "app/media/write/encoder.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// FFmpeg's wrappers of NVDEC's own interface ask the GPU for the codec when they open; its other way, which playback
// takes, asks only when there is a picture to decode.
std::string why_not_decoded(const char* wrapper, AVBufferRef* device) {
  const AVCodec* const codec = avcodec_find_decoder_by_name(wrapper);
  if (!codec) return "not in this FFmpeg";
  const Owned<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (!context) throw std::bad_alloc();
  context->hw_device_ctx = av_buffer_ref(device);
  context->width = 640;
  context->height = 480;
  const int status = avcodec_open2(context.get(), codec, nullptr);
  return status < 0 ? "this GPU or its driver has no such decoder" : "";
}

TriedCodec try_encoder(const char* name, RecordingCodec codec, bool on_gpu) {
  RecordingSettings settings;
  settings.width = 640;
  settings.height = 480;
  settings.codec = codec;
  settings.prefer_nvenc = on_gpu;
  try {
    const std::string chosen = open_encoder(settings, false).text;
    const bool hardware = chosen.find("_nvenc") < chosen.find(' ');
    return {name, hardware == on_gpu ? "" : "this GPU or its driver has no such encoder"};
  } catch (const Error& error) {
    return {name, error.what()};
  }
}

}  // namespace

std::vector<TriedCodec> try_nvdec(int cuda_device) {
  struct Wrapper {
    const char *title, *name;
  };
  constexpr Wrapper wrappers[] = {{"H.264", "h264_cuvid"},
                                  {"HEVC", "hevc_cuvid"},
                                  {"VP9", "vp9_cuvid"},
                                  {"AV1", "av1_cuvid"},
                                  {"MJPEG", "mjpeg_cuvid"}};
  prepare_ffmpeg();
  std::string problem;
  const Owned<AVBufferRef> device = make_cuda_device(cuda_device, problem);
  std::vector<TriedCodec> tried;
  for (const Wrapper& wrapper : wrappers)
    tried.push_back({wrapper.title, device ? why_not_decoded(wrapper.name, device.get()) : problem});
  return tried;
}

std::vector<TriedCodec> try_nvenc(int cuda_device) {
  prepare_ffmpeg();
  std::string problem;
  if (!make_cuda_device(cuda_device, problem)) return {{"H.264", problem}, {"HEVC", problem}};
  return {try_encoder("H.264", RecordingCodec::h264, true), try_encoder("HEVC", RecordingCodec::hevc, true)};
}

void ask_for_nvenc() {
  prepare_ffmpeg();
  try_encoder("H.264", RecordingCodec::h264, true);
}

std::vector<TriedCodec> try_software_encoders() {
  prepare_ffmpeg();
  return {try_encoder("H.264", RecordingCodec::h264, false), try_encoder("HEVC", RecordingCodec::hevc, false),
          try_encoder("FFV1", RecordingCodec::ffv1, false)};
}

std::string ffmpeg_version() {
  Dl_info found{};
  const bool known = dladdr(reinterpret_cast<void*>(&avcodec_version), &found) != 0 && found.dli_fname;
  return std::string(av_version_info()) + (known ? ", in " + std::string(found.dli_fname) : "");
}

}  // namespace convoscope
