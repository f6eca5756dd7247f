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

int choose_sound(AVFormatContext& format) {
  const AVCodec* codec = nullptr;
  const int best = av_find_best_stream(&format, AVMEDIA_TYPE_AUDIO, -1, -1, &codec, 0);
  return codec ? std::max(best, -1) : -1;
}

void refuse_without_video(AVFormatContext& format, const std::string& name, bool local) {
  const std::string begin = "'" + name + "' has ";
  const bool sound = choose_sound(format) >= 0;
  if (sound && local)
    throw SoundAlone(begin +
                     "sound alone, no video. Play it in the window, where its waveform is the picture: leave out the "
                     "word filter. There --sound filters what is heard, and a recording has that sound.");
  if (sound) throw Error(begin + "sound alone, no video. Download it: from a disk its sound is played.");
  throw Error(begin + "no video" + (format.nb_streams > 0 ? ", only other data such as subtitles" : "") +
              ". Choose another file.");
}

bool is_portable_map(const AVCodecParameters& parameters) {
  const std::string_view its = avcodec_get_name(parameters.codec_id);  // by name: not each FFmpeg knows all of them
  for (const std::string_view each : {"ppm", "pgm", "pgmyuv", "pbm", "pam", "pfm", "phm"})
    if (its == each) return true;
  return false;
}

}  // namespace convoscope
