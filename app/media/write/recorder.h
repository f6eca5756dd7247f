#pragma once
// Writes composed frames to a video file from a thread of its own.
#include <cstdint>
#include <map>
#include <memory>
#include <string>

#include "app/media/write/picture_planes.h"
#include "app/state/settings.h"
#include "kernels/contract/data/image.h"

namespace convoscope {

struct RecordingSettings {
  std::string path;           // .mkv, .mp4 (fragmented, so that a killed program leaves a playable file)
  int width = 0, height = 0;  // odd sizes are padded to even where the codec needs it
  double rate = 30;
  RecordingCodec codec = RecordingCodec::automatic;  // H.264; ffv1 (without loss) in .mkv only
  RecordingQuality quality = RecordingQuality::good;
  bool prefer_nvenc = false;
  bool live = false;  // pictures come by the clock: faster presets when they are large and many
  int tick_numerator = 1,
      tick_denominator = 60000;  // seconds; every usual rate in whole units, as fine as mpeg4 allows
  int pixel_aspect_width = 1, pixel_aspect_height = 1;
  std::string sound;             // a file whose sound is copied while pictures are in step with it; empty: no sound
  bool trust_playlists = false;  // when that is one
  SoundSettings filtering;       // where it is filtered at the beginning, it is encoded, and follows what is changed
  std::map<std::string, std::string> metadata;
  bool lossless() const { return codec == RecordingCodec::ffv1; }
};

// Calls from one thread.
class Recorder {
 public:
  // Checks what is quick to check (throws Error); the encoder and the file are opened by the recorder's own thread, so
  // that a live view loses no time. Pictures may be added at once.
  static std::unique_ptr<Recorder> open(const RecordingSettings&);
  virtual ~Recorder() = default;       // finishes the file
  virtual void wait_until_open() = 0;  // throws Error: codec, folder, permission

  virtual const PicturePlanes& planes() const = 0;  // what add() takes
  // Borrows the picture, which is read in place by the recorder's thread. Never waits. False: the recording has stopped
  // or is closing, and the picture was not borrowed.
  virtual bool add(const LentPicture&) = 0;
  virtual void filter_sound(const SoundSettings&) = 0;  // from about the next picture on
  // Takes no more pictures and begins to finish; does not wait. One that is not `whole` does not get its name, see
  // where_left(). The first call counts.
  virtual void close(bool whole = true) = 0;
  virtual bool closed() const = 0;
  // close(), and waits; throws Error when the file is not whole. Without a picture there is none.
  virtual void finish() = 0;

  virtual std::int64_t frames_written() const = 0;
  virtual std::string where_left() const = 0;  // "'r.part.mkv'"; empty: it took its name
  virtual std::string error() const = 0;       // disk full, encoder lost; what was written stays playable
  virtual std::string encoder() const = 0;     // "libx264 veryfast", "h264_nvenc", once open
  virtual std::string note() const = 0;  // what became of the sound: ", sound copied"; a sentence's end, may be empty
};

}  // namespace convoscope
