#pragma once
// Whatever FFmpeg reads, frame by frame: files, sequences, addresses, cameras, the screen.
#include <cmath>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/stream_text.h"
#include "app/media/read/frame_index.h"
#include "app/media/read/frame_reader.h"
#include "app/media/read/picture.h"

namespace convoscope {

class FileReader : public FrameReader {
 public:
  FileReader(const ReaderOptions& options, Interrupt& interrupt)
      : options_(options),
        interrupt_(interrupt),
        pool_(options.target.cuda ? options.target.allocate_host : nullptr),
        pictures_(options.target.cuda || options.target.planes, pool_),
        packet_(make_packet()) {
    demuxer_ = std::make_unique<Demuxer>(options_.source, interrupt_);
    open_decoder(options_.target.cuda, "");
    still_ = demuxer_->still();
    if (!demuxer_->warning().empty()) warning_ = demuxer_->warning();
    if (demuxer_->seekable() && demuxer_->from() != MediaInput::From::network && !demuxer_->counted())
      index_ = std::make_unique<FrameIndex>(options_.source);
  }

  bool read(Frame& out) override {
    if (still_ && still_picture_) {  // read once, given out again after every seek to it
      if (still_given_) return false;
      still_given_ = true;
      out = {*still_picture_, 0};
      return true;
    }
    Owned<AVFrame> frame = take_or_decode();
    if (!frame) {
      at_end();
      return false;
    }
    deliver(std::move(frame), out);
    if (still_) {
      still_picture_ = out.picture;
      still_given_ = true;
      if (demuxer_->cut_off()) note_cut();  // nobody reads it to its end
    }
    return true;
  }

  bool seek_frame(std::int64_t number) override;
  bool seek_seconds(double seconds) override;

  SourceStats describe() const override {
    SourceStats stats = describe_stream(*demuxer_, decoder_->name(), facts_ ? *facts_ : facts_of(demuxer_->stream()));
    if (index_ready() && index_->frames() > 0) {
      stats.frames = index_->frames();
      if (stats.duration <= 0 && stats.rate > 0)
        stats.duration = (index_->timed() ? seconds_of(index_->time(stats.frames - 1)) + 1 / stats.rate
                                          : static_cast<double>(stats.frames) / stats.rate);
    }
    if (still_) stats.frames = 1;
    stats.cut_short = cut_ || damaged_;
    return stats;
  }
  bool changed() override {
    const bool now = index_ready();
    return std::exchange(told_index_, now) != now || std::exchange(changed_, false);
  }
  bool still() const override { return still_; }
  bool shown_on_arrival() const override { return demuxer_->from() == MediaInput::From::device; }
  std::optional<std::string> take_warning() override { return std::exchange(warning_, std::nullopt); }

 private:
  bool index_ready() const { return index_ && index_->ready(); }
  bool index_timed() const { return index_ready() && index_->timed(); }
  std::string quoted() const { return "'" + options_.source.input + "'"; }

  void open_decoder(bool nvdec, const std::string& why_not) {
    Decoder::Options options;
    options.nvdec = nvdec;
    options.without_nvdec = why_not;
    options.device = options_.target.device;
    options.frames_in_flight = options_.frames_in_flight;
    options.pool = options_.target.cuda && options_.target.allocate_host ? &pool_ : nullptr;
    options.low_delay = demuxer_->live();
    options.checks_av1 = demuxer_->animated_avif();
    options.max_pixels = options_.source.max_pixels;
    options.interrupt = &interrupt_;
    decoder_.reset();
    decoder_ = std::make_unique<Decoder>(demuxer_->stream(), options_.source.input, options);
    changed_ = true;
  }

  void reopen() {
    decoder_.reset();  // it refers to the demuxer's stream
    demuxer_.reset();
    demuxer_ = std::make_unique<Demuxer>(options_.source, interrupt_);
    open_decoder(options_.target.cuda && !no_nvdec_, no_nvdec_ ? *no_nvdec_ : "");
    draining_ = false;
    failure_.clear();
    position_.reset();
  }

  enum class Step { frame, end, again };  // again: the decoder was replaced, decoding begins anew elsewhere
  Step decode(AVFrame& frame);
  Step without_nvdec(const std::string& why);
  Owned<AVFrame> take_or_decode();
  void resume();

  std::int64_t time_of(const AVFrame& frame) const {
    return frame.pts != AV_NOPTS_VALUE ? frame.pts : frame.best_effort_timestamp;
  }
  // The first picture is shown at 0 s, whatever the container says.
  std::int64_t origin() const {
    if (index_timed() && index_->frames() > 0) return index_->time(0);
    return first_time_ ? *first_time_ : demuxer_->start();
  }
  double seconds_of(std::int64_t time) const {
    return static_cast<double>(time - origin()) * av_q2d(demuxer_->stream().time_base);
  }
  std::int64_t timestamp_of(double seconds) const {
    return origin() + static_cast<std::int64_t>(std::floor(seconds / av_q2d(demuxer_->stream().time_base)));
  }
  void deliver(Owned<AVFrame> frame, Frame& out);
  void at_end();
  void note_damage();
  void note_cut();

  bool position_at(std::int64_t time, std::int64_t decoding_time) {
    const bool by_time = std::string(demuxer_->format().iformat->name).find("matroska") != std::string::npos;
    if (!demuxer_->seek(by_time ? time : decoding_time)) return false;
    decoder_->flush();
    draining_ = false;
    failure_.clear();
    jumped_ = true;
    position_.reset();
    return true;
  }
  bool find_by_index(std::int64_t number);
  bool find_by_time(double seconds);
  bool find_by_counting(std::int64_t number);

  ReaderOptions options_;
  Interrupt& interrupt_;
  HostPool pool_;
  PictureMaker pictures_;
  std::unique_ptr<Demuxer> demuxer_;
  std::unique_ptr<Decoder> decoder_;
  std::unique_ptr<FrameIndex> index_;
  Owned<AVPacket> packet_;
  std::deque<Owned<AVFrame>> waiting_;  // decoded while seeking, to be given out first
  bool draining_ = false, past_end_ = false;
  std::optional<std::int64_t> position_;    // time of the last decoded frame since the last jump
  std::optional<std::int64_t> delivered_;   // time of the last frame given out
  std::int64_t next_number_ = 0;            // counted; right when nothing was skipped
  std::optional<std::int64_t> first_time_;  // of the first picture, where decoding began with it
  std::string failure_;                     // of a network, told once the pictures that have come were given out
  double last_seconds_ = 0;
  bool any_decoded_ = false, jumped_ = false, damaged_ = false, ends_damaged_ = false, cut_ = false;
  std::optional<std::string> no_nvdec_, warning_;
  bool still_ = false, still_given_ = false;
  std::optional<VideoFrame> still_picture_;
  std::optional<PictureFacts> facts_;  // of the last picture given out
  bool changed_ = false, told_index_ = false, told_grown_ = false;
};

}  // namespace convoscope
