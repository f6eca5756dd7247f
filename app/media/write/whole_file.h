#pragma once
// A file from its first to its last frame, into another file: every picture once, with its exact time, the sound as it
// is. The caller filters each picture between read() and write().
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>

#include "app/media/ffmpeg/interrupt.h"
#include "kernels/convert/video_frame.h"
#include "kernels/convert/yuv_layout.h"
#include "kernels/text/error.h"

namespace convoscope {

struct WholeFileSettings {
  std::string input;   // a file, a sequence or an address with an end; "-": y4m on standard input
  std::string output;  // .mp4, .mov, .mkv, .y4m, or a picture's (picture_file.h); "-": y4m on standard output
  bool trust_playlists = false;
  std::int64_t max_pixels = INT64_MAX;
  bool lossless = false;  // FFV1 in .mkv, 4:4:4 in y4m
  // Where pictures are decoded to; gives none, or is empty: ordinary memory. Called from FFmpeg's threads.
  std::function<std::shared_ptr<void>(std::size_t)> allocate;
};

// What goes with a picture from read() to write().
struct PictureMoment {
  std::int64_t number = 0;
  std::int64_t time = 0, duration = 0;  // in the stream's units
  std::shared_ptr<void> sound;          // read before it
};

// Who reads our standard output has gone, or takes nothing while the interrupt says stop.
struct PipeClosed : Error {
  using Error::Error;
};

// The picture's size changes: the output, which cannot follow, has what comes before.
struct SizeChanged : Error {
  using Error::Error;
};

// read() and take_warning() from one thread, write() from one that may be another. Everything else from whoever owns
// it, while neither is under way.
class WholeFile {
 public:
  // Opens the input; the output is made by the first write(), so that a bad input leaves it alone. Throws Error.
  // `interrupt` outlives the object; its `stop` makes read() return false.
  static std::unique_ptr<WholeFile> open(const WholeFileSettings&, Interrupt& interrupt);
  virtual ~WholeFile() = default;

  virtual bool read(VideoFrame&, PictureMoment&) = 0;  // the next picture, in host memory; false at the end

  // Before the first write(), from any thread: what the output says of itself.
  virtual void set_output(bool prefer_nvenc, std::map<std::string, std::string> metadata) = 0;
  // Any thread: the planes that write_planes() takes of pictures of this size; none: write() takes colours.
  virtual std::optional<YuvLayout> planes_for(int width, int height) const = 0;
  // What became of a picture, one moment after the other: upright, in host memory.
  virtual void write(const Image& rgba, const PictureMoment&) = 0;
  virtual void write_planes(std::shared_ptr<void> block, const YuvLayout&, int width, int height,
                            const PictureMoment&) = 0;
  // Flushes and closes, and the output takes its name if it is `whole` and the input was. Throws Error when it could
  // not be written; what was written plays.
  virtual void finish(bool whole) = 0;
  // "'out.part.mkv'", which is no whole result; empty: what was written is under its name, or there is nothing.
  virtual std::string where_left() const = 0;

  virtual std::int64_t frames_expected() const = 0;  // roughly; 0: unknown
  virtual int width_expected() const = 0;            // as stored; 0: unknown
  virtual int height_expected() const = 0;
  virtual std::string encoder() const = 0;                // once written to
  virtual int sound_streams() const = 0;                  // that are copied
  virtual bool cut_short() const = 0;                     // by now: cut off or damaged, so that something is missing
  virtual std::string note() const = 0;                   // what is not as in the input; the end of a sentence
  virtual std::optional<std::string> take_warning() = 0;  // a plain sentence
};

}  // namespace convoscope
