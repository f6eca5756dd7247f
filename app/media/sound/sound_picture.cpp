#include "app/media/sound/sound_picture.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <deque>
#include <string>
#include <utility>
#include <vector>

#include "app/files/paths.h"
#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/pattern/canvas.h"
#include "app/media/play/host_pool.h"
#include "app/media/sound/sound_reader.h"
#include "app/media/sound/sound_ring.h"
#include "app/state/waveform.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int sound_rate = 48000;                                      // frames of sound a second
constexpr int columns_a_second = sound_picture_width;                  // of pixels
constexpr int frames_a_column = sound_rate / columns_a_second;         // of sound
constexpr int columns_a_step = columns_a_second / sound_picture_rate;  // from one picture to the next
constexpr int half_second = sound_picture_width / 2;                   // before the present, and behind it
constexpr double may_be_short = 0.1;                                   // seconds that a length may be off
constexpr Pixel sound_ground = rgb(18, 22, 30), axis_colour = rgb(60, 68, 82), heard_colour = rgb(120, 220, 160),
                colour_to_come = rgb(52, 96, 78), present_colour = rgb(250, 200, 80);

struct SampleExtent {
  float low = 0, high = 0;
};
using SoundColumn = std::array<SampleExtent, sound_channels>;

int channels_of(const AVCodecParameters& parameters) {
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(59, 24, 100)
  return parameters.ch_layout.nb_channels;
#else
  return parameters.channels;
#endif
}

class SoundPicture : public FrameReader {
 public:
  SoundPicture(const ReaderOptions& options, Interrupt& interrupt)
      : name_(options.source.input),
        interrupt_(interrupt),
        pool_(options.target.cuda ? options.target.allocate_host : nullptr),
        demuxer_(options.source, interrupt, Demuxer::Sound::or_alone),
        reader_(SoundReader::open(options.source, interrupt)) {
    if (!reader_) throw Error(in_quotes(name_) + " has no sound that can be decoded here. Choose another file.");
    const AVFormatContext& format = demuxer_.format();
    const AVCodecParameters& parameters = *demuxer_.stream().codecpar;
    const int channels = channels_of(parameters);
    shown_channels_ = channels == 1 ? 1 : sound_channels;
    guessed_ = format.duration_estimation_method == AVFMT_DURATION_FROM_BITRATE;
    stats_.description = std::string(waveform_description) + ", " + std::string(avcodec_get_name(parameters.codec_id)) +
                         ", " + format_count(parameters.sample_rate) + " Hz, " +
                         (channels == 1   ? "mono"
                          : channels == 2 ? "stereo"
                                          : std::to_string(channels) + " channels mixed to stereo");
    stats_.decoder = "drawn from the sound";
    stats_.width = sound_picture_width;
    stats_.height = sound_picture_height;
    stats_.rate = sound_picture_rate;
    stats_.seekable = demuxer_.seekable();
    set_length(format.duration > 0 ? static_cast<double>(format.duration) / AV_TIME_BASE : 0);
    go_to(0);
  }

  bool read(Frame& frame) override {
    const std::int64_t now = next_ * columns_a_step;
    hear(now + half_second);
    if (interrupt_.stop) return false;
    if (sound_ended_ && now >= heard_to()) {
      note_end();
      return false;
    }
    draw(frame.picture, now);
    frame.picture.number = next_;
    frame.picture.seconds = static_cast<double>(next_) / sound_picture_rate;
    frame.duration = 1.0 / sound_picture_rate;
    ++next_;
    return true;
  }
  bool seek_seconds(double seconds) override {
    go_to(static_cast<std::int64_t>(std::floor(std::clamp(seconds, 0.0, 1e9) * sound_picture_rate + 1e-6)));
    return true;
  }
  bool seek_frame(std::int64_t number) override {
    go_to(std::max<std::int64_t>(number, 0));
    return true;
  }
  SourceStats describe() const override { return stats_; }
  bool changed() override { return std::exchange(changed_, false); }
  std::optional<std::string> take_warning() override { return std::exchange(warning_, std::nullopt); }

 private:
  std::int64_t heard_to() const { return first_ + static_cast<std::int64_t>(columns_.size()); }

  static std::int64_t frames_in(double seconds) {
    return static_cast<std::int64_t>(std::ceil(seconds * sound_picture_rate - 1e-6));
  }
  void set_length(double seconds) {
    stats_.duration = seconds;
    stats_.frames = frames_in(seconds);
    changed_ = true;
  }

  void go_to(std::int64_t number) {
    next_ = number;
    first_ = std::max<std::int64_t>(0, number * columns_a_step - half_second);
    from_start_ = first_ == 0;
    columns_.clear();
    reader_->seek(static_cast<double>(first_) / columns_a_second, 1, sound_rate);
    sound_ended_ = false;
    frames_in_last_ = frames_a_column;
  }

