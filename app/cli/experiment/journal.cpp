#include "app/cli/experiment/journal.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "kernels/files/descriptor.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t largest_journal = 256u << 20;
constexpr std::string_view first_words = "{\"convoscope_experiment_journal\":";

std::string journal_line(const ordered_json& json) {
  return json.dump(-1, ' ', false, ordered_json::error_handler_t::replace) + "\n";
}

std::string named(const std::string& path) { return "The file of --resume " + in_quotes(path); }

std::string because(const std::string& path, const char* what) {
  return named(path) + " cannot be " + what + ": " + std::strerror(errno) + ".";
}

std::string text_in(const ordered_json& json, const char* key) {
  const auto found = json.is_object() ? json.find(key) : json.end();
  return found != json.end() && found->is_string() ? found->get<std::string>() : std::string();
}

}  // namespace

Journal::Journal(const std::string& path, const Experiment& experiment) : path_(path) {
  const std::string mark = text_mark(experiment.text);
  file_ = open(path.c_str(), O_RDWR | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666);
  if (file_ < 0) throw Error(because(path, "opened"));
  Descriptor to_read(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string why;
  const std::optional<std::string> text = read_whole(to_read, largest_journal, why);
  if (!text) {
    close(file_);
    throw Error(named(path) + " cannot be used: " + why + ".");
  }
  try {
    read(*text, mark);
    if (text->find('\n') == std::string::npos)
      append({{"convoscope_experiment_journal", experiment_version},
              {"experiment", mark},
              {"title", experiment.title},
              {"program", CONVOSCOPE_VERSION}});
  } catch (...) {
    close(file_);
    throw;
  }
}

Journal::~Journal() { close(file_); }

// Of a line without an end nothing is kept: what is appended begins where the last whole one ends.
void Journal::read(const std::string& text, const std::string& mark) {
  const std::string_view head = first_words;  // of a file that was cut within its first line
  if (text.find('\n') == std::string::npos && !text.starts_with(head) && !head.starts_with(text))
    throw Error(named(path_) + " is not of an experiment. Give the name of a new file.");
  std::size_t begin = 0, number = 0;
  for (std::size_t end = text.find('\n'); end != std::string::npos; begin = end + 1, end = text.find('\n', begin)) {
    const ordered_json line = ordered_json::parse(text.substr(begin, end - begin), nullptr, false);
    if (++number == 1) {
      if (text_in(line, "experiment").empty())
        throw Error(named(path_) + " is not of an experiment. Give the name of a new file.");
      if (text_in(line, "experiment") != mark)
        throw Error(named(path_) + " is of another experiment, or of this one before its file was changed: " +
                    in_quotes(text_in(line, "title")) + ". Give another name to begin anew.");
      if (text_in(line, "program") != CONVOSCOPE_VERSION)
        throw Error(named(path_) + " was begun by version " + in_quotes(text_in(line, "program")) +
                    " of the program. Give another name to begin anew.");
      continue;
    }
    if (!line.is_object() || !line.contains("problem") || !line["problem"].is_number_integer() ||
        !line.contains("measured"))
      throw Error(named(path_) + " is damaged in line " + std::to_string(number) +
                  ". Delete that line to measure its part anew.");
    parts_[{line["problem"].get<int>(), text_in(line, "backend"), text_in(line, "device")}] = line["measured"];
  }
  if (begin < text.size() && ftruncate(file_, static_cast<off_t>(begin)) != 0) throw Error(because(path_, "written"));
}

Journal::Key Journal::key_of(const ExperimentPart& part, const std::string& device) {
  return {part.problem, to_string(part.backend), device};
}

std::optional<ordered_json> Journal::done(const ExperimentPart& part, const std::string& device) const {
  const auto found = parts_.find(key_of(part, device));
  return found == parts_.end() ? std::nullopt : std::optional(found->second);
}

void Journal::add(const ExperimentPart& part, const std::string& device, const ordered_json& measured) {
  append({{"problem", part.problem}, {"backend", to_string(part.backend)}, {"device", device}, {"measured", measured}});
  parts_[key_of(part, device)] = measured;
}

void Journal::append(const ordered_json& json) {
  if (!write_all(file_, journal_line(json)) || fdatasync(file_) != 0) throw Error(because(path_, "written"));
}

}  // namespace convoscope
