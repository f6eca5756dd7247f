#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <utility>

#include "app/media/decoder.h"
#include "app/media/demuxer.h"
#include "app/media/ffmpeg_error.h"
#include "app/media/frame_index.h"
#include "app/media/frame_reader.h"
#include "app/media/picture.h"
#include "app/media/stream_text.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

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
    if (demuxer_->seekable() && demuxer_->kind() != SourceKind::address)
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
    }
    return true;
  }

  bool seek_frame(std::int64_t number) override;
  bool seek_seconds(double seconds) override;

  SourceStats describe() const override {
    SourceStats stats = describe_stream(*demuxer_, decoder_->name());
    if (index_ready() && index_->frames() > 0) {
      stats.frames = index_->frames();
      if (stats.duration <= 0 && stats.rate > 0)
        stats.duration = (index_->timed() ? seconds_of(index_->time(stats.frames - 1)) + 1 / stats.rate
                                          : static_cast<double>(stats.frames) / stats.rate);
    }
    if (still_) stats.frames = 1;
    return stats;
  }
  bool changed() override {
    const bool now = index_ready();
    return std::exchange(told_index_, now) != now || std::exchange(changed_, false);
  }
  bool still() const override { return still_; }
  bool shown_on_arrival() const override {
    return demuxer_->kind() == SourceKind::camera || demuxer_->kind() == SourceKind::screen;
  }
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

  bool position_at(std::int64_t time, std::int64_t decoding_time) {
    const bool by_time = std::string(demuxer_->format().iformat->name).find("matroska") != std::string::npos;
    if (!demuxer_->seek(by_time ? time : decoding_time)) return false;
    decoder_->flush();
    draining_ = false;
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
  double last_seconds_ = 0;
  bool any_decoded_ = false, jumped_ = false, damaged_ = false, cut_ = false;
  std::optional<std::string> no_nvdec_, warning_;
  bool still_ = false, still_given_ = false;
  std::optional<VideoFrame> still_picture_;
  bool changed_ = false, told_index_ = false;
};

FileReader::Step FileReader::without_nvdec(const std::string& why) {
  no_nvdec_ = why;
  open_decoder(false, why);
  return Step::again;
}

// Damage is left out, not fatal: whatever can be decoded is shown.
FileReader::Step FileReader::decode(AVFrame& frame) {
  while (!interrupt_.stop) {
    int status = decoder_->receive(frame);
    if (options_.target.cuda && !no_nvdec_ && decoder_->nvdec_refused()) {
      av_frame_unref(&frame);
      return without_nvdec("NVDEC cannot decode this kind of " +
                           std::string(avcodec_get_name(demuxer_->stream().codecpar->codec_id)));
    }
    if (status == 0) {
      check_picture_size(options_.source.input, frame.width, frame.height);
      if (!std::exchange(any_decoded_, true) && !jumped_ && time_of(frame) != AV_NOPTS_VALUE)
        first_time_ = time_of(frame);
      position_ = time_of(frame);
      return Step::frame;
    }
    if (status == AVERROR_EOF) return Step::end;
    if (status != AVERROR(EAGAIN)) {
      if (decoder_->nvdec() && status != AVERROR_INVALIDDATA)
        return without_nvdec("NVDEC failed: " + ffmpeg_text(status));
      note_damage();
      if (draining_) return Step::end;
    }
    status = demuxer_->read(*packet_);
    if (status == AVERROR_EXIT && interrupt_.stop) return Step::end;
    if (status < 0) {
      if (demuxer_->live())
        throw Error(status == AVERROR_EOF ? quoted() + " has ended or was cut."
                                          : why_not_readable(options_.source.input, status));
      if (demuxer_->kind() == SourceKind::address && status != AVERROR_EOF)
        throw Error(why_not_readable(options_.source.input, status));
      if (status != AVERROR_EOF) note_damage();
      decoder_->send(nullptr);
      draining_ = true;
      continue;
    }
    status = decoder_->send(packet_.get());
    av_packet_unref(packet_.get());
    if (status < 0 && status != AVERROR(EAGAIN)) {
      if (decoder_->nvdec() && status != AVERROR_INVALIDDATA && status != AVERROR_EOF)
        return without_nvdec("NVDEC failed: " + ffmpeg_text(status));
      note_damage();
    }
  }
  return Step::end;
}