  // Decodes as far as that column, and forgets those that have left the picture.
  void hear(std::int64_t end) {
    while (heard_to() < end && !sound_ended_ && !interrupt_.stop) {
      reader_->read(samples_);
      sound_ended_ = samples_.empty();
      for (std::size_t i = 0; i + sound_channels <= samples_.size(); i += sound_channels) add(&samples_[i]);
    }
    while (!columns_.empty() && first_ < next_ * columns_a_step - half_second) {
      columns_.pop_front();
      ++first_;
    }
  }

  void add(const float* frame) {
    const bool begins = frames_in_last_ == frames_a_column;
    if (begins) {
      columns_.emplace_back();
      frames_in_last_ = 0;
    }
    for (std::size_t channel = 0; channel < sound_channels; ++channel) {
      const float value = std::isfinite(frame[channel]) ? std::clamp(frame[channel], -1.0f, 1.0f) : 0;
      SampleExtent& extent = columns_.back()[channel];
      extent =
          begins ? SampleExtent{value, value} : SampleExtent{std::min(extent.low, value), std::max(extent.high, value)};
    }
    ++frames_in_last_;
  }

  void draw(VideoFrame& picture, std::int64_t now) {
    picture = {};
    picture.format.width = sound_picture_width;
    picture.format.height = sound_picture_height;
    picture.format.full_range = true;
    const std::size_t pitch = std::size_t{sound_picture_width} * sizeof(Pixel);
    const std::shared_ptr<void> memory = pool_.take_block(pitch * sound_picture_height);
    const Canvas canvas{static_cast<Pixel*>(memory.get()), sound_picture_width, sound_picture_height,
                        sound_picture_width};
    canvas.fill(sound_ground);
    const int rows = sound_picture_height / shown_channels_;
    for (int channel = 0; channel < shown_channels_; ++channel)
      draw_channel(canvas.part(0, channel * rows, sound_picture_width, rows), static_cast<std::size_t>(channel), now);
    canvas.part(half_second, 0, 1, sound_picture_height).fill(present_colour);
    picture.planes[0] = memory.get();
    picture.pitch[0] = pitch;
    picture.owner = memory;
  }

  void draw_channel(const Canvas& canvas, std::size_t channel, std::int64_t now) const {
    const float centre = static_cast<float>(canvas.height - 1) / 2;
    const auto row = [&](float value) { return static_cast<int>(std::lround(centre - value * centre)); };
    canvas.part(0, row(0), canvas.width, 1).fill(axis_colour);
    for (int x = 0; x < canvas.width; ++x) {
      const std::int64_t column = now - half_second + x;
      if (column < first_ || column >= heard_to()) continue;
      const SampleExtent& extent = columns_[static_cast<std::size_t>(column - first_)][channel];
      const int top = row(extent.high), bottom = row(extent.low);
      canvas.part(x, top, 1, bottom - top + 1).fill(x < half_second ? heard_colour : colour_to_come);
    }
  }

  // Its real length is known now, unless a jump went beyond it.
  void note_end() {
    if (heard_to() == 0 && next_ == 0)
      throw Error(in_quotes(name_) +
                  " has no sound that can be decoded. It is damaged or cut off; choose another file.");
    if (columns_.empty() && !from_start_) return;
    const double there = static_cast<double>(heard_to()) / columns_a_second, said = stats_.duration;
    const bool cut = demuxer_.cut_off() || (!guessed_ && there + may_be_short < said);
    if ((cut || reader_->damaged()) && !std::exchange(stats_.cut_short, true)) {
      changed_ = true;
      warning_ = in_quotes(name_) + (cut ? " is cut off: it ends before its contents do. What is there plays; " +
                                               how_to_get_the_rest(name_) + "."
                                         : " is damaged. What cannot be decoded is left out; the rest plays.");
    }
    if (stats_.frames != frames_in(there)) set_length(there);
  }

  const std::string name_;
  Interrupt& interrupt_;
  HostPool pool_;
  Demuxer demuxer_;
  const std::unique_ptr<SoundReader> reader_;
  SourceStats stats_;
  int shown_channels_ = sound_channels;
  bool guessed_ = false;   // the length, by FFmpeg
  std::int64_t next_ = 0;  // picture
  std::deque<SoundColumn> columns_;
  std::int64_t first_ = 0;  // of these, from the sound's beginning on
  int frames_in_last_ = 0;  // of sound, in the last of these
  std::vector<float> samples_;
  bool sound_ended_ = false, from_start_ = true, changed_ = false;
  std::optional<std::string> warning_;
};

}  // namespace

std::unique_ptr<FrameReader> open_sound_picture(const ReaderOptions& options, Interrupt& interrupt) {
  return std::make_unique<SoundPicture>(options, interrupt);
}

}  // namespace convoscope
