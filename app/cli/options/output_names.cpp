#include "app/cli/options/output_names.h"

#include <system_error>

#include "app/media/read/local_files.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr int most_files = 4096;  // of a folder that is looked at
constexpr const char *standard_input = "/dev/stdin", *standard_output = "/dev/stdout";

// Pipes and devices take what everybody writes.
bool can_be_destroyed(const fs::path& path) {
  std::error_code error;
  return fs::is_regular_file(path, error) || !fs::exists(path, error);
}

}  // namespace

void OutputNames::reads(const std::string& input) {
  inputs_.push_back(input == "-" ? standard_input : input);  // a shell's < may have made it a file
}

void OutputNames::reads_file(const std::string& what, const std::string& text) {
  std::error_code error;
  if (fs::is_regular_file(text, error)) read_.push_back({what, text});
}

void OutputNames::reads_file_or_folder(const std::string& what, const std::string& text) {
  reads_file(what, text);
  std::error_code error;
  if (!fs::is_directory(text, error)) return;
  fs::recursive_directory_iterator at(text, fs::directory_options::skip_permission_denied, error), end;
  for (int files = 0; !error && at != end && files < most_files; at.increment(error), ++files)
    if (at->is_regular_file(error)) read_.push_back({what, at->path()});
}

void OutputNames::writes(const std::string& what, const fs::path& path) {
  written_.push_back({what, path == "-" ? fs::path(standard_output) : path});
}

void OutputNames::check() const {
  for (std::size_t i = 0; i < written_.size(); ++i) {
    const Named& one = written_[i];
    if (!can_be_destroyed(one.path)) continue;
    const std::string name = one.what + " '" + one.path.string() + "'";
    for (const std::string& input : inputs_) check_is_not_input(one.what, one.path, input);
    for (const Named& other : read_)
      if (is_same_file(one.path, other.path))
        throw Error(name + " is the file that " + other.what +
                    " reads, which would be overwritten. Choose another name.");
    for (std::size_t j = 0; j < i; ++j)
      if (is_same_file(one.path, written_[j].path))
        throw Error(name + " is the file that " + written_[j].what +
                    " writes, too. Choose another name for one of them.");
  }
}

}  // namespace convoscope
