#pragma once
// One file whose keys this window changes; all others in it stay, those that it does not know too, so that two windows
// and two versions of the program can share it. Used by one thread at a time.
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>
#include <vector>

namespace convoscope {

// What a file has from which values were skipped: the end of a sentence, without its full stop.
std::string skipped_text(const std::string& names);
// The end of a sentence on what is kept by itself: that it is not, `why`, and what to do.
std::string cannot_be_kept_in(const std::filesystem::path&, const std::string& why);

class KeptFile {
 public:
  // `what`: "settings", "session", for sentences.
  KeptFile(std::filesystem::path path, std::string what) : path_(std::move(path)), what_(std::move(what)) {}

  // The object in the file; empty when there is none, and what comes before a mistake when there is one. Changes
  // nothing on the disk.
  nlohmann::json read();
  // Names values that read() gave and that make no sense; "" for none. The next write() replaces them.
  void note_skipped(std::string names) { skipped_ = std::move(names); }
  // Nothing that read() gave is of this kind of file, so that none of it is kept beside what write() writes.
  void note_foreign();
  // Puts a file with a mistake aside, so that it is not overwritten, and copies one with values that make no sense.
  // Sentences on what was found.
  std::vector<std::string> settle();
  // Writes what differs from what was read or written last. Why it cannot be kept, a sentence; empty when it is.
  std::string write(const nlohmann::json& now);
  // The file's new name; empty when there was none.
  std::filesystem::path put_aside(const char* word);
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
  std::string what_;
  std::string mistake_, skipped_, refusal_;  // in the file, twice; why it is left alone
  nlohmann::json known_ = nlohmann::json::object();
};

}  // namespace convoscope
