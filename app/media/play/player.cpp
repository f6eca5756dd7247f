#include "app/media/play/player.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <mutex>
#include <thread>
#include <utility>

#include "app/media/play/decoder_thread.h"
#include "app/media/play/stuck_threads.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// A decoder looks at the interrupt every few milliseconds, but while the system resolves a name for it.
constexpr auto ending_patience = std::chrono::milliseconds(700);
constexpr auto longest_wait = std::chrono::milliseconds(100);  // so that the caller can draw, tell, and be stopped

class ThreadedPlayer : public Player {
 public:
  ThreadedPlayer(const SourceSettings& source, const DecodeTarget& target, Pace pace, Retry retry)
      : shared_(std::make_shared<DecoderThread>(source, target, pace, retry)),
        thread_([shared = shared_, left = left_] {
          shared->run();
          *left = true;
        }) {}

  ~ThreadedPlayer() override {
    std::unique_lock lock(shared_->mutex);
    shared_->interrupt.stop = true;
    shared_->to_decoder.notify_all();
    const bool finished = shared_->to_caller.wait_for(lock, ending_patience, [&] { return shared_->finished; });
    shared_->queue.clear();
    lock.unlock();
    finished ? thread_.join() : StuckThreads::add(std::move(thread_), left_);
  }

  std::optional<VideoFrame> next_frame(const PlaybackSettings& settings) override;

  void seek_seconds(double seconds) override {
    const std::lock_guard lock(shared_->mutex);
    if (stays_here()) return;
    send({PlayerCommand::to_seconds, std::max(0.0, seconds), 0, shared_->range.ends_before(seconds)});
    show_next_ = true;
    steps_ = 0;
  }
  void seek_frame(std::int64_t number) override {
    const std::lock_guard lock(shared_->mutex);
    if (stays_here()) return;
    send({PlayerCommand::to_frame, 0, std::max<std::int64_t>(0, number)});
    show_next_ = true;
    steps_ = 0;
  }
  void step(int frames) override {
    const std::lock_guard lock(shared_->mutex);
    steps_ += frames;
  }
  bool lead_in(int frames) override {
    const std::lock_guard lock(shared_->mutex);
    if (lead_to_) return true;  // is under way
    if (!can_lead_in_ || !shown_any_ || show_next_ || steps_ != 0 || !settled()) return false;
    if (!shared_->stats.seekable || shared_->still || shared_->failed || shared_->opening) return false;
    send({PlayerCommand::to_frame, 0, std::max<std::int64_t>(0, number_ - frames),
          shared_->range.ends_before(position_)});
    lead_to_ = number_;
    show_next_ = true;
    return true;
  }
  void restart() override {
    const std::lock_guard lock(shared_->mutex);
    shared_->restart = shared_->opening = true;
    shared_->failed = shared_->at_end = false;
    shared_->stats.error.clear();
    shared_->last_error.clear();
    shared_->queue.clear();
    shared_->command = {};
    shared_->interrupt.superseded = true;
    show_next_ = true;
    lead_to_.reset();
    ended_ = false;
    shared_->to_decoder.notify_all();
  }

  SourceStats stats() const override {
    const std::lock_guard lock(shared_->mutex);
    SourceStats stats = shared_->stats;
    stats.still = shared_->still;
    stats.position = position_;
    stats.frame_number = number_;
    if (shown_width_ > 0) stats.width = shown_width_, stats.height = shown_height_;
    stats.ended = ended_ || (shared_->failed && shared_->queue.empty());
    stats.queue_length = static_cast<int>(shared_->queue.size());
    stats.queue_capacity = static_cast<int>(shared_->queue.capacity());
    return stats;
  }
  PlayClock clock() const override {
    const std::lock_guard lock(shared_->mutex);
    const double now = now_seconds();
    const bool stays = shared_->paused || ended_ || shared_->failed || shared_->still || shared_->stats.live;
    const bool moves = show_next_ || steps_ != 0 || !settled() || frames_to_settle_ > 0;
    return {position_, shared_->queue.due(), shared_->speed,
            shared_->pace == Pace::clock && shown_any_ && !stays && !moves && shared_->last_call + stalled > now};
  }
  std::int64_t frames_dropped() const override {
    const std::lock_guard lock(shared_->mutex);
    return shared_->queue.dropped();
  }
  std::optional<double> take_decode_ms() override { return take(shared_->decode_ms); }
  std::optional<std::string> take_error() override { return take(shared_->errors); }

 private:
  template <class T>
  std::optional<T> take(std::deque<T>& list) {
    const std::lock_guard lock(shared_->mutex);
    if (list.empty()) return {};
    std::optional<T> first = std::move(list.front());
    list.pop_front();
    return first;
  }

  // All below with the lock held.
  void send(const PlayerCommand& command) {
    shared_->command = command;
    shared_->interrupt.superseded = true;
    shared_->queue.clear();
    shared_->at_end = false;
    ended_ = false;
    if (std::exchange(lead_to_, {})) show_next_ = false;
    shared_->to_decoder.notify_all();
  }
  // What is known to have no other time goes on undisturbed; before it is, the decoder finds out.
  bool stays_here() {
    const bool stays = shown_any_ && !shared_->still && !shared_->stats.seekable;
    if (stays) shared_->refuse_jump();
    return stays;
  }
  void obey(const PlaybackSettings&);
  bool settled() const { return shared_->command.kind == PlayerCommand::none; }
  bool ready() const { return settled() && !shared_->queue.empty(); }  // a step back empties the queue
  std::optional<VideoFrame> hand_over(std::optional<VideoFrame> frame) {
    if (!frame) return frame;
    shown_any_ = true;
    if (frames_to_settle_ > 0) {
      --frames_to_settle_;
      shared_->time_stands_still = true;
    }
    position_ = frame->seconds;
    number_ = frame->number;
    shown_width_ = frame->format.upright_width(), shown_height_ = frame->format.upright_height();
    shared_->to_decoder.notify_all();
    return frame;
  }
  std::optional<VideoFrame> step_frames(double now);

