#include "app/media/write/encoder.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <mutex>
#include <thread>
#include <vector>

#include "app/media/ffmpeg/chroma_place.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

struct Candidate {
  const char* name;
  AVPixelFormat format;
  std::vector<std::pair<const char*, std::string>> options;
};

// What an encoder is told for small, good and best: the lower, the more detail is kept.
const char* level(RecordingQuality quality, const char* small, const char* good, const char* best) {
  return quality == RecordingQuality::small ? small : quality == RecordingQuality::best ? best : good;
}

constexpr int longest_look_ahead = 10;   // pictures
constexpr double soon_look_ahead = 0.2;  // seconds

// Without B-frames and with a short look-ahead, so that pictures reach the file soon: what a killed program loses.
int look_ahead(const RecordingSettings& settings, bool soon) {
  if (!soon) return longest_look_ahead;
  return static_cast<int>(std::clamp(std::round(settings.rate * soon_look_ahead), 1.0, 1.0 * longest_look_ahead));
}

Candidate nvenc(const char* name, RecordingQuality quality) {
  return {name,
          AV_PIX_FMT_YUV420P,
          {{"preset", "p4"}, {"rc", "vbr"}, {"cq", level(quality, "28", "20", "14")}, {"bf", "0"}}};
}
Candidate x264(const char* preset, RecordingQuality quality, int ahead) {
  return {"libx264",
          AV_PIX_FMT_YUV420P,
          {{"preset", preset},
           {"crf", level(quality, "26", "18", "12")},
           {"bf", "0"},
           {"rc-lookahead", std::to_string(ahead)}}};
}
Candidate x265(const char* preset, RecordingQuality quality, int ahead, bool soon) {
  return {"libx265",
          AV_PIX_FMT_YUV420P,
          {{"preset", preset},
           {"crf", level(quality, "28", "20", "14")},
           {"x265-params",
            "bframes=0:log-level=none:rc-lookahead=" + std::to_string(ahead) + (soon ? ":frame-threads=1" : "")}}};
}
Candidate mpeg4(RecordingQuality quality) {
  return {"mpeg4", AV_PIX_FMT_YUV420P, {{"bf", "0"}, {"qmin", "2"}, {"qmax", level(quality, "12", "6", "3")}}};
}
// FFmpeg's encoder mistakes where slices are, 4 × 4 here, if they are a pixel wide or high, and decoders then show
// other pixels. Level 1 has no slices.
constexpr int least_side_for_slices = 16;
Candidate ffv1(int width, int height) {
  Candidate out = {"ffv1", AV_PIX_FMT_BGR0, {{"coder", "1"}, {"g", "1"}}};
  if (std::min(width, height) < least_side_for_slices)
    out.options.emplace_back("level", "1");
  else
    out.options.insert(out.options.end(), {{"level", "3"}, {"slices", "16"}, {"slicecrc", "1"}});
  return out;
}

// The best first.
std::vector<Candidate> candidates(const RecordingSettings& settings, bool soon) {
  const RecordingCodec codec = settings.codec;
  if (codec == RecordingCodec::ffv1) return {ffv1(settings.width, settings.height)};
  const bool hevc = codec == RecordingCodec::hevc;
  const RecordingQuality quality = settings.quality;
  const double load = settings.live ? 1.0 * settings.width * settings.height * settings.rate : 0;
  const char* preset = preset_for(codec, load, static_cast<int>(std::thread::hardware_concurrency()));
  std::vector<Candidate> list;
  if (settings.prefer_nvenc) list.push_back(nvenc(hevc ? "hevc_nvenc" : "h264_nvenc", quality));
  const int ahead = look_ahead(settings, soon);
  list.push_back(hevc ? x265(preset, quality, ahead, soon) : x264(preset, quality, ahead));
  if (!hevc) list.push_back(mpeg4(quality));
  return list;
}

// Why an encoder could not be opened, remembered: asking a driver again costs up to a second.
std::string& known_problem(const std::string& name) {
  static std::map<std::string, std::string> problems;
  return problems[name];
}
std::mutex known_problems_mutex;
std::mutex asking_mutex;  // who comes while another asks waits for the answer

