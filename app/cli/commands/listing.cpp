// convoscope listing: the source of a strategy, to be read.
#include "kernels/listings/listing.h"

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/cli/commands/commands.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::string_view listed_name(const SourceFile& file) { return file.path.substr(file.path.rfind('/') + 1); }

// By its name, or by its path.
const SourceFile& part_of(const Listing& listing, const std::string& asked) {
  std::vector<std::string> names{std::string(listed_name(*listing.own))};
  for (const SourceFile* const part : listing.parts) names.emplace_back(listed_name(*part));
  const std::string name = parse_choice("part", asked.substr(asked.rfind('/') + 1), names);
  if (name == names[0]) return *listing.own;
  return **std::ranges::find_if(listing.parts, [&](const SourceFile* part) { return listed_name(*part) == name; });
}

std::string made_with(const Listing& listing) {
  std::string names;
  for (const SourceFile* const part : listing.parts)
    names += (names.empty() ? "" : ", ") + std::string(listed_name(*part));
  return names;
}

}  // namespace

int run_listing(const Invocation& invocation) {
  const Listing listing = listing_of(invocation.kinds[0]->id, invocation.strategies[0]);
  if (!listing.own) throw Error("The strategy '" + invocation.strategies[0] + "' has no listing.");
  const SourceFile& file = invocation.listed_part.empty() ? *listing.own : part_of(listing, invocation.listed_part);
  if (invocation.numbered) {
    const std::vector<std::string_view> lines = lines_of(file.text);
    const auto width = static_cast<int>(std::to_string(lines.size()).size());
    for (std::size_t i = 0; i < lines.size(); ++i)
      std::printf("%*zu%s%.*s\n", width, i + 1, lines[i].empty() ? "" : "  ", static_cast<int>(lines[i].size()),
                  lines[i].data());
  } else {
    std::fwrite(file.text.data(), 1, file.text.size(), stdout);
  }
  std::fprintf(stderr, "%.*s%s%s\n", static_cast<int>(file.path.size()), file.path.data(),
               listing.parts.empty() ? "" : ", made with ", made_with(listing).c_str());
  return 0;
}

}  // namespace convoscope