  std::shared_ptr<DecoderThread> shared_;
  std::shared_ptr<std::atomic<bool>> left_ = std::make_shared<std::atomic<bool>>(false);
  int frames_to_settle_ = 5;
  bool show_next_ = true;                // the next frame to arrive is shown at once, even while paused
  int steps_ = 0;                        // asked for and not yet made
  std::optional<std::int64_t> lead_to_;  // the frames before this one are on their way, and it after them
  bool can_lead_in_ = true;              // it has not happened that they never came
  bool shown_any_ = false, ended_ = false;
  double position_ = 0;
  std::int64_t number_ = 0;
  int shown_width_ = 0, shown_height_ = 0;  // upright; pictures of a sequence may differ
  std::thread thread_;  // uses shared_ alone, and owns it too; joined by the destructor, or by StuckThreads later
};

// Pause, speed and loop as they are now. Frames already decoded for another loop are decoded anew.
void ThreadedPlayer::obey(const PlaybackSettings& settings) {
  shared_->paused = settings.paused;
  shared_->speed = settings.speed;
  // What a paused source begins with is looked at wherever the loop ends, as when the mark was set there.
  const bool begins_paused = settings.paused && !shown_any_;
  const PlayerRange range =
      begins_paused ? PlayerRange{} : PlayerRange{settings.loop, settings.loop_a, settings.loop_b};
  if (range == shared_->range) return;
  const PlayerRange before = std::exchange(shared_->range, range);
  if (shared_->at_end) shared_->wrapped = false;  // the new range may hold frames
  shared_->to_decoder.notify_all();
  if (!shown_any_ || !shared_->stats.seekable || !settled()) return;
  const bool moved =
      before.ends() != range.ends() || before.start() != range.start() || (range.ends() && before.b != range.b);
  // Whoever sets a mark while it is paused goes on looking at that frame.
  if (moved && !settings.paused && !range.holds(position_)) {
    send({PlayerCommand::to_seconds, range.start(), 0});
    show_next_ = true;
  } else if (moved || (before.loop && !range.loop && shared_->queue.holds_wrapped())) {
    if (!ended_) send({PlayerCommand::to_frame, 0, number_ + 1});
  }
}

std::optional<VideoFrame> ThreadedPlayer::step_frames(double now) {
  if (steps_ < 0) {
    if (shared_->stats.seekable) {
      send({PlayerCommand::to_frame, 0, std::max<std::int64_t>(0, number_ + steps_),
            shared_->range.ends_before(position_)});
      show_next_ = true;
    } else {
      shared_->refuse_jump();
    }
    steps_ = 0;
    return {};
  }
  std::optional<VideoFrame> frame;
  while (steps_ > 0 && !shared_->queue.empty()) {
    frame = shared_->queue.take_first(now);
    number_ = frame->number;
    shared_->to_decoder.notify_all();
    --steps_;
  }
  return steps_ == 0 ? std::move(frame) : std::nullopt;
}

std::optional<VideoFrame> ThreadedPlayer::next_frame(const PlaybackSettings& settings) {
  std::unique_lock lock(shared_->mutex);
  obey(settings);
  PlaybackQueue& queue = shared_->queue;
  while (true) {
    const double now = now_seconds();
    // The caller's first frames are slow: code is loaded, textures are made. Time begins to run after them.
    const bool settling = std::exchange(shared_->time_stands_still, false);
    if (std::exchange(shared_->last_call, now) + stalled < now || settings.paused || settling) queue.restart_clock(now);
    if (show_next_ && ready()) {
      VideoFrame frame = queue.take_first(now);
      if (lead_to_ && frame.number < *lead_to_) {
        frame.leads = true;
        shared_->to_decoder.notify_all();
        return frame;
      }
      show_next_ = false;
      lead_to_.reset();
      return hand_over(std::move(frame));
    }
    if (steps_ != 0 && !show_next_ && shown_any_)
      if (std::optional<VideoFrame> frame = step_frames(now)) return hand_over(std::move(frame));
    const bool wanted = show_next_ || steps_ != 0;
    if (settings.paused && !wanted) return {};

    const bool over = settled() && queue.empty() && shared_->at_end;
    // At the end again right after the seam: there is nothing between the loop's ends.
    const bool nothing = shared_->at_end && shared_->wrapped;
    const bool comes_again = settings.loop && !shared_->still && !nothing;
    if (comes_again) {
      ended_ = false;
    } else if (over && (shared_->pace == Pace::clock || !settings.loop || nothing)) {
      ended_ = !(shared_->still && shared_->pace == Pace::clock);  // a picture stays for ever
      steps_ = 0;
      show_next_ = false;
      if (std::exchange(lead_to_, {})) can_lead_in_ = false;
    }
    if (ended_ || (shared_->failed && queue.empty())) return {};
    if (shared_->pace == Pace::clock) {
      if (wanted) return {};
      return hand_over(queue.take_due(now, settings.speed));
    }
    if (ready() && steps_ == 0) return hand_over(queue.take_first(now));
    if (shared_->to_caller.wait_for(lock, longest_wait) == std::cv_status::timeout) return {};
  }
}

}  // namespace

std::unique_ptr<Player> Player::open(const SourceSettings& source, const DecodeTarget& target, Pace pace, Retry retry) {
  check_source(source);
  return std::make_unique<ThreadedPlayer>(source, target, pace, retry);
}

}  // namespace convoscope
