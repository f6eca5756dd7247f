#pragma once
// A source being played: a decoder thread fills a bounded queue, the caller's thread takes frames as they fall due.
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/convert/video_frame.h"

namespace convoscope {

// What the decoder may use of the GPU. Without it frames arrive in host memory.
struct DecodeTarget {
  bool cuda = false;    // NVDEC where the device and the codec allow; else planes for the GPU to convert
  bool planes = false;  // software frames as decoded, for a FrameConverter (cuda implies it); else rgba, which is slow
  int device = 0;
  // Pinned memory for software frames; may be empty. Called from the decoder's threads, by one at a time, and what it
  // returns is freed on any thread, both possibly after the player has gone: it keeps nothing that may go first.
  std::function<std::shared_ptr<void>(std::size_t)> allocate_host;
};

enum class Pace {
  clock,  // frames fall due by the wall clock; late ones are dropped and counted
  every,  // every frame once, as fast as the caller takes them (offscreen, rendering)
};

// A stream or a camera that fails is tried again until it is back.
enum class Retry { never, once_it_played, always };

// Where the picture is: at `position`, seconds of the source, at the time `at`, seconds of a steady clock, and on from
// there.
struct PlayClock {
  double position = 0, at = 0, speed = 1;
  bool runs = false;  // else it is paused, has ended, is on its way to another place, or follows no clock
};

// All calls from one thread; none of them waits for decoding except next_frame() with Pace::every, for a tenth
// of a second at most.
class Player {
 public:
  // Opens in the background for Pace::clock; throws Error only for arguments that cannot be right. Failures of the
  // source arrive through take_error().
  static std::unique_ptr<Player> open(const SourceSettings&, const DecodeTarget&, Pace, Retry = Retry::always);
  virtual ~Player() = default;

  // The frame to show now, or empty when the one on screen stays. Honours pause, speed, loop and A–B.
  virtual std::optional<VideoFrame> next_frame(const PlaybackSettings&) = 0;
  virtual void seek_seconds(double) = 0;      // exact: the next frame is the one shown at that time
  virtual void seek_frame(std::int64_t) = 0;  // exact
  virtual void step(int frames) = 0;          // ±; the frame arrives through next_frame() even while paused
  // The frame that next_frame() gave last comes once more, after so many before it, which say VideoFrame::leads. False:
  // those cannot be had, or another frame is asked for already.
  virtual bool lead_in(int frames) = 0;
  virtual void restart() = 0;  // after an error: tries the source again

  virtual SourceStats stats() const = 0;
  virtual PlayClock clock() const = 0;
  virtual std::int64_t frames_dropped() const = 0;
  virtual std::optional<double> take_decode_ms() = 0;  // per decoded frame, oldest first; empty when none is new
  // A plain sentence; playback goes on, has ended or will retry, as it says.
  virtual std::optional<std::string> take_error() = 0;
};

}  // namespace convoscope
