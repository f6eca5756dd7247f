#include <sys/stat.h>

#include <algorithm>

#include "app/media/sources/source.h"

namespace convoscope {

const Source& source_for(const std::string& input) {
  const auto found = std::ranges::find_if(sources(), [&](const Source* each) { return each->takes(input); });
  return found == sources().end() ? *sources().back() : **found;  // it takes what nobody else does
}

std::string why_not_opened(const SourceSettings& settings) {
  const Source& source = source_for(settings.input);
  return source.check ? source.check(settings) : std::string();
}

const Source& source_named(std::string_view id) {
  return **std::ranges::find_if(sources(), [&](const Source* each) { return each->kind.id == id; });
}

const std::vector<OfferedSource>& known_sources() {
  static const std::vector<OfferedSource> known = [] {
    std::vector<OfferedSource> all;
    for (const Source* const source : sources()) all.push_back({&source->kind, {}});
    return all;
  }();
  return known;
}

std::vector<OfferedSource> offered_sources() {
  std::vector<OfferedSource> offered = known_sources();
  for (OfferedSource& each : offered)
    if (const Source& source = source_named(each.kind->id); source.choices) each.choices = source.choices();
  return offered;
}

bool is_on_disk(const std::string& path) {
  struct stat status {};
  return ::stat(path.c_str(), &status) == 0;
}

}  // namespace convoscope
