#include "kernels/measure/cache_file.h"

#include <cstdlib>
#include <nlohmann/json.hpp>

#include "kernels/compute/compute_backends.h"
#include "kernels/files/own_files.h"

namespace convoscope {
namespace {

using nlohmann::json;
namespace fs = std::filesystem;

constexpr int file_version = 1;
constexpr const char* folder_name = "convoscope";
constexpr std::size_t most_kept = 8 << 20;  // anything larger is not ours
constexpr std::size_t most_entries = 2000;
constexpr int deepest = 8;  // an entry holds numbers and words; what is nested without end would end the program

void tell(std::string* problem, const std::string& sentence) {
  if (problem) *problem = sentence;
}

// The file's entries; an empty object when there is no file or it is not what this program writes.
json load_entries(OwnFolder& folder, const std::string& name, std::string* problem) {
  const auto broken = [&](const std::string& what) {
    tell(problem,
         "The cache " + (cache_folder() / name).string() + " " + what +
             ", so nothing is taken from it: what it held is measured again. Delete it if this message comes back.");
    return json::object();
  };
  const std::optional<std::string> text = folder.read(name, most_kept);
  if (!text) return folder.why().empty() ? json::object() : broken(folder.why());
  bool too_deep = false;
  const auto shallow = [&](int depth, json::parse_event_t, json&) {
    too_deep |= depth > deepest;
    return depth <= deepest;
  };
  const json content = json::parse(*text, shallow, false);
  const auto version = content.is_object() ? content.find("version") : content.end();
  const auto entries = content.is_object() ? content.find("entries") : content.end();
  if (too_deep || content.is_discarded() || version == content.end() || entries == content.end() ||
      !entries->is_object())
    return broken("is not one that this program writes");
  if (*version != file_version) return broken("is of another version");
  return *entries;
}

}  // namespace

fs::path cache_folder() {
  const fs::path home = cache_home();
  return home.empty() ? home : home / folder_name;
}

std::string device_key(const Device& device) {
  std::string key = std::string(to_string(device.backend)) + ", " + device.name;
  if (device.backend == Backend::cuda) key += ", " + cuda_versions();
  // Half as many cores are another device.
  if (device.backend == Backend::cpu) key += ", " + std::to_string(device.multiprocessors) + " cores";
  return key + ", convoscope " CONVOSCOPE_VERSION;
}

json load_cache_entry(const std::string& name, const std::string& key, std::string* problem) {
  OwnFolder folder(folder_name, OwnFolder::Missing::is_nothing);
  if (!folder) return nullptr;
  const json entries = load_entries(folder, name, problem);
  const auto found = entries.find(key);
  return found == entries.end() ? json() : *found;
}

bool save_cache_entry(const std::string& name, const std::string& key, const json& value, std::string* problem) {
  if (cache_home().empty()) {
    tell(problem,
         "Neither XDG_CACHE_HOME nor HOME is set to an absolute path, so measurements are not remembered. Set HOME to "
         "keep them.");
    return false;
  }
  const auto unwritable = [&](const std::string& why) {
    tell(problem,
         "The cache " + (cache_folder() / name).string() + " cannot be written (" + why +
             "), so the next run measures again. To keep measurements, it needs room in a folder that is this user's.");
    return false;
  };
  OwnFolder folder(folder_name, OwnFolder::Missing::is_made);
  if (!folder) return unwritable(folder.why());
  json entries = load_entries(folder, name, nullptr);
  while (!entries.contains(key) && entries.size() >= most_entries) entries.erase(entries.begin());
  entries[key] = value;
  const json content{{"version", file_version}, {"entries", std::move(entries)}};
  const std::string text = content.dump(1, ' ', false, json::error_handler_t::replace) + '\n';
  return folder.write(name, text) || unwritable(folder.why());
}

}  // namespace convoscope
