#include "kernels/cache_file.h"

#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <nlohmann/json.hpp>

#include "kernels/compute_backends.h"

namespace convoscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int file_version = 1;
constexpr std::uintmax_t largest_file = 8 << 20;  // anything larger is not ours
constexpr std::size_t most_entries = 2000;

void tell(std::string* problem, const std::string& sentence) {
  if (problem) *problem = sentence;
}

// The file's entries; an empty object when there is no file or it is not what this program writes.
json load_entries(const fs::path& path, std::string* problem) {
  std::error_code error;
  if (!fs::exists(path, error)) return json::object();
  const auto broken = [&](const std::string& what) {
    tell(problem, "The cache " + path.string() + " " + what +
                      ", so nothing is taken from it: what it held is measured again. Delete it if this stays.");
    return json::object();
  };
  if (const auto size = fs::file_size(path, error); error || size > largest_file)
    return broken(error ? "cannot be read" : "is far too large");
  std::ifstream file(path, std::ios::binary);
  if (!file) return broken("cannot be read");
  const json content = json::parse(file, nullptr, false);
  const auto version = content.is_object() ? content.find("version") : content.end();
  const auto entries = content.is_object() ? content.find("entries") : content.end();
  if (content.is_discarded() || version == content.end() || entries == content.end() || !entries->is_object())
    return broken("is not what this program writes");
  if (*version != file_version) return broken("is of another version");
  return *entries;
}

}  // namespace

fs::path cache_folder() {
  if (const char* cache = std::getenv("XDG_CACHE_HOME"); cache && *cache) return fs::path(cache) / "convoscope";
  if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache" / "convoscope";
  return {};
}

std::string device_key(const Device& device) {
  std::string key = std::string(to_string(device.backend)) + ", " + device.name;
  if (device.backend == Backend::cuda) key += ", " + cuda_versions();
  // Half as many cores are another device.
  if (device.backend == Backend::cpu) key += ", " + std::to_string(device.multiprocessors) + " cores";
  return key + ", convoscope " CONVOSCOPE_VERSION;
}

json load_cache_entry(const std::string& name, const std::string& key, std::string* problem) {
  const fs::path folder = cache_folder();
  if (folder.empty()) return nullptr;
  const json entries = load_entries(folder / name, problem);
  const auto found = entries.find(key);
  return found == entries.end() ? json() : *found;
}

bool save_cache_entry(const std::string& name, const std::string& key, const json& value, std::string* problem) {
  const fs::path folder = cache_folder();
  if (folder.empty()) {
    tell(problem,
         "Neither XDG_CACHE_HOME nor HOME is set, so measurements are not remembered. Set one of them to keep them.");
    return false;
  }
  const fs::path path = folder / name;
  const auto unwritable = [&](const std::string& why) {
    tell(problem, "The cache " + path.string() + " cannot be written (" + why +
                      "), so the next run measures again. Make the folder writable to keep measurements.");
    return false;
  };
  std::error_code error;
  fs::create_directories(folder, error);
  if (error) return unwritable(error.message());

  json entries = load_entries(path, nullptr);
  if (!entries.contains(key) && entries.size() >= most_entries) entries.erase(entries.begin());
  entries[key] = value;
  const json content{{"version", file_version}, {"entries", std::move(entries)}};
  const fs::path draft = path.string() + "." + std::to_string(getpid()) + ".draft";
  {
    std::ofstream file(draft, std::ios::binary | std::ios::trunc);
    file << content.dump(1, ' ', false, json::error_handler_t::replace) << '\n';
    file.close();
    if (!file) {
      const std::string why = std::strerror(errno);
      fs::remove(draft, error);
      return unwritable(why);
    }
  }
  fs::rename(draft, path, error);
  if (!error) return true;
  const std::string why = error.message();
  fs::remove(draft, error);
  return unwritable(why);
}

}  // namespace convoscope
