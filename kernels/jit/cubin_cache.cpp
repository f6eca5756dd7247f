#include "kernels/jit/cubin_cache.h"

#include <unistd.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <vector>

#include "kernels/cache_file.h"

namespace convoscope::jit {
namespace {

namespace fs = std::filesystem;
constexpr std::size_t most_files = 300;
constexpr char magic[] = "convoscope cubin 1\n";

// FNV-1a: only names the file; the whole key is compared.
std::string file_name(const std::string& key) {
  std::uint64_t hash = 0xcbf29ce484222325u;
  for (const unsigned char byte : key) hash = (hash ^ byte) * 0x100000001b3u;
  char name[32];
  std::snprintf(name, sizeof name, "%016llx.cubin", static_cast<unsigned long long>(hash));
  return name;
}

fs::path folder() {
  const fs::path cache = cache_folder();
  return cache.empty() ? cache : cache / "specialised";
}

void drop_oldest(const fs::path& from) {
  std::error_code error;
  std::vector<std::pair<fs::file_time_type, fs::path>> files;
  for (fs::directory_iterator i(from, error), end; !error && i != end; i.increment(error))
    if (i->path().extension() == ".cubin") files.emplace_back(i->last_write_time(error), i->path());
  if (files.size() <= most_files) return;
  std::ranges::sort(files);
  for (std::size_t i = 0; i + most_files < files.size(); ++i) fs::remove(files[i].second, error);
}

}  // namespace

std::optional<std::string> load_cubin(const std::string& key) {
  const fs::path from = folder();
  if (from.empty()) return {};
  std::ifstream file(from / file_name(key), std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  const std::string head = magic + key + '\0';
  if (text.size() <= head.size() || text.compare(0, head.size(), head) != 0) return {};
  return text.substr(head.size());
}

void save_cubin(const std::string& key, const std::string& cubin) {
  const fs::path to = folder();
  if (to.empty()) return;
  std::error_code error;
  fs::create_directories(to, error);
  // Under another name first, so that nobody reads half a file.
  const fs::path part = to / (file_name(key) + "." + std::to_string(getpid()) + ".part");
  {
    std::ofstream file(part, std::ios::binary);
    file << magic << key << '\0' << cubin;
    if (!file.flush()) {
      fs::remove(part, error);
      return;
    }
  }
  fs::rename(part, to / file_name(key), error);
  if (error) fs::remove(part, error);
  drop_oldest(to);
}

}  // namespace convoscope::jit