Owned<AVCodecContext> try_to_open(const Candidate& candidate, const RecordingSettings& settings, bool global_header,
                                  bool soon, std::string& problem) {
  const AVCodec* codec = avcodec_find_encoder_by_name(candidate.name);
  if (!codec) {
    problem = "not in this FFmpeg";
    return {};
  }
  const bool hardware = std::string(candidate.name).ends_with("_nvenc");
  std::unique_lock asking(asking_mutex, std::defer_lock);
  if (hardware) {
    asking.lock();
    const std::lock_guard lock(known_problems_mutex);
    if (problem = known_problem(candidate.name); !problem.empty()) return {};
  }
  Owned<AVCodecContext> context(avcodec_alloc_context3(codec));
  if (!context) throw std::bad_alloc();
  const bool halved = candidate.format == AV_PIX_FMT_YUV420P;
  context->width = halved ? (settings.width + 1) / 2 * 2 : settings.width;
  context->height = halved ? (settings.height + 1) / 2 * 2 : settings.height;
  context->pix_fmt = candidate.format;
  context->time_base = {settings.tick_numerator, settings.tick_denominator};
  context->framerate = av_d2q(settings.rate, 60000);
  context->gop_size = std::max(1, static_cast<int>(std::lround(settings.rate)));
  context->sample_aspect_ratio = {settings.pixel_aspect_width, settings.pixel_aspect_height};
  context->thread_count = ffmpeg_threads(16);
  if (soon) context->thread_type = FF_THREAD_SLICE;  // threads that share a picture; else each holds one back
  if (halved) {
    context->colorspace = AVCOL_SPC_BT709;
    context->color_primaries = AVCOL_PRI_BT709;
    context->color_trc = AVCOL_TRC_BT709;
    context->color_range = AVCOL_RANGE_MPEG;
    context->chroma_sample_location = AVCHROMA_LOC_LEFT;
  }
  if (global_header) context->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (candidate.name == std::string("mpeg4")) {
    context->flags |= AV_CODEC_FLAG_QSCALE;
    const int scale = settings.quality == RecordingQuality::small  ? 9
                      : settings.quality == RecordingQuality::good ? 3
                                                                   : 2;
    context->global_quality = scale * FF_QP2LAMBDA;
  }
  AVDictionary* options = nullptr;
  for (const auto& [name, value] : candidate.options) av_dict_set(&options, name, value.c_str(), 0);
  const int status = avcodec_open2(context.get(), codec, &options);
  av_dict_free(&options);
  if (!hardware) check_threads(status);
  if (status < 0) {
    problem = hardware ? "this GPU or its driver has no such encoder" : ffmpeg_text(status);
    const std::lock_guard lock(known_problems_mutex);
    if (hardware) known_problem(candidate.name) = problem;
    return {};
  }
  return context;
}

}  // namespace

// Measured on server cores: veryfast takes about 6 million pixels a second of each core, superfast 12 with detail to
// spare. The rest of the program needs cores too.
const char* preset_for(RecordingCodec codec, double pixels_a_second, int cores) {
  const double load = pixels_a_second / std::max(cores, 1);
  if (codec == RecordingCodec::hevc) return load > 1.5e6 ? "ultrafast" : load > 0.7e6 ? "superfast" : "veryfast";
  return load > 12e6 ? "ultrafast" : load > 6e6 ? "superfast" : "veryfast";
}

ChosenEncoder open_encoder(const RecordingSettings& settings, bool global_header, bool soon) {
  std::string passed_over;
  for (const Candidate& candidate : candidates(settings, soon)) {
    std::string problem;
    if (Owned<AVCodecContext> context = try_to_open(candidate, settings, global_header, soon, problem)) {
      std::string text = candidate.name;
      for (const auto& [name, value] : candidate.options)
        if (name == std::string("preset") && !text.ends_with("_nvenc")) text += " " + value;
      return {std::move(context), text + (passed_over.empty() ? "" : " (" + passed_over + ")")};
    }
    passed_over += (passed_over.empty() ? "" : "; ") + std::string(candidate.name) + ": " + problem;
  }
  if (passed_over.starts_with("ffv1"))
    throw Error("FFV1 cannot keep pictures of " + std::to_string(settings.width) + " × " +
                std::to_string(settings.height) + " pixels (" + passed_over +
                "). Choose another codec than lossless FFV1, or write to a .y4m file, which keeps any size.");
  throw Error("No encoder can record pictures of " + std::to_string(settings.width) + " × " +
              std::to_string(settings.height) + " pixels here (" + passed_over + "). " +
              (settings.codec == RecordingCodec::hevc ? "Choose H.264, or install FFmpeg with libx265."
                                                      : "Install FFmpeg with libx264, or choose another size."));
}

Owned<SwsContext> make_recording_scaler(const AVCodecContext& encoder) {
  return make_recording_scaler(encoder.width, encoder.height, encoder.pix_fmt, SWS_CS_ITU709);
}

Owned<SwsContext> make_recording_scaler(int width, int height, AVPixelFormat format, int colour_space) {
  Owned<SwsContext> scaler(sws_alloc_context());
  if (!scaler) throw std::bad_alloc();
  const auto set = [&](const char* name, std::int64_t value) { av_opt_set_int(scaler.get(), name, value, 0); };
  set("srcw", width), set("srch", height), set("src_format", AV_PIX_FMT_RGBA);
  set("dstw", width), set("dsth", height), set("dst_format", format);
  set("sws_flags", SWS_BILINEAR | SWS_FULL_CHR_H_INP | SWS_ACCURATE_RND);
  set("threads", ffmpeg_threads(4));
  place_chroma(*scaler, "dst", format, ChromaSite::left);
  const int status = sws_init_context(scaler.get(), nullptr, nullptr);
  check_threads(status);
  if (status < 0) throw Error("Pictures of this size cannot be converted for recording. Choose a smaller size.");
  const int* matrix = sws_getCoefficients(colour_space);
  sws_setColorspaceDetails(scaler.get(), matrix, 1, matrix, 0, 0, 1 << 16, 1 << 16);
  return scaler;
}

}  // namespace convoscope
