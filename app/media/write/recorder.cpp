#include "app/media/write/recorder.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <cstdio>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>

#include "app/files/shortage.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/write/filtered_sound.h"
#include "app/media/write/muxed_output.h"
#include "app/media/write/sound_copy.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr double slowest_in_mp4 = 1.0 / 3600;  // frames a second: a picture may last for so many ticks only

void check(const RecordingSettings& settings) {
  const std::string quoted = "'" + settings.path + "'";
  if (!ends_in(settings.path, "mkv") && !ends_in(settings.path, "mp4"))
    throw Error("A recording cannot be written to " + quoted + ": the name must end in .mkv or .mp4.");
  if (settings.lossless() && !ends_in(settings.path, "mkv"))
    throw Error("A lossless recording cannot be written to " + quoted + ": the name must end in .mkv.");
  if (settings.width < 1 || settings.height < 1 || settings.width > 16384 || settings.height > 16384)
    throw Error("A recording of " + std::to_string(settings.width) + " × " + std::to_string(settings.height) +
                " pixels is not possible; both sides are from 1 to 16384.");
  char rate[32];
  std::snprintf(rate, sizeof rate, "%.10g", settings.rate);
  const std::string impossible = std::string("A recording with ") + rate + " frames a second is not possible";
  if (!std::isfinite(settings.rate) || settings.rate <= 0 || settings.rate > 1000)
    throw Error(impossible + "; choose a rate above 0 and up to 1000.");
  if (ends_in(settings.path, "mp4") && settings.rate < slowest_in_mp4)
    throw Error(impossible + " in " + quoted + ", which needs one an hour at least. Choose a name that ends in .mkv.");
}

void give_back(void* lent, std::uint8_t*) {
  auto* in_use = static_cast<std::atomic<bool>*>(lent);
  *in_use = false;
  in_use->notify_all();
}

class FileRecorder : public Recorder {
 public:
  explicit FileRecorder(const RecordingSettings& settings) : settings_(settings) {
    prepare_ffmpeg();
    check(settings_);
    planes_ = planes_of(settings_.lossless() ? PictureLayout::bgr0 : PictureLayout::yuv420, settings_.width,
                        settings_.height);
    frame_time_ =
        std::max<std::int64_t>(1, std::llround(settings_.tick_denominator / settings_.rate / settings_.tick_numerator));
    thread_ = std::jthread([this] { run(); });
  }
  ~FileRecorder() override { close(true); }

  void wait_until_open() override {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return open_ || !error_.empty(); });
    if (!open_) throw Error(error_);
  }
  const PicturePlanes& planes() const override { return planes_; }

  bool add(const LentPicture& picture) override {
    const std::lock_guard lock(mutex_);
    if (closing_ || !error_.empty()) return false;
    *picture.in_use = true;
    pictures_.push_back(picture);
    changed_.notify_all();
    return true;
  }

  void close(bool whole) override {
    const std::lock_guard lock(mutex_);
    if (closing_) return;
    closing_ = true;
    whole_ = whole;
    changed_.notify_all();
  }
  bool closed() const override {
    const std::lock_guard lock(mutex_);
    return closed_;
  }
  void finish() override {
    close(true);
    if (thread_.joinable()) thread_.join();
    if (const std::string problem = error(); !problem.empty()) throw Error(problem);
  }

  std::int64_t frames_written() const override { return written_; }
  std::string where_left() const override {
    const std::lock_guard lock(mutex_);
    return where_left_;
  }
  void filter_sound(const SoundSettings& sound) override {
    const std::lock_guard lock(mutex_);
    filtering_ = sound;
  }
  std::string error() const override {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  std::string encoder() const override {
    const std::lock_guard lock(mutex_);
    return encoder_;
  }
  std::string note() const override {
    const std::lock_guard lock(mutex_);
    return note_;
  }

 private:
  struct Moment {
    double seconds, position;
    bool in_step;
  };

  void run();
  void open();
  void encode(const LentPicture&);
  Owned<AVFrame> frame_of(const LentPicture&) const;
  void follow_with_sound();
  void look_at_file();
  void finish_file();
  bool is_whole() const {
    const std::lock_guard lock(mutex_);
    return whole_;
  }
  void fail(const std::string& problem) {
    const std::lock_guard lock(mutex_);
    if (error_.empty()) error_ = problem;
    changed_.notify_all();
  }

  const RecordingSettings settings_;
  PicturePlanes planes_;
  std::int64_t frame_time_ = 1;

  // Of the thread.
  std::unique_ptr<MuxedOutput> output_;
  std::unique_ptr<RecordedSound> sound_;
  std::deque<Moment> encoding_;             // pictures that are not written yet
  std::int64_t last_time_ = -1, step_ = 1;  // of the last picture: when it comes, and since the one before
  std::chrono::steady_clock::time_point looked_;

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<LentPicture> pictures_;
  bool open_ = false, closing_ = false, whole_ = true, closed_ = false;
  std::string error_, encoder_, note_, where_left_;
  std::optional<SoundSettings> filtering_;  // new
  std::atomic<std::int64_t> written_{0};
  std::jthread thread_;  // until the file is finished; last: it uses all of the above, and is joined before they go
};

