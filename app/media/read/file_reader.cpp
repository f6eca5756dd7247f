#include "app/media/read/file_reader.h"

#include <cstdio>
#include <filesystem>

#include "app/files/paths.h"
#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/read/playlist.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {

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
      check_picture_size(options_.source.input, frame.width, frame.height, options_.source.max_pixels);
      if (!std::exchange(any_decoded_, true) && !jumped_ && time_of(frame) != AV_NOPTS_VALUE)
        first_time_ = time_of(frame);
      position_ = time_of(frame);
      // After a jump, a picture may refer to one that was left out; and cameras are not too particular about each one.
      const bool told = decoder_->take_damage() && !demuxer_->live();
      if (!jumped_ && (told || is_damaged(frame))) note_damage();
      return Step::frame;
    }
    if (status == AVERROR_EOF) {
      const double seconds = position_ ? seconds_of(*position_) : 0;
      if (failure_.empty() && demuxer_->ends_early(seconds)) failure_ = demuxer_->why_early(seconds);
      if (!failure_.empty()) throw Error(std::exchange(failure_, {}));
      // Not before: the decoder has just given the last frames out.
      if (ends_damaged_ || (decoder_->take_damage() && !jumped_ && !demuxer_->live())) note_damage();
      return Step::end;
    }
    if (status != AVERROR(EAGAIN)) {
      if (decoder_->nvdec() && status != AVERROR_INVALIDDATA)
        return without_nvdec("NVDEC failed: " + ffmpeg_text(status));
      if (jumped_ || demuxer_->live()) note_damage();
      if (draining_) continue;  // other pictures may follow
    }
    status = demuxer_->read(*packet_);
    if (status == AVERROR_EXIT && interrupt_.stop) return Step::end;
    const bool damaged = demuxer_->take_damage();
    if (status < 0) {
      const bool network = demuxer_->from() == MediaInput::From::network;
      if (demuxer_->live() || (network && status != AVERROR_EOF))
        failure_ = demuxer_->why_not(status);
      else if ((status != AVERROR_EOF || damaged) && !demuxer_->cut_off())
        ends_damaged_ = true;
      decoder_->send(nullptr);
      draining_ = true;
      continue;
    }
    if (damaged) note_damage();
    status = decoder_->send(packet_.get());
    av_packet_unref(packet_.get());
    if (status < 0 && status != AVERROR(EAGAIN)) {
      if (decoder_->nvdec() && status != AVERROR_INVALIDDATA && status != AVERROR_EOF)
        return without_nvdec("NVDEC failed: " + ffmpeg_text(status));
      if (jumped_ || demuxer_->live()) note_damage();
    }
  }
  return Step::end;
}

void FileReader::note_damage() {
  if (std::exchange(damaged_, true)) return;
  changed_ = true;
  if (demuxer_->other_follows()) {
    warning_ = demuxer_->what_follows(next_number_, "play");
    return;
  }
  char time[32];
  std::snprintf(time, sizeof time, "%.1f s", last_seconds_);
  const auto missing = ends_damaged_ ? missing_member(options_.source.input) : std::filesystem::path();
  if (!missing.empty()) {
    warning_ = quoted() + " ends after " + time + ": it names '" + printable(missing.string()) +
               "', which is not there. What comes before it plays.";
    return;
  }
  if (still_) {
    warning_ = quoted() + " is damaged. What cannot be decoded of the picture is missing.";
    return;
  }
  warning_ = quoted() + " is damaged after " + time + ". What cannot be decoded" +
             demuxer_->of_picture(delivered_ ? *delivered_ + 1 : 0) + " is left out; the rest plays.";
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
  const PictureFacts facts = facts_of(*frame, demuxer_->stream());
  if (std::exchange(facts_, facts) != facts) changed_ = true;
  out.picture = pictures_.make(std::move(frame), facts.orientation);
  out.picture.number = number;
  out.picture.seconds = seconds;
}

void FileReader::at_end() {
  if (interrupt_.stop || past_end_) return;
  if (!any_decoded_) demuxer_->refuse_without_picture();
  if (const std::string grown = demuxer_->has_grown(); !grown.empty() && !std::exchange(told_grown_, true))
    warning_ = grown;
  if (!cut_ && !still_ && demuxer_->cut_off()) note_cut();
  // Who has read to the end is told how many frames there were, also where decoding was faster than counting.
  if (index_) index_->wait(interrupt_, 10000);
}

void FileReader::note_cut() {
  cut_ = changed_ = true;
  warning_ = quoted() + " is cut off: ";
  const std::int64_t expected = demuxer_->stream().nb_frames;
  if (index_ && index_->wait(interrupt_, 2000) && index_->packets() < expected)
    *warning_ += format_count(index_->packets()) + " of its " + format_count(expected) + " frames are there. They play";
  else
    *warning_ += "it ends before its contents do. What is there plays";
  *warning_ += "; " + how_to_get_the_rest(options_.source.input) + ".";
}

std::unique_ptr<FrameReader> open_file_reader(const ReaderOptions& options, Interrupt& interrupt) {
  return std::make_unique<FileReader>(options, interrupt);
}

}  // namespace convoscope
