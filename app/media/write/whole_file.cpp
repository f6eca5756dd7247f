#include "app/media/write/whole_file.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <deque>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "app/files/paths.h"
#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/stream_text.h"
#include "app/media/read/local_files.h"
#include "app/media/read/picture.h"
#include "app/media/read/playlist.h"
#include "app/media/sources/source.h"
#include "app/media/write/closed_jumps.h"
#include "app/media/write/file_output.h"
#include "app/media/write/picture_file.h"
#include "app/media/write/sound_streams.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr double slowest_rate = 1.0 / 86'400;  // frames a second, in .mp4 and .mov

void check_finite(const std::string& input) {
  if (input == "-") return;
  if (source_for(input).endless)
    throw Error("'" + input + "' has no end, so it cannot be filtered as a whole. Record it with convoscope " + input +
                " --record FILE.");
}

SourceSettings source_of(const WholeFileSettings& settings) {
  check_finite(settings.input);
  SourceSettings source;
  source.input = settings.input;
  source.trust_playlists = settings.trust_playlists;
  source.max_pixels = settings.max_pixels;
  return source;
}

// A decoder that uses all cores has a picture on each and as many that others are made of.
constexpr std::size_t decoded_kept = 64;

Decoder::Options decoding(const WholeFileSettings& settings, const Demuxer& demuxer, HostPool& pool,
                          const Interrupt& interrupt) {
  Decoder::Options options;
  options.checks_av1 = demuxer.animated_avif();
  options.max_pixels = settings.max_pixels;
  options.pool = &pool;
  options.interrupt = &interrupt;
  return options;
}

using Packets = std::vector<Owned<AVPacket>>;

class Reader : public WholeFile {
 public:
  Reader(const WholeFileSettings& settings, Interrupt& interrupt)
      : settings_(settings),
        interrupt_(interrupt),
        name_(settings.input == "-" ? "standard input" : settings.input),
        parts_read_(held_parts(settings.input)),
        demuxer_(source_of(settings), interrupt, Demuxer::Sound::with_it),
        decoded_(settings.allocate, decoded_kept),
        decoder_(demuxer_.stream(), name_, decoding(settings, demuxer_, decoded_, interrupt)),
        pictures_(true, HostPool(nullptr)),
        packet_(make_packet()) {
    if (demuxer_.live())
      throw Error(subject() + " has no end, so it cannot be filtered as a whole. Record it with --record.");
    const AVStream& stream = demuxer_.stream();
    rate_ = stream.avg_frame_rate.num > 0 ? stream.avg_frame_rate : stream.r_frame_rate;
    if (rate_.num <= 0 || rate_.den <= 0) rate_ = {25, 1};
    if (!demuxer_.warning().empty()) warnings_.push_back(demuxer_.warning());
    note_what_is_lost(*stream.codecpar);
    jumps_.begin_ascending(demuxer_.format());
    if (!copies_sound()) return;
    sound_.emplace(demuxer_, source_of(settings), interrupt, true);
    if (sound_->any_left_out()) note_late_sound();
  }

  bool read(VideoFrame& out, PictureMoment& moment) override {
    Owned<AVFrame> frame = make_frame();
    if (!decode(*frame)) return false;
    moment = {.number = frames_};
    set_time(*frame, moment);
    check_picture_size(name_, frame->width, frame->height, settings_.max_pixels);
    const PictureFacts facts = facts_of(*frame, demuxer_.stream());
    if (frames_ == 0) first_ = facts;
    out = pictures_.make(std::move(frame), facts.orientation);
    out.number = frames_++;
    out.seconds = static_cast<double>(moment.time) * av_q2d(demuxer_.stream().time_base);
    if (!sound_read_.empty()) moment.sound = std::make_shared<Packets>(std::exchange(sound_read_, {}));
    return true;
  }

  void set_output(bool prefer_nvenc, std::map<std::string, std::string> metadata) override {
    prefer_nvenc_ = prefer_nvenc;
    metadata_ = std::move(metadata);
  }
  std::optional<YuvLayout> planes_for(int width, int height) const override {
    if (y4m()) return y4m_layout(width, height, settings_.lossless);
    if (pictures() || settings_.lossless) return {};
    return encoded_layout(width, height);
  }
  void write(const Image& rgba, const PictureMoment& moment) override {
    output_for(rgba.width, rgba.height, moment).add(rgba, moment.time, moment.duration);
  }
  void write_planes(std::shared_ptr<void> block, const YuvLayout& layout, int width, int height,
                    const PictureMoment& moment) override {
    output_for(width, height, moment).add_planes(std::move(block), layout, moment.time, moment.duration);
  }

