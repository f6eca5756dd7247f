#pragma once
// The source of the strategies, to be read beside what they compute: the program carries it as data, so that an
// installed one has it too.
#include <span>
#include <string_view>
#include <vector>

#include "kernels/contract/strategy.h"

namespace convoscope {

// A file as it was compiled. Both texts are the program's and live as long as it does.
struct SourceFile {
  std::string_view path, text;  // from the repository's root, "kernels/strategies/image/1-direct/constant.cu"
};

// The data, made by kernels/listings.cmake: every file that a strategy may be made of, and whose own file each is.
struct StrategyFile {
  std::string_view kind, id;
  int file = 0;  // position in source_files()
};
std::span<const SourceFile> source_files();
std::span<const StrategyFile> strategy_files();

// What a strategy is made of: its own file, and what that includes of the library's kernels, directly and in turn, in
// the order in which it is met.
struct Listing {
  const SourceFile* own = nullptr;  // null: not one of ours
  std::vector<const SourceFile*> parts;
};
Listing listing_of(const Strategy&);
Listing listing_of(std::string_view kind, std::string_view id);

std::vector<std::string_view> lines_of(std::string_view text);  // without their ends

// Some lines of one file, counted from 0; `end` is behind the last.
struct ListedLines {
  const SourceFile* file = nullptr;
  int begin = 0, end = 0;
  bool contains(int line) const { return line >= begin && line < end; }
};
// Where the kernel of that name is, with the comment and the template above it: in the strategy's own file or, where
// several strategies share one, in a part. Without a name, or where none is so called: the first of the own file; and
// where that has none, its own code, behind its first comment and what it includes.
ListedLines kernel_lines(const Listing&, std::string_view kernel = {});

}  // namespace convoscope
