#include "kernels/listings/listing.h"

#include <algorithm>
#include <string>

#include "kernels/contract/kind.h"

namespace convoscope {
namespace {

constexpr std::string_view include_word = "#include \"";

const SourceFile* file_of_path(std::string_view path) {
  const auto found = std::ranges::find(source_files(), path, &SourceFile::path);
  return found == source_files().end() ? nullptr : &*found;
}

// Depth first, as the compiler meets them; each once.
void add_parts(const SourceFile& of, Listing& listing) {
  for (const std::string_view line : lines_of(of.text)) {
    if (!line.starts_with(include_word)) continue;
    const std::string_view rest = line.substr(include_word.size());
    const SourceFile* const part = file_of_path(rest.substr(0, rest.find('"')));
    if (!part || part == listing.own || std::ranges::find(listing.parts, part) != listing.parts.end()) continue;
    listing.parts.push_back(part);
    add_parts(*part, listing);
  }
}

bool is_preamble(std::string_view line) {
  return line.empty() || line.starts_with("//") || line.starts_with("#") || line.starts_with("namespace ");
}

// From the empty line above "__global__" to the brace that ends the kernel; of any kernel where none is named.
ListedLines kernel_in(const SourceFile& file, std::string_view kernel) {
  const std::vector<std::string_view> lines = lines_of(file.text);
  const std::string call = std::string(kernel) + "(";
  for (std::size_t i = 0; i < lines.size(); ++i) {
    if (!lines[i].starts_with("__global__")) continue;
    std::size_t end = i;
    bool is_it = kernel.empty();
    // The name stands before the first of the body's lines.
    for (bool in_body = false; end < lines.size() && lines[end] != "}"; ++end) {
      is_it |= !in_body && lines[end].find(call) != std::string_view::npos;
      in_body |= lines[end].ends_with("{");
    }
    if (!is_it) continue;
    std::size_t begin = i;
    while (begin > 0 && !lines[begin - 1].empty()) --begin;
    return {&file, static_cast<int>(begin), static_cast<int>(std::min(end + 1, lines.size()))};
  }
  return {};
}

}  // namespace

Listing listing_of(std::string_view kind, std::string_view id) {
  const auto found = std::ranges::find_if(strategy_files(),
                                          [&](const StrategyFile& each) { return each.kind == kind && each.id == id; });
  if (found == strategy_files().end()) return {};
  Listing listing{&source_files()[static_cast<std::size_t>(found->file)], {}};
  add_parts(*listing.own, listing);
  return listing;
}

Listing listing_of(const Strategy& strategy) { return listing_of(strategy.kind->id, strategy.id); }

std::vector<std::string_view> lines_of(std::string_view text) {
  std::vector<std::string_view> lines;
  while (!text.empty()) {
    const std::size_t end = text.find('\n');
    lines.push_back(text.substr(0, end));
    if (end == std::string_view::npos) break;
    text.remove_prefix(end + 1);
  }
  return lines;
}

ListedLines kernel_lines(const Listing& listing, std::string_view kernel) {
  if (!listing.own) return {};
  if (!kernel.empty()) {
    std::vector<const SourceFile*> files{listing.own};
    files.insert(files.end(), listing.parts.begin(), listing.parts.end());
    for (const SourceFile* const file : files)
      if (const ListedLines found = kernel_in(*file, kernel); found.file) return found;
  }
  if (const ListedLines first = kernel_in(*listing.own, {}); first.file) return first;
  const std::vector<std::string_view> lines = lines_of(listing.own->text);
  const auto own = std::ranges::find_if_not(lines, is_preamble);
  const int begin = own == lines.end() ? 0 : static_cast<int>(own - lines.begin());
  return {listing.own, begin, static_cast<int>(lines.size())};
}

}  // namespace convoscope
