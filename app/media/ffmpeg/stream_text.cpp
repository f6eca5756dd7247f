#include "app/media/ffmpeg/stream_text.h"

#include <cmath>
#include <cstdio>

namespace convoscope {
namespace {

std::string codec_name(const AVCodecParameters& parameters) {
  std::string name = avcodec_get_name(parameters.codec_id);
  switch (parameters.codec_id) {
    case AV_CODEC_ID_H264:
      name = "H.264";
      break;
    case AV_CODEC_ID_HEVC:
      name = "HEVC";
      break;
    case AV_CODEC_ID_VP8:
      name = "VP8";
      break;
    case AV_CODEC_ID_VP9:
      name = "VP9";
      break;
    case AV_CODEC_ID_AV1:
      name = "AV1";
      break;
    case AV_CODEC_ID_MJPEG:
      name = "MJPEG";
      break;
    case AV_CODEC_ID_PRORES:
      name = "ProRes";
      break;
    case AV_CODEC_ID_FFV1:
      name = "FFV1";
      break;
    case AV_CODEC_ID_GIF:
      name = "GIF";
      break;
    case AV_CODEC_ID_PNG:
      name = "PNG";
      break;
    case AV_CODEC_ID_TIFF:
      name = "TIFF";
      break;
    case AV_CODEC_ID_WEBP:
      name = "WebP";
      break;
    case AV_CODEC_ID_EXR:
      name = "OpenEXR";
      break;
    case AV_CODEC_ID_PSD:
      name = "Photoshop";
      break;
    case AV_CODEC_ID_NONE:  // FFmpeg 5.1 has no number for it
      name = "Radiance";
      break;
    default:
      break;
  }
  const char* profile = avcodec_profile_name(parameters.codec_id, parameters.profile);
  return profile ? name + " " + profile : name;
}

std::string colour_text(const AVCodecParameters& parameters) {
  std::string text;
  const int space = number_of(parameters.color_space);
  if (space >= 0 && space < AVCOL_SPC_NB && space != AVCOL_SPC_UNSPECIFIED)
    if (const char* name = av_color_space_name(static_cast<AVColorSpace>(space))) text = name;
  if (number_of(parameters.color_range) == AVCOL_RANGE_MPEG) text += text.empty() ? "limited" : " limited";
  if (number_of(parameters.color_range) == AVCOL_RANGE_JPEG) text += text.empty() ? "full" : " full";
  return text;
}

// The seconds of Matroska's per-stream tag "00:01:02.500000000"; 0 when there is none.
double tagged_duration(const AVStream& stream) {
  const AVDictionaryEntry* tag = av_dict_get(stream.metadata, "DURATION", nullptr, 0);
  int hours = 0, minutes = 0;
  double seconds = 0;
  if (!tag || std::sscanf(tag->value, "%d:%d:%lf", &hours, &minutes, &seconds) != 3) return 0;
  return hours * 3600 + minutes * 60 + seconds;
}

}  // namespace

SourceStats describe_stream(const Demuxer& demuxer, const std::string& decoder, const PictureFacts& facts) {
  const AVStream& stream = demuxer.stream();
  const AVCodecParameters& parameters = *stream.codecpar;
  SourceStats stats;
  stats.decoder = decoder;
  stats.live = demuxer.live();
  stats.seekable = demuxer.seekable();
  stats.depth = facts.depth;

  const bool turned = facts.orientation.exchanges_sides;
  stats.width = turned ? parameters.height : parameters.width;
  stats.height = turned ? parameters.width : parameters.height;
  const AVRational aspect = av_guess_sample_aspect_ratio(&demuxer.format(), const_cast<AVStream*>(&stream), nullptr);
  if (aspect.num > 0 && aspect.den > 0) stats.pixel_aspect = turned ? av_q2d(av_inv_q(aspect)) : av_q2d(aspect);

  if (!demuxer.still()) {
    stats.rate = stream.avg_frame_rate.num > 0 ? av_q2d(stream.avg_frame_rate) : av_q2d(stream.r_frame_rate);
    if (!std::isfinite(stats.rate) || stats.rate < 0) stats.rate = 0;
    if (!stats.live) {
      if (stream.duration != AV_NOPTS_VALUE && stream.duration > 0)
        stats.duration = static_cast<double>(stream.duration) * av_q2d(stream.time_base);
      else if (const double tagged = tagged_duration(stream); tagged > 0)
        stats.duration = tagged;
      else if (demuxer.format().duration != AV_NOPTS_VALUE)
        stats.duration = static_cast<double>(demuxer.format().duration) / AV_TIME_BASE;
      stats.frames = stream.nb_frames > 0 ? stream.nb_frames : std::llround(stats.duration * stats.rate);
    }
  }

  const auto size = [](int width, int height) { return std::to_string(width) + " × " + std::to_string(height); };
  stats.description = codec_name(parameters) + ", " + size(parameters.width, parameters.height);
  if (turned) stats.description += " turned to " + size(stats.width, stats.height);
  if (const char* format = av_get_pix_fmt_name(static_cast<AVPixelFormat>(parameters.format)))
    stats.description += std::string(", ") + format;
  if (const std::string colours = colour_text(parameters); !colours.empty()) stats.description += ", " + colours;
  if (stats.rate > 0) {
    char text[64];
    std::snprintf(text, sizeof text, ", %.4g fps", stats.rate);
    stats.description += text;
  }
  return stats;
}

}  // namespace convoscope
