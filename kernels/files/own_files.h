#pragma once
// Files that nobody but this user can have written, in a folder of which the same holds: what is read here is believed,
// or run. Nothing here throws.
#include <cstddef>
#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

namespace convoscope {

// $XDG_CACHE_HOME, else ~/.cache; empty when neither is set to an absolute path: others are ignored, as the XDG Base
// Directory Specification has it.
std::filesystem::path cache_home();

// An open folder. One that others may read or write is closed to them; a link, or another user's, is not taken.
class OwnFolder {
 public:
  enum class Missing { is_made, is_nothing };
  // `place` below cache_home(), which is made too: "convoscope", "convoscope/specialised".
  OwnFolder(const std::filesystem::path& place, Missing);
  ~OwnFolder();
  OwnFolder(const OwnFolder&) = delete;
  OwnFolder& operator=(const OwnFolder&) = delete;

  explicit operator bool() const { return folder_ >= 0; }
  const std::string& why() const { return why_; }  // what failed last, as part of a sentence; empty: nothing is there

  // Empty when there is no such file, or none that can be taken: links, devices, and files that are larger, another
  // user's, or open to be written by others are left alone.
  std::optional<std::string> read(const std::string& name, std::size_t most_bytes);
  // All at once, so that nobody reads half a file, whoever else is writing.
  bool write(const std::string& name, std::string_view content);

 private:
  bool open_next(const std::string& name, Missing);
  bool failed(const std::string& why);
  bool failed();  // as errno says

  int folder_ = -1;
  std::string why_;
};

}  // namespace convoscope