void FileReader::note_damage() {
  if (std::exchange(damaged_, true)) return;
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s", last_seconds_);
  warning_ = quoted() + " is damaged after " + time + ". What cannot be decoded is left out; the rest plays.";
}

// After the decoder was replaced: to the frame after the last one that was given out.
void FileReader::resume() {
  waiting_.clear();
  if (demuxer_->live()) return;  // from the next key frame
  if (!delivered_) {
    reopen();
    return;
  }
  const std::int64_t last = *delivered_;
  if (!index_timed() || !index_->key(last, 0) ||
      !position_at(index_->key(last, 0)->time, index_->key(last, 0)->decoding_time))
    if (!position_at(last, last)) reopen();
  Owned<AVFrame> frame = make_frame();
  while (true) {
    const Step step = decode(*frame);
    if (step == Step::end) return;
    if (step == Step::frame && time_of(*frame) > last) break;
    av_frame_unref(frame.get());
  }
  waiting_.push_back(std::move(frame));
}

Owned<AVFrame> FileReader::take_or_decode() {
  if (past_end_) return {};
  Owned<AVFrame> frame = make_frame();
  while (waiting_.empty()) {
    const Step step = decode(*frame);
    if (step == Step::frame) return frame;
    if (step == Step::end) return {};
    resume();
  }
  frame = std::move(waiting_.front());
  waiting_.pop_front();
  return frame;
}

void FileReader::deliver(Owned<AVFrame> frame, Frame& out) {
  const std::int64_t time = time_of(*frame);
  const double rate = av_q2d(demuxer_->stream().avg_frame_rate);
#if LIBAVUTIL_VERSION_INT >= AV_VERSION_INT(57, 30, 100)
  std::int64_t duration = frame->duration;
#else
  std::int64_t duration = frame->pkt_duration;
#endif
  std::int64_t number = next_number_;
  double seconds = rate > 0 ? static_cast<double>(number) / rate : static_cast<double>(number) / 25;
  if (time != AV_NOPTS_VALUE) {
    seconds = seconds_of(time);
    delivered_ = time;
    if (index_timed() && index_->frames() > 0) {
      number = index_->number(time);
      if (number + 1 < index_->frames()) duration = index_->time(number + 1) - index_->time(number);
    }
  }
  next_number_ = number + 1;
  last_seconds_ = seconds;
  out.duration =
      duration > 0 ? static_cast<double>(duration) * av_q2d(demuxer_->stream().time_base) : (rate > 0 ? 1 / rate : 0);
  out.picture = pictures_.make(std::move(frame), rotation_of(demuxer_->stream()));
  out.picture.number = number;
  out.picture.seconds = seconds;
}

void FileReader::at_end() {
  if (interrupt_.stop || past_end_) return;
  if (!any_decoded_)
    throw Error(quoted() + " has no picture that can be decoded. It is damaged or cut off; choose another file.");
  if (cut_ || !index_ || !index_->wait(interrupt_, 2000)) return;
  const std::int64_t expected = demuxer_->stream().nb_frames;
  if (expected <= 0 || index_->packets() >= expected) return;
  cut_ = true;
  warning_ = quoted() + " is cut off: " + std::to_string(index_->packets()) + " of its " + std::to_string(expected) +
             " frames are there. They play; copy the file again to have the rest.";
}

bool FileReader::seek_frame(std::int64_t number) {
  number = std::max<std::int64_t>(0, number);
  if (still_) {
    still_given_ = number > 0 && still_picture_;
    return true;
  }
  if (!demuxer_->seekable()) throw Error(quoted() + " cannot be wound: it has no beginning and no end.");
  past_end_ = false;
  while (!index_ready() && number > 0 && index_) {
    if (interrupt_.abandon_seek()) return false;
    index_->wait(interrupt_, 1000);
  }
  waiting_.clear();
  if (index_timed() && index_->frames() > 0) return find_by_index(number);
  if (index_ || number == 0) return find_by_counting(number);
  const double rate = av_q2d(demuxer_->stream().avg_frame_rate);
  return find_by_time((static_cast<double>(number) + 0.5) / (rate > 0 ? rate : 25));
}