  void finish(bool whole) override {
    if (!output_) return;
    if (whole) add_sound(sound_read_);  // behind the last picture
    named_ = output_->finish(whole && !cut_short());
  }
  std::string where_left() const override { return output_ && !named_ ? output_->where_left() : ""; }

  std::int64_t frames_expected() const override {
    const SourceStats stats = describe_stream(demuxer_, "", facts_of(demuxer_.stream()));
    return demuxer_.still() ? 1 : std::max<std::int64_t>(stats.frames, 0);
  }
  int width_expected() const override { return demuxer_.stream().codecpar->width; }
  int height_expected() const override { return demuxer_.stream().codecpar->height; }
  std::string encoder() const override { return output_ ? output_->encoder() : ""; }
  int sound_streams() const override { return sound_ ? static_cast<int>(sound_->streams().size()) : 0; }
  bool cut_short() const override { return cut_ || damaged_ || (output_ && output_->damaged_sound() > 0); }
  std::string note() const override {
    const std::string lost = depth_loss(first_.depth);
    return output_ ? (lost.empty() ? "" : "; " + lost) + output_->note() : "";
  }
  std::optional<std::string> take_warning() override {
    if (warnings_.empty()) return {};
    std::string first = std::move(warnings_.front());
    warnings_.pop_front();
    return first;
  }

 private:
  bool y4m() const { return settings_.output == "-" || ends_in(settings_.output, "y4m"); }
  bool pictures() const { return picture_kind(settings_.output) != PictureKind::none; }
  bool copies_sound() const { return !y4m() && !pictures(); }

  // Damage is left out, not fatal.
  bool decode(AVFrame& frame) {
    while (!interrupt_.stop) {
      int status = decoder_.receive(frame);
      if (status == 0) {
        if (decoder_.take_damage() || is_damaged(frame)) note_damage();
        return true;
      }
      if (status == AVERROR_EOF) {
        if (decoder_.take_damage()) note_damage();
        break;
      }
      if (status != AVERROR(EAGAIN) && draining_) continue;  // other pictures may follow
      status = demuxer_.read(*packet_);
      if (status == AVERROR_EXIT && interrupt_.stop) return false;
      const bool damaged = demuxer_.take_damage();
      if (status < 0) {
        const bool network = demuxer_.from() == MediaInput::From::network;
        if ((network && status != AVERROR_EOF) || status == AVERROR_EXIT)
          failure_ = demuxer_.why_not(status);
        else if (demuxer_.cut_off())
          cut_ = true;
        else
          ends_damaged_ = status != AVERROR_EOF || damaged;
        draining_ = true;
        decoder_.send(nullptr);
        continue;
      }
      if (damaged) note_damage();
      go_on(*packet_);
      if (packet_->stream_index == demuxer_.stream().index) {
        decoder_.send(packet_.get());  // take_damage() tells in its turn what could not be decoded
      } else if (copies_sound()) {
        take_sound();
      }
      av_packet_unref(packet_.get());
    }
    if (interrupt_.stop) return false;
    if (frames_ == 0 && !failure_.empty()) throw Error(failure_);
    if (frames_ == 0) demuxer_.refuse_without_picture();
    if (failure_.empty() && demuxer_.ends_early(seconds_read_)) failure_ = demuxer_.why_early(seconds_read_);
    if (!failure_.empty()) tell_failure();
    if (const std::string grown = demuxer_.has_grown(); !grown.empty()) warnings_.push_back(grown);
    if (ends_damaged_) note_damage();  // not before: the decoder has just given the last frames out
    if (cut_ && failure_.empty()) tell_cut();
    return false;
  }

  // Where files were joined, times begin anew. Pictures and sound go on there, in step.
  void go_on(AVPacket& packet) {
    if (demuxer_.still()) return;
    jumps_.close(packet);
    if (jumps_.longest() > 0 && !std::exchange(told_times_, true))
      warnings_.push_back(subject() + " has times that begin anew, as where files were joined; they go on instead.");
  }

  std::string subject() const { return settings_.input == "-" ? "Standard input" : "'" + name_ + "'"; }

  void tell_failure() {
    cut_ = true;
    warnings_.push_back(failure_ + " The " + format_count(frames_) +
                        (frames_ == 1 ? " frame that has come is" : " frames that have come are") + " filtered.");
  }

