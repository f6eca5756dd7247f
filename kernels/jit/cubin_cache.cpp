#include "kernels/jit/cubin_cache.h"

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <vector>

#include "kernels/files/own_files.h"

namespace convoscope::jit {
namespace {

namespace fs = std::filesystem;
constexpr const char* place = "convoscope/specialised";
constexpr std::size_t largest_cubin = 8 << 20;  // with the source that it was made from
constexpr char magic[] = "convoscope cubin 1\n";

// FNV-1a: only names the file; the whole key is compared.
std::string file_name(const std::string& key) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : key) hash = (hash ^ byte) * 0x100000001b3u;
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.cubin", static_cast<unsigned long long>(hash));
  return name;
}

struct Kept {
  fs::file_time_type written;
  fs::path path;
  std::size_t bytes;
};

// Also what was left half written by a program that was killed.
void drop_oldest() {
  std::error_code error;
  std::vector<Kept> files;
  for (fs::directory_iterator i(cache_home() / place, error), end; !error && i != end; i.increment(error)) {
    std::error_code gone;  // another program may be doing the same
    const Kept file{i->last_write_time(gone), i->path(), static_cast<std::size_t>(i->file_size(gone))};
    if (!gone) files.push_back(file);
  }
  std::ranges::sort(files, std::ranges::greater{}, &Kept::written);
  std::size_t count = 0, bytes = 0;
  for (const Kept& file : files)
    if (++count > most_cubins || (bytes += file.bytes) > most_cubin_bytes) fs::remove(file.path, error);
}

}  // namespace

std::optional<std::string> load_cubin(const std::string& key) {
  OwnFolder folder(place, OwnFolder::Missing::is_nothing);
  if (!folder) return {};
  const std::optional<std::string> text = folder.read(file_name(key), largest_cubin);
  const std::string head = magic + key + '\0';
  if (!text || text->size() <= head.size() || text->compare(0, head.size(), head) != 0) return {};
  return text->substr(head.size());
}

void save_cubin(const std::string& key, const std::string& cubin) {
  OwnFolder folder(place, OwnFolder::Missing::is_made);
  if (folder && folder.write(file_name(key), magic + key + '\0' + cubin)) drop_oldest();
}

}  // namespace convoscope::jit