bool FileReader::seek_seconds(double seconds) {
  if (still_) return seek_frame(0);
  if (!demuxer_->seekable()) return seek_frame(0);
  past_end_ = false;
  // A short file's index is ready in no time; a long one's is not waited for.
  if (index_) index_->wait(interrupt_, 300);
  waiting_.clear();
  const double hair = 1e-4;  // a time read off a frame and rounded names that frame
  if (index_timed() && index_->frames() > 0) {
    const std::int64_t time = timestamp_of(seconds + hair);
    const double end = describe_stream(*demuxer_, "").duration;
    const bool beyond = end > 0 && seconds >= end && time > index_->time(index_->frames() - 1);
    return find_by_index(beyond ? index_->frames() : index_->number(time));
  }
  if (index_ready() && !index_->timed()) {
    const double rate = av_q2d(demuxer_->stream().avg_frame_rate);
    return find_by_counting(static_cast<std::int64_t>(std::floor((seconds + hair) * (rate > 0 ? rate : 25))));
  }
  return find_by_time(seconds + hair);
}

bool FileReader::find_by_index(std::int64_t number) {
  if (number >= index_->frames()) {
    past_end_ = true;
    next_number_ = index_->frames();
    return true;
  }
  const std::int64_t target = index_->time(number);
  Owned<AVFrame> frame = make_frame();
  for (int attempt = 0; attempt < 3;) {
    const std::optional<FrameIndex::Key> key = attempt < 2 ? index_->key(target, 2 * attempt) : std::nullopt;
    const bool ahead = attempt == 0 && position_ && *position_ < target && !draining_ && key && key->time <= *position_;
    if (!ahead && (!key || !position_at(key->time, key->decoding_time))) {
      attempt = 2;
      reopen();
    }
    Step step = Step::end;
    for (bool first = !ahead;; first = false) {
      if (interrupt_.abandon_seek()) return false;
      step = decode(*frame);
      if (step != Step::frame) break;
      const std::int64_t time = time_of(*frame);
      if (first && time > target && attempt < 2) break;  // began too late: further back
      if (time >= target) {
        waiting_.push_back(std::move(frame));
        return true;
      }
      av_frame_unref(frame.get());
    }
    av_frame_unref(frame.get());
    if (step != Step::again) ++attempt;
  }
  past_end_ = true;  // the frame cannot be decoded, nor any after it
  return true;
}

bool FileReader::find_by_time(double seconds) {
  const double rate = av_q2d(demuxer_->stream().avg_frame_rate);
  for (double back = 0;; back = back > 0 ? back * 4 : 2) {
    const std::int64_t target = timestamp_of(std::max(0.0, seconds));
    const bool from_start = seconds - back <= 0;
    if (from_start || !position_at(timestamp_of(seconds - back), timestamp_of(seconds - back))) reopen();
    Owned<AVFrame> shown;  // the last frame not after the target
    while (true) {
      if (interrupt_.abandon_seek()) return false;
      Owned<AVFrame> frame = make_frame();
      const Step step = decode(*frame);
      if (step == Step::again) {
        shown.reset();
        break;
      }
      const bool after = step == Step::frame && time_of(*frame) > target;
      if (step == Step::end || after) {
        if (!shown && after && !from_start) break;  // began too late
        if (shown) {
          next_number_ = static_cast<std::int64_t>(std::llround(seconds_of(time_of(*shown)) * rate));
          waiting_.push_back(std::move(shown));
        } else {
          next_number_ = 0;
        }
        if (after) waiting_.push_back(std::move(frame));
        return true;
      }
      shown = std::move(frame);
    }
  }
}

bool FileReader::find_by_counting(std::int64_t number) {
  reopen();
  Owned<AVFrame> frame = make_frame();
  for (std::int64_t i = 0; i < number;) {
    if (interrupt_.abandon_seek()) return false;
    const Step step = decode(*frame);
    if (step == Step::end) {
      past_end_ = true;
      break;
    }
    if (step == Step::again) {
      reopen();
      i = 0;
      continue;
    }
    av_frame_unref(frame.get());
    ++i;
  }
  next_number_ = number;
  return true;
}

}  // namespace

std::unique_ptr<FrameReader> open_file_reader(const ReaderOptions& options, Interrupt& interrupt) {
  return std::make_unique<FileReader>(options, interrupt);
}

}  // namespace convoscope