  void tell_cut() {
    const std::int64_t expected = demuxer_.stream().nb_frames;
    warnings_.push_back(subject() + " is cut off: " +
                        (expected > frames_ ? format_count(frames_) + " of its " + format_count(expected) +
                                                  " frames are there. They are filtered"
                                            : "it ends before its contents do. What is there is filtered") +
                        "; " + how_to_get_the_rest(settings_.input) + ".");
  }

  void take_sound() {
    if (!sound_->holds(packet_->stream_index)) return note_late_sound();
    // What was cut away before the beginning (an edit list), but for the packet that the first one is decoded with.
    const bool cut_away = packet_->flags & AV_PKT_FLAG_DISCARD && packet_->duration > 0;
    if (cut_away && packet_->pts != AV_NOPTS_VALUE && packet_->pts + 2 * packet_->duration <= 0) return;
    sound_read_.push_back(make_packet());
    av_packet_move_ref(sound_read_.back().get(), packet_.get());
  }

  void add_sound(const Packets& packets) {
    for (const auto& packet : packets) output_->add_sound(*packet);
  }

  void set_time(const AVFrame& frame, PictureMoment& moment) {
    const AVRational unit = demuxer_.stream().time_base;
    const std::int64_t frame_ticks = std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(rate_), unit));
    const std::int64_t given = frame.pts != AV_NOPTS_VALUE ? frame.pts : frame.best_effort_timestamp;
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
    moment.duration = frame.duration;
#else
    moment.duration = frame.pkt_duration;
