#pragma once
// What a file probably holds, by the ending of its name.
#include <algorithm>
#include <array>
#include <cctype>
#include <string>
#include <string_view>

#include "app/state/files.h"

namespace convoscope {

// The desktop's entry in assets/ names the types of these three; tests/cli compares.
inline constexpr std::array<std::string_view, 18> video_endings{"mp4", "mkv",  "mov", "avi", "webm", "m4v",
                                                                "mpg", "mpeg", "ts",  "mts", "m2ts", "wmv",
                                                                "flv", "ogv",  "3gp", "y4m", "mxf",  "gif"};
inline constexpr std::array<std::string_view, 23> picture_endings{
    "png", "jpg", "jpeg", "webp", "bmp", "tif", "tiff", "pgm",  "ppm",  "pnm", "exr", "tga",
    "dpx", "jp2", "pam",  "pbm",  "sgi", "hdr", "heic", "heif", "avif", "psd", "ico"};
inline constexpr std::array<std::string_view, 16> sound_endings{
    "wav", "flac", "mp3", "ogg", "oga", "opus", "m4a", "aac", "wma", "mka", "aif", "aiff", "au", "ac3", "w64", "caf"};
inline constexpr std::array<std::string_view, 5> data_endings{"json", "csv", "npy", "npz", "safetensors"};

// Behind the last dot, in small letters; empty without one, or where the dot only hides the file.
inline std::string ending_of(std::string_view name) {
  const std::size_t slash = name.find_last_of('/');
  if (slash != std::string_view::npos) name.remove_prefix(slash + 1);
  const std::size_t dot = name.find_last_of('.');
  if (dot == std::string_view::npos || dot == 0) return {};
  std::string ending(name.substr(dot + 1));
  std::ranges::transform(ending, ending.begin(), [](unsigned char c) { return std::tolower(c); });
  return ending;
}

inline FileKind kind_of_file(std::string_view name) {
  const std::string ending = ending_of(name);
  const auto among = [&](const auto& endings) { return std::ranges::find(endings, ending) != endings.end(); };
  return among(video_endings)     ? FileKind::video
         : among(picture_endings) ? FileKind::picture
         : among(sound_endings)   ? FileKind::sound
         : among(data_endings)    ? FileKind::data
                                  : FileKind::other;
}

}  // namespace convoscope
