#pragma once
// The words of a file of device code, each with its place, so that whatever is said of the file names line and column.
#include <string>
#include <string_view>
#include <vector>

#include "kernels/text/error.h"

namespace convoscope::own {

struct Place {
  int line = 0, column = 0;  // from 1; 0: unknown
  bool operator==(const Place&) const = default;
};

// What is wrong with a file, and where. what(): one sentence without the place.
struct SourceError : Error {
  SourceError(Place at, const std::string& what) : Error(what), place(at) {}
  Place place;
};

struct Token {
  enum class Kind { name, number, text, sign, end };  // text: without its quotes
  Kind kind = Kind::end;
  std::string_view word;  // of the source, which outlives the tokens
  Place place;
  bool is(std::string_view other) const { return kind != Kind::text && word == other; }
};

// All of it but blanks and comments; the last three are Kind::end. Throws SourceError where a comment or a text has no
// end.
std::vector<Token> tokens_of(std::string_view source);

std::string line_of(std::string_view source, int line);  // without its end; tabs become blanks
// "my.cu:12:5: error: …", the line and a caret below the place.
std::string with_caret(std::string_view file, std::string_view source, Place, std::string_view what);

}  // namespace convoscope::own
