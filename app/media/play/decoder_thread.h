#pragma once
// The thread that opens a source, decodes ahead of time, goes where it is told, and tries again after failures; with
// all that it shares with the player's caller.
#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>

#include "app/media/play/playback_queue.h"
#include "app/media/read/frame_reader.h"

namespace convoscope {

constexpr std::size_t usual_capacity = 5;
constexpr int held_by_caller = 4;  // frames the caller's device may still be reading
constexpr double stalled = 1;      // seconds without a call of next_frame(), after which time has stood still

double now_seconds();  // of a steady clock

struct PlayerCommand {
  enum Kind { none, to_seconds, to_frame } kind = none;
  double seconds = 0;
  std::int64_t frame = 0;
  bool beyond_b = false;  // whoever asks for a place behind the loop sees it; from the end on the loop is played again
};

struct PlayerRange {
  bool loop = true;
  std::optional<double> a, b;
  bool operator==(const PlayerRange&) const = default;
  // What is played again and again: all, from A on, or as far as B.
  double start() const { return loop && a ? *a : 0; }
  bool ends() const { return loop && b && *b > a.value_or(0); }
  bool ends_before(double seconds) const { return ends() && seconds >= *b; }
  bool holds(double seconds) const { return seconds >= start() - 1e-6 && !ends_before(seconds); }
};

// What the caller's thread and the decoder thread share. Owned by both, so that a decoder stuck in the system's name
// resolution, which nothing can interrupt, does not hold up the program's end.
struct DecoderThread {
  DecoderThread(const SourceSettings& source, const DecodeTarget& target, Pace chosen_pace, Retry retry)
      : options{source, target, static_cast<int>(usual_capacity) + held_by_caller}, pace(chosen_pace), retries(retry) {
    stats.name = source.input;
  }
  void run();
  void refuse_jump();  // tells that there is no way back or ahead; with the lock held

  const ReaderOptions options;
  const Pace pace;
  const Retry retries;
  Interrupt interrupt;

  std::mutex mutex;  // everything below
  std::condition_variable to_decoder, to_caller;
  PlaybackQueue queue{usual_capacity};
  PlayerCommand command;
  bool restart = false;
  PlayerRange range{false, {}, {}};  // until the caller says more: what is decoded ahead may be wanted once only
  double speed = 1;
  bool paused = false;
  double last_call = 0;            // of next_frame()
  bool time_stands_still = false;  // until a first frame, which is slow to draw, is on screen: nothing is late
  bool opening = true;             // or failed and to be tried again
  bool failed = false;             // for good, until restart()
  bool at_end = false;             // the decoder has nothing more to give, unless it is sent elsewhere
  bool wrapped = false;            // the next frame is the first after a loop's seam
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
  Next wait_for_work(PlayerCommand& taken);
  void publish(FrameReader&, const SourceStats&);
  double last_seconds_ = 0;  // of the newest frame in the queue
  double resume_at_ = 0;     // where a lost source that can be sought goes on; 0: from its beginning
  bool played_ = false;
  bool beyond_b_ = false;  // as the last command said, until the loop's seam
  bool jump_ = true;       // the next frame is shown as soon as it is there
};

}  // namespace convoscope
