#include "app/media/player.h"

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <utility>

#include "app/media/frame_reader.h"
#include "app/media/playback_queue.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t usual_capacity = 5;
constexpr int held_by_caller = 4;  // frames the caller's device may still be reading
constexpr auto retry_pause = std::chrono::seconds(2);
constexpr double stalled = 1;  // seconds without a call of next_frame(), after which time has stood still

double now_seconds() { return Seconds(Clock::now().time_since_epoch()).count(); }

struct Command {
  enum Kind { none, to_seconds, to_frame } kind = none;
  double seconds = 0;
  std::int64_t frame = 0;
};

struct Range {
  bool loop = true;
  std::optional<double> a, b;
  bool operator==(const Range&) const = default;
  bool between() const { return a && b && *b > *a; }
};

// What the caller's thread and the decoder thread share. Owned by both, so that a decoder stuck in the system's name
// resolution, which nothing can interrupt, does not hold up the program's end.
struct Shared {
  Shared(const SourceSettings& source, const DecodeTarget& target, Pace chosen_pace)
      : options{source, target, static_cast<int>(usual_capacity) + held_by_caller}, pace(chosen_pace) {
    stats.name = source.input;
  }
  void run();

  const ReaderOptions options;
  const Pace pace;
  Interrupt interrupt;

  std::mutex mutex;  // everything below
  std::condition_variable to_decoder, to_caller;
  PlaybackQueue queue{usual_capacity};
  Command command;
  bool restart = false;
  Range range;
  double speed = 1;
  bool paused = false;
  double last_call = 0;  // of next_frame()
  bool opening = true;   // or failed and to be tried again
  bool failed = false;   // for good, until restart()
  bool at_end = false;   // the decoder has nothing more to give, unless it is sent elsewhere
  bool wrapped = false;  // the next frame is the first after a loop's seam
  bool still = false;
  bool finished = false;  // run() has returned
  SourceStats stats;
  std::deque<double> decode_ms;
  std::deque<std::string> errors;
  std::string last_error;

 private:
  void report(const std::string& text, bool retry);
  void play(FrameReader&);
  enum class Next { read, command, wrap, leave, look };
  Next wait_for_work(Command& taken);
  void publish(FrameReader&, const SourceStats&);
  bool jump_ = true;  // the next frame is shown as soon as it is there
};

void Shared::report(const std::string& text, bool retry) {
  const std::lock_guard lock(mutex);
  stats.error = text + (retry ? " Trying again every 2 seconds." : "");
  failed = !retry;
  opening = retry;
  if (stats.error != last_error) errors.push_back(stats.error);
  last_error = stats.error;
  to_caller.notify_all();
}

void Shared::run() {
  const bool retry = worth_retrying(options.source);
  while (!interrupt.stop) {
    std::string failure;
    try {
      const std::unique_ptr<FrameReader> reader = open_reader(options, interrupt);
      play(*reader);
    } catch (const Error& error) {
      failure = error.what();
    } catch (const std::bad_alloc&) {
      failure = "There is not enough memory to play '" + options.source.input + "'. Close other programs.";
    }
    if (!failure.empty() && !interrupt.stop) report(failure, retry);
    std::unique_lock lock(mutex);
    const auto wanted = [&] { return interrupt.stop || restart; };
    if (!failure.empty() && retry)
      to_decoder.wait_for(lock, retry_pause, wanted);
    else if (!failure.empty())
      to_decoder.wait(lock, wanted);
    if (restart) {  // from the beginning, as if opened anew
      restart = failed = at_end = false;
      opening = true;
      queue.clear();
    }
    jump_ = true;
    wrapped = false;
  }
  const std::lock_guard lock(mutex);
  finished = true;
  to_caller.notify_all();
}

// Sleeps until the decoder has something to do, dropping frames that were overtaken while nobody took them.
Shared::Next Shared::wait_for_work(Command& taken) {
  std::unique_lock lock(mutex);
  while (true) {
    if (interrupt.stop || restart) return Next::leave;
    if (command.kind != Command::none) {
      taken = std::exchange(command, {});
      interrupt.superseded = false;
      return Next::command;
    }
    if (at_end) {
      const bool again = (range.loop || range.between()) && !(still && pace == Pace::clock);
      if (again && !wrapped) return Next::wrap;
    } else if (!queue.full()) {
      return Next::read;
    } else if (pace == Pace::clock && !paused && now_seconds() - last_call < stalled) {
      if (queue.drop_late(now_seconds(), speed) > 0) continue;
      if (const std::optional<double> when = queue.overtaken_at(speed)) {
        to_decoder.wait_for(lock, Seconds(std::max(0.001, *when - now_seconds())));
        continue;
      }
    }
    // Now and then the reader has learned something, such as how many frames there are.
    if (to_decoder.wait_for(lock, std::chrono::milliseconds(250)) == std::cv_status::timeout) return Next::look;
  }
}