void FileRecorder::open() {
  std::string note;
  SourceSettings source;
  source.input = settings_.sound;
  source.trust_playlists = settings_.trust_playlists;
  if (settings_.filtering.filtered)
    sound_ = FilteredSound::open(source, settings_.filtering, settings_.lossless(), note);
  else
    sound_ = SoundCopy::open(source, settings_.path, !settings_.live, note);
  output_ = std::make_unique<MuxedOutput>(settings_, sound_ ? sound_->streams() : std::vector<CopiedSound>{},
                                          AVRational{0, 1}, MuxedOutput::Header::at_once);
  looked_ = std::chrono::steady_clock::now();
  const std::lock_guard lock(mutex_);
  encoder_ = output_->encoder();
  note_ = note;
  open_ = true;
  changed_.notify_all();
}

void FileRecorder::run() {
  try {
    open();
  } catch (const std::exception& problem) {
    fail(why_failed(problem));
  }
  while (true) {
    LentPicture picture;
    bool failed;
    {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [&] { return !pictures_.empty() || closing_; });
      if (pictures_.empty()) break;
      picture = pictures_.front();
      pictures_.pop_front();
      failed = !error_.empty();
    }
    if (failed) {
      picture.give_back();
      continue;
    }
    try {
      encode(picture);
      look_at_file();
    } catch (const std::exception& problem) {
      fail(why_failed(problem));
    }
  }
  finish_file();
}

// The frame's buffer is the lent memory; whoever lets go of it last gives it back.
Owned<AVFrame> FileRecorder::frame_of(const LentPicture& picture) const {
  auto* bytes = const_cast<std::uint8_t*>(picture.bytes);
  AVBufferRef* buffer = av_buffer_create(bytes, planes_.bytes, give_back, picture.in_use, AV_BUFFER_FLAG_READONLY);
  if (!buffer) {
    picture.give_back();
    throw std::bad_alloc();
  }
  AVFrame* raw = av_frame_alloc();
  if (!raw) {
    av_buffer_unref(&buffer);
    throw std::bad_alloc();
  }
  Owned<AVFrame> frame(raw);
  frame->buf[0] = buffer;
  frame->width = planes_.width;
  frame->height = planes_.height;
  frame->format = output_->codec().pix_fmt;
  frame->colorspace = output_->codec().colorspace;
  frame->color_range = output_->codec().color_range;
  for (int i = 0; i < 3 && planes_.pitch[i] > 0; ++i) {
    frame->data[i] = bytes + planes_.offset[i];
    frame->linesize[i] = static_cast<int>(planes_.pitch[i]);
  }
  return frame;
}

void FileRecorder::encode(const LentPicture& picture) {
  const Owned<AVFrame> frame = frame_of(picture);
  const auto ticks = [&](double seconds) {
    return std::llround(seconds * settings_.tick_denominator / settings_.tick_numerator);
  };
  const std::int64_t time = std::max<std::int64_t>(ticks(picture.seconds), last_time_ + 1);
  // How long it lasts is known when the next one comes. The last one lasts as long as the one before, where that is the
  // source's own pace.
  step_ = picture.in_step && last_time_ >= 0 ? time - last_time_ : frame_time_;
  frame->pts = last_time_ = time;
  if (sound_) encoding_.push_back({picture.seconds, picture.position, picture.in_step});
  output_->add(*frame, std::min(step_, frame_time_));
  follow_with_sound();
  written_ = output_->pictures_written();
}

// Behind what the encoder has delivered, so that pictures and sound reach the file side by side.
void FileRecorder::follow_with_sound() {
  const std::int64_t delivered = output_->pictures_written() - written_;
  if (sound_) {
    const std::lock_guard lock(mutex_);
    if (filtering_) sound_->filter(*std::exchange(filtering_, {}));
  }
  for (std::int64_t i = 0; sound_ && i < delivered && !encoding_.empty(); ++i) {
    const Moment& moment = encoding_.front();
    sound_->follow(moment.position, moment.seconds, moment.in_step, *output_);
    encoding_.pop_front();
  }
}

// A file that was deleted takes all that is written, and nobody ever sees it again.
void FileRecorder::look_at_file() {
  const auto now = std::chrono::steady_clock::now();
  if (now - looked_ < between_looks) return;
  looked_ = now;
  if (output_->is_there()) return;
  throw Error("The recording to '" + settings_.path +
              "' has stopped: the file or its folder was deleted or moved away. If it was moved, it plays where it is "
              "now; start a new recording.");
}

void FileRecorder::finish_file() {
  const bool failed = !error().empty(), whole = is_whole();
  std::string left;
  try {
    if (output_ && !failed) {
      output_->last_lasts(step_);
      output_->flush();
      follow_with_sound();
      const double last = static_cast<double>(step_) * settings_.tick_numerator / settings_.tick_denominator;
      if (sound_) sound_->finish(last, *output_);
      looked_ = {};
      look_at_file();
      if (output_->pictures_written() == 0)
        output_->discard();
      else if (!output_->finish(whole))
        left = output_->where_left();
    }
  } catch (const std::exception& problem) {
    fail(why_failed(problem));
  }
  if (output_) written_ = output_->pictures_written();
  const std::string what_else = output_ ? output_->note() : "";
  output_.reset();  // an encoder may keep the last picture
  const std::lock_guard lock(mutex_);
  if (sound_) note_ = sound_->note();
  note_ += what_else;
  where_left_ = left;
  closed_ = true;
  changed_.notify_all();
}

}  // namespace

std::unique_ptr<Recorder> Recorder::open(const RecordingSettings& settings) {
  return std::make_unique<FileRecorder>(settings);
}

}  // namespace convoscope
