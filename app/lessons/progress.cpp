#include "app/lessons/progress.h"

#include <sys/stat.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <nlohmann/json.hpp>

#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

namespace convoscope::lessons {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t most_progress_bytes = 1 << 20;
constexpr int most_number = 100;

LessonProgress progress_of(const nlohmann::json& one) {
  LessonProgress made;
  const nlohmann::json step = one.value("step", nlohmann::json()), solved = one.value("solved", nlohmann::json());
  if (step.is_number_integer() && step.get<double>() >= 0 && step.get<double>() < most_number) made.step = step;
  if (solved.is_array())
    for (const nlohmann::json& each : solved)
      if (each.is_number_integer() && each.get<double>() >= 1 && each.get<double>() <= most_number)
        made.solved.insert(each.get<int>());
  const nlohmann::json done = one.value("done", nlohmann::json());
  made.done = done.is_boolean() && done.get<bool>();
  return made;
}

}  // namespace

std::string progress_text(const Progress& progress) {
  nlohmann::ordered_json lessons = nlohmann::ordered_json::object();
  for (const auto& [name, one] : progress)
    lessons[name] = {{"step", one.step}, {"solved", one.solved}, {"done", one.done}};
  const nlohmann::ordered_json out{{"version", 1}, {"lessons", lessons}};
  return out.dump(2, ' ', false, nlohmann::ordered_json::error_handler_t::replace) + "\n";
}

Progress parse_progress(const std::string& text) {
  Progress progress;
  const auto object = nlohmann::json::parse(text, nullptr, false);
  if (!object.is_object()) return progress;
  const auto lessons = object.find("lessons");
  if (lessons == object.end() || !lessons->is_object()) return progress;
  for (const auto& [name, one] : lessons->items())
    if (one.is_object()) progress[name] = progress_of(one);
  return progress;
}

std::string progress_path() {
  const char* const state = std::getenv("XDG_STATE_HOME");
  if (state && fs::path(state).is_absolute()) return (fs::path(state) / "convoscope" / "lessons.json").string();
  const char* const home = std::getenv("HOME");
  if (!home || !fs::path(home).is_absolute()) return {};
  return (fs::path(home) / ".local/state/convoscope/lessons.json").string();
}

Progress kept_progress() {
  const std::string path = progress_path();
  std::error_code error;
  if (path.empty() || !fs::is_regular_file(path, error) || fs::file_size(path, error) > most_progress_bytes) return {};
  std::ifstream file(path, std::ios::binary);
  return parse_progress({std::istreambuf_iterator<char>(file), {}});
}

std::string keep_progress(const std::string& lesson, const LessonProgress& progress) {
  const std::string path = progress_path();
  if (path.empty()) return {};
  try {
    const fs::path folder = fs::path(path).parent_path();
    if (!fs::exists(folder)) {
      fs::create_directories(folder);
      ::chmod(folder.c_str(), S_IRWXU);  // for the user alone
    }
    Progress all = kept_progress();
    if (const auto found = all.find(lesson); found != all.end() && found->second == progress) return {};
    all[lesson] = progress;
    write_file(path, progress_text(all));
    return {};
  } catch (const fs::filesystem_error& error) {
    return "Progress in lessons is not kept: " + error.code().message() + ".";
  } catch (const Error& error) {
    return std::string("Progress in lessons is not kept: ") + error.what();
  }
}

}  // namespace convoscope::lessons