void Shared::publish(FrameReader& reader, const SourceStats& described) {
  // A large picture: fewer of them in memory.
  const double pixels = static_cast<double>(described.width) * described.height;
  const std::lock_guard lock(mutex);
  queue.set_capacity(pixels > 64e6 ? 2 : usual_capacity);
  still = reader.still();
  const std::string name = stats.name;
  stats = described;
  stats.name = name;
}

void Shared::play(FrameReader& reader) {
  publish(reader, reader.describe());
  while (true) {
    Command taken;
    const Next next = wait_for_work(taken);
    if (next == Next::leave) return;
    if (next == Next::look) {
      if (reader.changed()) publish(reader, reader.describe());
      continue;
    }
    if (next == Next::command) {
      const bool arrived =
          taken.kind == Command::to_frame ? reader.seek_frame(taken.frame) : reader.seek_seconds(taken.seconds);
      const std::lock_guard lock(mutex);
      if (arrived) at_end = wrapped = false;
      continue;
    }
    if (next == Next::wrap) {
      double a = 0;
      {
        const std::lock_guard lock(mutex);
        a = range.between() ? *range.a : 0;
      }
      if (!reader.still() && !reader.describe().seekable) return;  // opened again from the start
      if (!(a > 0 ? reader.seek_seconds(a) : reader.seek_frame(0))) continue;
      const std::lock_guard lock(mutex);
      wrapped = true;
      at_end = false;
      continue;
    }

    const Clock::time_point start = Clock::now();
    FrameReader::Frame frame;
    const bool got = reader.read(frame);
    const double milliseconds = Seconds(Clock::now() - start).count() * 1000;
    const std::optional<std::string> warning = reader.take_warning();
    if (reader.changed()) publish(reader, reader.describe());

    const std::lock_guard lock(mutex);
    if (warning) errors.push_back(*warning);
    const bool beyond = got && range.between() && frame.picture.seconds >= *range.b - 1e-6;
    if (interrupt.stop || command.kind != Command::none || restart) continue;  // this frame is no longer wanted
    if (!got || beyond) {
      at_end = true;  // with wrapped still set, nothing lies between the seam and the end: no endless search
      opening = false;
    } else {
      decode_ms.push_back(milliseconds);
      if (decode_ms.size() > 512) decode_ms.pop_front();
      if (reader.shown_on_arrival() && pace == Pace::clock && queue.full()) queue.drop_late(now_seconds(), speed);
      queue.push({std::move(frame.picture), frame.duration, wrapped, jump_ || reader.shown_on_arrival()});
      jump_ = wrapped = opening = false;
      last_error.clear();
      stats.error.clear();
    }
    to_caller.notify_all();
  }
}

class ThreadedPlayer : public Player {
 public:
  ThreadedPlayer(const SourceSettings& source, const DecodeTarget& target, Pace pace)
      : shared_(std::make_shared<Shared>(source, target, pace)), thread_([shared = shared_] { shared->run(); }) {}

  ~ThreadedPlayer() override {
    std::unique_lock lock(shared_->mutex);
    shared_->interrupt.stop = true;
    shared_->to_decoder.notify_all();
    const bool finished = shared_->to_caller.wait_for(lock, std::chrono::seconds(3), [&] { return shared_->finished; });
    shared_->queue.clear();
    lock.unlock();
    finished ? thread_.join() : thread_.detach();
  }

  std::optional<VideoFrame> next_frame(const PlaybackSettings& settings) override;

  void seek_seconds(double seconds) override {
    const std::lock_guard lock(shared_->mutex);
    send({Command::to_seconds, std::max(0.0, seconds), 0});
    show_next_ = true;
    steps_ = 0;
  }
  void seek_frame(std::int64_t number) override {
    const std::lock_guard lock(shared_->mutex);
    send({Command::to_frame, 0, std::max<std::int64_t>(0, number)});
    show_next_ = true;
    steps_ = 0;
  }
  void step(int frames) override {
    const std::lock_guard lock(shared_->mutex);
    steps_ += frames;
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
    ended_ = false;
    shared_->to_decoder.notify_all();
  }

