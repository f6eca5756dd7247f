// Finding a frame exactly: by the index, by time where there is none yet, by counting where packets have no times.
#include <algorithm>
#include <cmath>

#include "app/media/read/file_reader.h"

namespace convoscope {

bool FileReader::seek_frame(std::int64_t number) {
  number = std::max<std::int64_t>(0, number);
  if (still_) {
    still_given_ = number > 0 && still_picture_;
    return true;
  }
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
  past_end_ = false;
  // A short file's index is ready in no time; a long one's is not waited for.
  if (index_) index_->wait(interrupt_, 300);
  waiting_.clear();
  const double hair = 1e-4;  // a time read off a frame and rounded names that frame
  if (index_timed() && index_->frames() > 0) {
    const std::int64_t time = timestamp_of(seconds + hair);
    const double end = describe_stream(*demuxer_, "", facts_of(demuxer_->stream())).duration;
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

}  // namespace convoscope