#endif
    if (moment.duration <= 0) moment.duration = frame_ticks;
    moment.time = given != AV_NOPTS_VALUE ? given : last_time_ ? *last_time_ + frame_ticks : 0;
    if (!first_time_) first_time_ = moment.time;
    seconds_read_ = static_cast<double>(moment.time - *first_time_ + moment.duration) * av_q2d(unit);
    // Encoders take ascending times only.
    if (last_time_ && moment.time <= *last_time_) {
      moment.time = *last_time_ + 1;
      if (!std::exchange(told_times_, true))
        warnings_.push_back(subject() + " has pictures whose times do not ascend; those times were moved on a little.");
    }
    last_time_ = moment.time;
  }

  FileOutput& output_for(int width, int height, const PictureMoment& moment) {
    if (!output_) open_output(width, height);
    if (moment.sound) add_sound(*static_cast<const Packets*>(moment.sound.get()));
    if (const auto now = std::chrono::steady_clock::now(); now - looked_ >= between_looks) {
      looked_ = now;
      output_->check_is_there();
    }
    if (!output_->takes_any_size() && (width != width_ || height != height_)) {
      const std::string left = output_->where_left();
      throw SizeChanged(
          "The picture's size changes from " + std::to_string(width_) + " × " + std::to_string(height_) + " to " +
          std::to_string(width) + " × " + std::to_string(height) + " at frame " + format_count(moment.number) +
          " of '" + name_ + "'. What comes before it " +
          (left.empty() ? "was deleted, moved away or replaced meanwhile." : "is in " + left + " and plays."));
    }
    return *output_;
  }

  void open_output(int width, int height) {
    width_ = width;
    height_ = height;
    const AVStream& stream = demuxer_.stream();
    RecordingSettings recording;
    recording.path = settings_.output;
    recording.width = width_;
    recording.height = height_;
    recording.rate = std::clamp(av_q2d(rate_), 0.01, 1000.0);
    if (settings_.lossless) recording.codec = RecordingCodec::ffv1;
    recording.prefer_nvenc = prefer_nvenc_;
    recording.metadata = metadata_;
    recording.tick_numerator = stream.time_base.num;
    recording.tick_denominator = stream.time_base.den;
    AVRational aspect = av_guess_sample_aspect_ratio(&demuxer_.format(), const_cast<AVStream*>(&stream), nullptr);
    if (aspect.num > 0 && aspect.den > 0) {
      if (first_.orientation.exchanges_sides) aspect = av_inv_q(aspect);
      recording.pixel_aspect_width = aspect.num;
      recording.pixel_aspect_height = aspect.den;
    }
    check_rate();
    output_ = pictures() ? open_picture_output(recording)
              : y4m()    ? open_y4m_output(recording, y4m_rate(), interrupt_)
                         : open_muxed_output(recording, sound_->streams(), rate_varies() ? AVRational{0, 1} : rate_);
  }

  // By the finest step of its times, which FFmpeg estimates; with two fields to a picture that is half of one.
  bool rate_varies() const {
    const AVRational finest = demuxer_.stream().r_frame_rate;
    if (finest.num <= 0 || finest.den <= 0) return false;
    const double steps = av_q2d(finest) / av_q2d(rate_);
    return std::abs(steps - 1) > 1e-3 && std::abs(steps - 2) > 2e-3;
  }
  // Where it varies, the finest step makes a constant rate, unless that would be none of a video's.
  AVRational y4m_rate() const {
    constexpr int fastest = 120;
    const AVRational finest = demuxer_.stream().r_frame_rate;
    return rate_varies() && av_q2d(finest) <= fastest && av_q2d(finest) > av_q2d(rate_) ? finest : rate_;
  }

  // One picture may last for so many of the container's ticks only.
  void check_rate() const {
    if (!copies_sound() || ends_in(settings_.output, "mkv") || av_q2d(rate_) >= slowest_rate) return;
    throw Error(subject() + " has a frame rate of " + std::to_string(rate_.num) + ":" + std::to_string(rate_.den) +
                ", less than the frame a day that '" + settings_.output +
                "' needs at least. Choose a name that ends in .mkv or .y4m.");
  }

  // What the pictures have and the output does not, where it shows.
  void note_what_is_lost(const AVCodecParameters& pictures) {
    const char* const range = pictures.color_trc == AVCOL_TRC_SMPTE2084      ? "PQ"
                              : pictures.color_trc == AVCOL_TRC_ARIB_STD_B67 ? "HLG"
                                                                             : nullptr;
    if (range)
      warnings_.push_back(subject() + " has a high dynamic range (" + range +
                          "). Its code values are filtered as they are, in 8 bits, so that the output looks pale.");
    if (pictures.field_order > AV_FIELD_PROGRESSIVE)
      warnings_.push_back(subject() +
                          " is interlaced: both fields of a frame are filtered as one picture. To filter them well, "
                          "make frames of them first: ffmpeg -i INPUT -vf bwdif -c:a copy OUTPUT.mkv.");
  }

  void note_damage() {
    if (demuxer_.still() && demuxer_.cut_off()) return;  // which is told at the end
    if (std::exchange(damaged_, true)) return;
    if (const auto missing = ends_damaged_ ? missing_member(name_) : std::filesystem::path(); !missing.empty()) {
      warnings_.push_back(subject() + " ends after frame " + format_count(frames_) + ": it names '" +
                          printable(missing.string()) + "', which is not there. What comes before it is filtered.");
      return;
    }
    warnings_.push_back(demuxer_.other_follows() ? demuxer_.what_follows(frames_, "are filtered")
                        : demuxer_.still()
                            ? subject() + " is damaged. What cannot be decoded of the picture is missing."
                            : subject() + " is damaged after frame " + format_count(frames_) +
                                  ". What cannot be decoded" + demuxer_.of_picture(frames_) +
                                  " is left out; the rest is filtered.");
  }

  void note_late_sound() {
    if (std::exchange(told_sound_, true)) return;
    warnings_.push_back(subject() +
                        " has sound that begins late, and nothing is known about it before that; it is left " +
                        "out. To keep it, make an .mkv of the file first: ffmpeg -i INPUT -c copy OUTPUT.mkv.");
  }

  const WholeFileSettings settings_;
  Interrupt& interrupt_;
  const std::string name_;
  const std::vector<Descriptor> parts_read_;  // which the output may not take the place of
  Demuxer demuxer_;
  HostPool decoded_;
  Decoder decoder_;
  PictureMaker pictures_;
  Owned<AVPacket> packet_;
  AVRational rate_{};
  PictureFacts first_;  // of the first picture read
  ClosedJumps jumps_;
  std::optional<SoundStreams> sound_;  // none: the output takes no sound
  Packets sound_read_;                 // since the last picture
  std::unique_ptr<FileOutput> output_;
  int width_ = 0, height_ = 0;
  bool prefer_nvenc_ = false;
  std::map<std::string, std::string> metadata_;
  std::int64_t frames_ = 0;                       // read
  std::optional<std::int64_t> last_time_;         // of the last picture read, in the stream's units
  std::chrono::steady_clock::time_point looked_;  // whether the output is there
  std::deque<std::string> warnings_;
  std::string failure_;  // of a network
  std::optional<std::int64_t> first_time_;
  double seconds_read_ = 0;  // from the first picture to the end of the last
  bool draining_ = false, damaged_ = false, ends_damaged_ = false, cut_ = false, told_times_ = false,
       told_sound_ = false, named_ = false;
};

}  // namespace

std::unique_ptr<WholeFile> WholeFile::open(const WholeFileSettings& settings, Interrupt& interrupt) {
  prepare_ffmpeg();
  return std::make_unique<Reader>(settings, interrupt);
}

}  // namespace convoscope
