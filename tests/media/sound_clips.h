#pragma once
// Sound whose samples say when they are: the left channel is the time over twenty seconds, the right one its negative.
#include <string>

#include "app/state/settings.h"
#include "tests/media/media_test.h"

namespace convoscope::test {

inline constexpr double length = 20;  // seconds
inline constexpr int rate = 48000;

inline std::string timed_clip(const std::string& file, const std::string& options, const std::string& sound = "") {
  return made_file(file, "ffmpeg -v error -y -f lavfi -i color=gray:size=64x48:rate=25:duration=20 " + sound +
                             " -f lavfi -i \"aevalsrc='t/20|-t/20':s=48000:d=20\" -c:v ffv1 " + options + " OUT");
}
inline std::string plain_clip() { return timed_clip("timed.mkv", "-c:a pcm_f32le"); }

// The right one is the left one's.
inline std::string both_alike() { return timed_clip("alike.mkv", "-c:a pcm_f32le -af \"pan=stereo|FL=c0|FR=c0\""); }

inline SourceSettings source_of(const std::string& path) {
  SourceSettings source;
  source.input = path;
  return source;
}

}  // namespace convoscope::test
