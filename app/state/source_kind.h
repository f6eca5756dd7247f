#pragma once
// What everybody may know of a way to get pictures: how an INPUT names it, and what it offers. The rest is in its file
// in app/media/sources/. Plain data.
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

namespace convoscope {

struct CameraMode {
  std::string format;
  int width = 0, height = 0;
  double rate = 0;
};

// Something to be opened, found on this machine.
struct SourceChoice {
  std::string input;              // what opens it, "camera:1"
  std::string title, tip;         // its name in a list, and a word about it
  std::string path;               // of its device file
  std::string place;              // its name beside the folders of the file browser; empty: it is not there
  std::string problem;            // why it cannot be used, a sentence; empty when it can
  std::vector<CameraMode> modes;  // that it can be asked for
};

struct SourceKind {
  std::string_view id, title;
  const char* form;  // how an INPUT names it, "camera or camera:N"
  const char* help;
  // Whether a text names one, whatever lies on the disk, at which this does not look; null: its inputs are paths.
  bool (*named)(const std::string& input) = nullptr;
  // The input as the choices write it, where it may be written in other ways: "camera" is "camera:0".
  std::string (*as_chosen)(const std::string& input) = nullptr;
  const char* button = nullptr;      // of its one choice, which is opened by a button instead of from a list
  const char* look_again = nullptr;  // of the button that looks for choices that come and go
  const char* nothing = "";          // what is said while there is nothing to choose from

  bool names(const std::string& input) const { return named && named(input); }
};

struct OfferedSource {
  const SourceKind* kind = nullptr;
  std::vector<SourceChoice> choices;
};

// camera, camera:1, screen, pattern:NAME, an address: anything to open that is no path.
inline bool names_no_file(const std::vector<OfferedSource>& sources, const std::string& input) {
  return std::ranges::any_of(sources, [&](const OfferedSource& each) { return each.kind->names(input); });
}

// "a file, a URL, screen", what is nearest to hand first.
inline std::string input_forms(const std::vector<OfferedSource>& sources) {
  std::string forms;
  for (auto each = sources.rbegin(); each != sources.rend(); ++each)
    forms += (forms.empty() ? "" : ", ") + std::string(each->kind->form);
  return forms;
}

}  // namespace convoscope
