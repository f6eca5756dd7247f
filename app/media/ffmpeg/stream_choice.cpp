#include "app/media/ffmpeg/stream_choice.h"

#include <algorithm>
#include <string_view>

namespace convoscope {

int choose_stream(const AVFormatContext& format) {
  int best = -1;
  std::int64_t most = -1;
  for (int i = 0; i < static_cast<int>(format.nb_streams); ++i) {
    const AVStream& stream = *format.streams[i];
    const AVCodecParameters& parameters = *stream.codecpar;
    constexpr int beside = AV_DISPOSITION_ATTACHED_PIC | AV_DISPOSITION_TIMED_THUMBNAILS;
    if (parameters.codec_type != AVMEDIA_TYPE_VIDEO || stream.disposition & beside) continue;
    constexpr std::int64_t is_known = 100'000'000, is_default = 5'000'000;  // ffmpeg's own
    const std::int64_t size = std::max<std::int64_t>(std::int64_t{parameters.width} * parameters.height, 0);
    const std::int64_t score = std::min(size, 16 * is_known) + (size > 0 && parameters.format >= 0 ? is_known : 0) +
                               (stream.disposition & AV_DISPOSITION_DEFAULT ? is_default : 0);
    if (score > most) most = score, best = i;
  }
  return best;
}

bool is_portable_map(const AVCodecParameters& parameters) {
  const std::string_view its = avcodec_get_name(parameters.codec_id);  // by name: not each FFmpeg knows all of them
  for (const std::string_view each : {"ppm", "pgm", "pgmyuv", "pbm", "pam", "pfm", "phm"})
    if (its == each) return true;
  return false;
}

}  // namespace convoscope
