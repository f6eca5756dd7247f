#pragma once
// A way to get pictures: one file ID_source.cpp here, and one word in SOURCES of app/media/CMakeLists.txt. The text of
// an INPUT is taken apart in the file of its source and nowhere else.
#include <filesystem>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/media/read/frame_reader.h"
#include "app/state/settings.h"
#include "app/state/source_kind.h"

namespace convoscope {

struct MediaInput;  // app/media/ffmpeg/media_input.h

struct Source {
  SourceKind kind;
  // Whether it opens this input, with a look at the disk where that decides. The first of the list that takes it, has
  // it.
  bool (*takes)(const std::string& input);
  // Why it cannot be opened, a sentence; empty when trying may tell more. For inputs that are no paths it looks at
  // nothing but the settings and the environment.
  std::string (*check)(const SourceSettings&) = nullptr;
  std::vector<SourceChoice> (*choices)() = nullptr;
  // Throws Error; what open_file_reader opens says what it is in `media`.
  std::unique_ptr<FrameReader> (*open)(const ReaderOptions&, Interrupt&);
  MediaInput (*media)(const SourceSettings&) = nullptr;
  std::vector<std::filesystem::path> (*files)(const std::string& input) = nullptr;  // those that are read
  bool endless = false;                                                             // never a whole file
  bool takes_size = false;  // its pictures have the size that they are asked for; else the one that they have
  bool has_sound = false;   // that may be copied into what is written
  bool comes_back = false;  // when it fails it is worth trying again
};

std::span<const Source* const> sources();
const Source& source_for(const std::string& input);
std::string why_not_opened(const SourceSettings&);  // what its source's check says
const Source& source_named(std::string_view id);    // one of the list
const std::vector<OfferedSource>& known_sources();  // all of them, without a look at what they offer
std::vector<OfferedSource> offered_sources();
inline bool names_no_file(const std::string& input) { return names_no_file(known_sources(), input); }

bool is_on_disk(const std::string& path);

}  // namespace convoscope
