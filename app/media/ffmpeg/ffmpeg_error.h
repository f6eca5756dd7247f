#pragma once
// FFmpeg's error codes as sentences, and its log sent to spdlog.
#include <cstdint>
#include <optional>
#include <string>

namespace convoscope {

// Once per process, before anything else of FFmpeg; any thread. Its log goes to spdlog at debug level.
void prepare_ffmpeg();

// "Connection refused": FFmpeg's or the system's own words for a code, without a full stop.
std::string ffmpeg_text(int code);

// Why `name` cannot be opened or read on, and what to do; `name` as the user gave it.
std::string why_not_readable(const std::string& name, int code);

// How many errors demuxers have told in this thread. What they can go on after they tell only to the log.
int demuxer_errors_told();

// What the opaque pointer of a decoder's context points to, if anything: told when the decoder tells an error, from
// whichever of its threads. Some put up with damage and tell of it only to the log.
class HearsErrors {
 public:
  virtual void hear_error(std::int64_t packet) = 0;  // its number by packet_number()

 protected:
  ~HearsErrors() = default;
};

// The size of the last picture that FFmpeg took for nonsense in this thread since it was asked before: it tells that
// only to its log, and calls the picture damaged.
struct RefusedSize {
  int width = 0, height = 0;
};
std::optional<RefusedSize> take_refused_size();

// Throws Error when what starts threads says by its code that there are no more.
void check_threads(int code);

}  // namespace convoscope
