#include "tests/media/media_test.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <thread>

namespace convoscope::test {

namespace fs = std::filesystem;

std::string clip_folder() {
  fs::create_directories(CLIP_FOLDER);
  return CLIP_FOLDER;
}

std::string fresh_folder(const std::string& name) {
  const std::string path = clip_folder() + "/" + name;
  fs::remove_all(path);
  fs::create_directories(path);
  return path;
}

int run(const std::string& command) {
  const int status = std::system(command.c_str());
  return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}

std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = ::popen(command.c_str(), "r");
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  ::pclose(pipe);
  return text;
}

bool has_encoder(const std::string& name) {
  static const std::string list = output_of("ffmpeg -hide_banner -encoders 2>/dev/null");
  return list.find(" " + name + " ") != std::string::npos;
}

std::string made_file(const std::string& file, const std::string& command) {
  const std::string path = clip_folder() + "/" + file;
  if (fs::exists(path)) return path;
  // Under another name first: tests run side by side.
  const std::string draft = clip_folder() + "/" + std::to_string(::getpid()) + "-" + file;
  std::string line = command;
  for (std::size_t at; (at = line.find("OUT")) != std::string::npos;) line.replace(at, 3, "'" + draft + "'");
  const int status = run(line);
  EXPECT_EQ(status, 0) << line;
  if (status == 0) fs::rename(draft, path);
  return path;
}

std::string coded_clip(const std::string& file, int frames, const std::string& options, const std::string& rate,
                       int width, int height) {
  const std::string source = "color=black:s=" + std::to_string(width) + "x" + std::to_string(height) + ":r=" + rate +
                             ",format=yuv444p,geq=lum='if(mod(floor(N/pow(2,floor(8*X/W))),2),210,40)':cb=128:cr=128";
  return made_file(file, "ffmpeg -nostdin -v error -y -f lavfi -i \"" + source + "\" -frames:v " +
                             std::to_string(frames) + " " + options + " OUT");
}

int code_of(const VideoFrame& frame) {
  const VideoFormat& format = frame.format;
  int code = 0;
  for (int bit = 0; bit < 8; ++bit) {
    const int x = (2 * bit + 1) * format.width / 16, y = format.height / 2;
    const int plane = 0, samples = format.layout == PlaneLayout::rgba ? 4 : 1;
    const auto* row =
        static_cast<const std::uint8_t*>(frame.planes[plane]) + static_cast<std::size_t>(y) * frame.pitch[plane];
    double level;
    if (format.bits > 8)
      level = (reinterpret_cast<const std::uint16_t*>(row)[x] >> format.shift) / static_cast<double>(1 << format.bits);
    else
      level = row[x * samples] / 256.0;
    code |= (level > 0.5) << bit;
  }
  return code;
}

std::uint64_t hash_of(const VideoFrame& frame) {
  std::uint64_t hash = 14695981039346656037ull;
  for (int y = 0; y < frame.format.height; ++y) {
    const auto* row = static_cast<const std::uint8_t*>(frame.planes[0]) + static_cast<std::size_t>(y) * frame.pitch[0];
    for (int i = 0; i < 4 * frame.format.width; ++i) hash = (hash ^ row[i]) * 1099511628211ull;
  }
  return hash;
}

PlaybackSettings once() {
  PlaybackSettings settings;
  settings.loop = false;
  return settings;
}
PlaybackSettings paused() {
  PlaybackSettings settings = once();
  settings.paused = true;
  return settings;
}

std::unique_ptr<Player> open(const std::string& input, Pace pace, const DecodeTarget& target) {
  SourceSettings source;
  source.input = input;
  return Player::open(source, target, pace);
}

std::vector<VideoFrame> play(Player& player, const PlaybackSettings& settings, std::size_t most) {
  std::vector<VideoFrame> frames;
  while (frames.size() < most) {
    std::optional<VideoFrame> frame = player.next_frame(settings);
    if (!frame) {
      if (player.stats().ended) break;
      continue;
    }
    frames.push_back(std::move(*frame));
  }
  return frames;
}

VideoFrame next(Player& player, const PlaybackSettings& settings) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (std::chrono::steady_clock::now() < end) {
    if (std::optional<VideoFrame> frame = player.next_frame(settings)) return *frame;
    if (player.stats().ended) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  ADD_FAILURE() << "no frame; " << player.stats().error;
  VideoFrame none;
  none.number = -1;
  static const std::uint8_t black[4] = {};
  none.format.width = none.format.height = 1;
  none.planes[0] = black;
  none.pitch[0] = 4;
  return none;
}

void wait_until_full(const Player& player) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(20);
  while (player.stats().queue_length < player.stats().queue_capacity) {
    if (std::chrono::steady_clock::now() > end) {
      ADD_FAILURE() << "only " << player.stats().queue_length << " frames";
      return;
    }
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
}

std::optional<std::string> wait_for_error(Player& player, const PlaybackSettings& settings, double seconds) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::duration<double>(seconds);
  while (std::chrono::steady_clock::now() < end) {
    player.next_frame(settings);
    if (std::optional<std::string> error = player.take_error()) return error;
    if (player.stats().ended) return player.take_error();
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  }
  return {};
}

}  // namespace convoscope::test
