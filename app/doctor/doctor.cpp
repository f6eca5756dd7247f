#include "app/doctor/doctor.h"

#include <algorithm>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "app/cli/commands/report.h"
#include "app/cli/exit_codes.h"
#include "app/doctor/checkup.h"
#include "app/session/places.h"
#include "kernels/compute/compute_backends.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t line_width = 100, indent = 20;

// Words in lines of a screen, each but the first below the column.
std::string folded(const std::string& text) {
  std::string out;
  std::size_t column = indent;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (column > indent && column + 1 + word.size() > line_width) {
      out += "\n" + std::string(indent, ' ');
      column = indent;
    } else if (column > indent) {
      out += " ";
      ++column;
    }
    out += word;
    column += word.size();
    begin = end + 1;
  }
  return out + "\n";
}

std::string line(const char* mark, const std::string& title, const std::string& text) {
  std::string head = std::string(mark) + " " + title;
  head.append(indent - 2 - std::min(title.size(), indent - 3), ' ');
  return head + folded(text);
}

std::string place(const std::filesystem::path& path) {
  return path.empty() ? "nowhere: set HOME to a folder of yours" : path.string();
}

std::string cache_text(const FolderUse& cache) {
  if (cache.path.empty()) return place(cache.path);
  return place(cache.path) + ": " + std::to_string(cache.files) + (cache.files == 1 ? " file" : " files") + ", " +
         byte_text(static_cast<double>(cache.bytes)) + ". It may be deleted.";
}

std::string text_of(const Checkup& checkup) {
  std::string out;
  for (const Finding& finding : checkup.findings) {
    out += line(finding.ok ? "✓" : "–", finding.title, finding.says);
    if (!finding.would.empty()) out += std::string(indent, ' ') + folded(finding.would);
  }
  out += "\nWhere files go:\n";
  out += line(" ", "Settings", place(settings_path()));
  out += line(" ", "Session", place(session_path()));
  out += line(" ", "Cache", cache_text(checkup.cache));
  const SavingFolder& saving = checkup.saving;
  const std::string why = saving.chosen ? ", which was chosen in the window." : ", unless you choose another folder.";
  out += line(" ", "Recordings", saving.videos + why);
  out += line(" ", "Screenshots", saving.pictures + why);
  return out;
}

ordered_json json_of(const Checkup& checkup) {
  ordered_json out{{"version", CONVOSCOPE_VERSION}, {"architectures", CONVOSCOPE_CUDA_ARCHITECTURES}};
  out["findings"] = ordered_json::array();
  for (const Finding& finding : checkup.findings)
    out["findings"].push_back({{"id", finding.id},
                               {"title", finding.title},
                               {"ok", finding.ok},
                               {"says", finding.says},
                               {"would", finding.would}});
  out["devices"] = ordered_json::array();
  for (const Device& device : checkup.devices) out["devices"].push_back(device_json(device));
  out["libraries"] = ordered_json::array();
  for (const OptionalLibrary& library : checkup.libraries)
    out["libraries"].push_back({{"name", library.name},
                                {"available", library.missing.empty()},
                                {"path", library.path},
                                {"reason", library.missing},
                                {"brings", library.brings}});
  out["cameras"] = ordered_json::array();
  for (const SourceChoice& camera : checkup.cameras)
    out["cameras"].push_back({{"id", camera.input},
                              {"title", camera.title},
                              {"path", camera.path},
                              {"available", camera.problem.empty()},
                              {"reason", camera.problem}});
  out["places"] = {{"settings", settings_path().string()},
                   {"session", session_path().string()},
                   {"cache", checkup.cache.path.string()},
                   {"recordings", checkup.saving.videos},
                   {"screenshots", checkup.saving.pictures}};
  out["cache"] = {{"bytes", checkup.cache.bytes}, {"files", checkup.cache.files}};
  return out;
}

}  // namespace

int run_doctor(const Invocation& invocation) {
  const Checkup checkup = check_machine();
  const std::string text = invocation.json ? json_text(json_of(checkup)) : text_of(checkup);
  std::fwrite(text.data(), 1, text.size(), stdout);
  return exit_done;
}

}  // namespace convoscope