  SourceStats stats() const override {
    const std::lock_guard lock(shared_->mutex);
    SourceStats stats = shared_->stats;
    stats.position = position_;
    stats.frame_number = number_;
    stats.ended = ended_ || shared_->failed;
    stats.queue_length = static_cast<int>(shared_->queue.size());
    stats.queue_capacity = static_cast<int>(shared_->queue.capacity());
    return stats;
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
  void send(const Command& command) {
    shared_->command = command;
    shared_->interrupt.superseded = true;
    shared_->queue.clear();
    shared_->at_end = false;
    ended_ = false;
    shared_->to_decoder.notify_all();
  }
  void obey(const PlaybackSettings&);
  bool settled() const { return shared_->command.kind == Command::none; }
  std::optional<VideoFrame> hand_over(std::optional<VideoFrame> frame) {
    if (!frame) return frame;
    shown_any_ = true;
    position_ = frame->seconds;
    number_ = frame->number;
    shared_->to_decoder.notify_all();
    return frame;
  }
  std::optional<VideoFrame> step_frames(double now);

  std::shared_ptr<Shared> shared_;
  bool show_next_ = true;  // the next frame to arrive is shown at once, even while paused
  int steps_ = 0;          // asked for and not yet made
  bool shown_any_ = false, ended_ = false;
  double position_ = 0;
  std::int64_t number_ = 0;
  std::thread thread_;
};

// Pause, speed and loop as they are now. Frames already decoded for another loop are decoded anew.
void ThreadedPlayer::obey(const PlaybackSettings& settings) {
  shared_->paused = settings.paused;
  shared_->speed = settings.speed;
  const Range range{settings.loop, settings.loop_a, settings.loop_b};
  if (range == shared_->range) return;
  const Range before = std::exchange(shared_->range, range);
  if (shared_->at_end) shared_->wrapped = false;  // the new range may hold frames
  shared_->to_decoder.notify_all();
  if (!shown_any_ || !shared_->stats.seekable || !settled()) return;
  const bool moved =
      before.between() != range.between() || (range.between() && (before.a != range.a || before.b != range.b));
  if (moved && range.between() && (position_ < *range.a - 1e-6 || position_ >= *range.b)) {
    send({Command::to_seconds, *range.a, 0});
    show_next_ = true;
  } else if (moved || (before.loop && !range.loop && shared_->queue.holds_wrapped())) {
    if (!ended_) send({Command::to_frame, 0, number_ + 1});
  }
}

std::optional<VideoFrame> ThreadedPlayer::step_frames(double now) {
  if (steps_ < 0) {
    if (shared_->stats.seekable) {
      send({Command::to_frame, 0, std::max<std::int64_t>(0, number_ + steps_)});
      show_next_ = true;
    } else {
      shared_->errors.push_back("'" + shared_->stats.name +
                                "' cannot go back: it is live. Record it to step through it.");
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
    if (std::exchange(shared_->last_call, now) + stalled < now || settings.paused) queue.restart_clock(now);
    const bool ready = settled() && !queue.empty();
    if (show_next_ && ready) {
      show_next_ = false;
      return hand_over(queue.take_first(now));
    }
    if (steps_ != 0 && !show_next_ && shown_any_)
      if (std::optional<VideoFrame> frame = step_frames(now)) return hand_over(std::move(frame));
    const bool wanted = show_next_ || steps_ != 0;
    if (settings.paused && !wanted) return {};

    const bool over = settled() && queue.empty() && shared_->at_end;
    // At the end again right after the seam: there is nothing between the loop's ends.
    const bool nothing = shared_->at_end && shared_->wrapped;
    const bool comes_again = (settings.loop || shared_->range.between()) && !shared_->still && !nothing;
    if (comes_again) {
      ended_ = false;
    } else if (over && (shared_->pace == Pace::clock || !settings.loop || nothing)) {
      ended_ = !(shared_->still && shared_->pace == Pace::clock);  // a picture stays for ever
      steps_ = 0;
      show_next_ = false;
    }
    if (shared_->failed || ended_) return {};
    if (shared_->pace == Pace::clock) {
      if (wanted) return {};
      return hand_over(queue.take_due(now, settings.speed));
    }
    if (ready && steps_ == 0) return hand_over(queue.take_first(now));
    // A stream that is being tried again may never come: let the caller draw and see the message.
    if (shared_->opening && !shared_->stats.error.empty()) {
      shared_->to_caller.wait_for(lock, std::chrono::milliseconds(100));
      if (queue.empty()) return {};
    } else {
      shared_->to_caller.wait(lock);
    }
  }
}

}  // namespace

std::unique_ptr<Player> Player::open(const SourceSettings& source, const DecodeTarget& target, Pace pace) {
  check_source(source);
  return std::make_unique<ThreadedPlayer>(source, target, pace);
}

}  // namespace convoscope
