#pragma once
// Real files made with the ffmpeg command at test time, whose frames say their own number, and ways to play them.
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "app/media/play/player.h"

namespace convoscope::test {

constexpr int code_width = 128, code_height = 64;

// A folder for the clips, kept between the tests; and one for files of this test alone, empty.
std::string clip_folder();
std::string fresh_folder(const std::string& name);

bool has_encoder(const std::string& name);
// Runs a command line; its exit status. Its output is shown when `show`.
int run(const std::string& command);
std::string output_of(const std::string& command);

// The path of a clip made by ffmpeg from `frames` coded frames of `rate` frames a second: 8 columns, each bright when
// its bit of the frame number is set, the lowest on the left. `options`: all after the input. Made once.
std::string coded_clip(const std::string& file, int frames, const std::string& options, const std::string& rate = "25",
                       int width = code_width, int height = code_height);
// Any file made by a command in which OUT stands for its path. Made once.
std::string made_file(const std::string& file, const std::string& command);

// The number that a frame of a coded clip shows (of its upright, unrotated picture); from rgba or from luma.
int code_of(const VideoFrame&);
std::uint64_t hash_of(const VideoFrame&);  // of every pixel of an rgba frame

PlaybackSettings once();
PlaybackSettings paused();
std::unique_ptr<Player> open(const std::string& input, Pace pace = Pace::every, const DecodeTarget& = {});

// With Pace::every: frames until the end, an error without retry, or `most`.
std::vector<VideoFrame> play(Player&, const PlaybackSettings& = once(), std::size_t most = 100000);
// The next frame, waited for up to 20 s with Pace::clock; fails the test when none comes.
VideoFrame next(Player&, const PlaybackSettings&);
void wait_until_full(const Player&);  // as many frames are decoded as it keeps; likewise
std::optional<std::string> wait_for_error(Player&, const PlaybackSettings& = once(), double seconds = 20);

}  // namespace convoscope::test
