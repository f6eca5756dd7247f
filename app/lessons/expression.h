#pragma once
// A number in a lesson's text: a column of what `list strategies`, `compute` or `bench` print as JSON, with the options
// that they take on the command line. Nothing more can be said, so a lesson cannot loop, write, open a file, ask the
// net or start a program. Any thread; nothing is kept.
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace convoscope::lessons {

struct Expression {
  std::string command;  // "list", "compute", "bench"
  std::string column;   // "outputs[3]", "at.block.loads"; empty: all that the command prints
  std::vector<std::pair<std::string, std::string>> options;  // "border", "zero"; of one that is not repeated the last
  int digits = -1;   // behind the point; −1: as many as there are, up to six significant ones
  double times = 1;  // 100 for a share in per cent, 1000 for milliseconds as microseconds
  int line = 0;      // of the file, for messages

  std::string option(std::string_view name) const;  // empty: not given
  std::string key() const;                          // the command with its options: what is computed once
};

// What names stand for: "let seven = compute kind=signal …".
struct NamedExpression {
  std::string name;
  Expression expression;
};

// "seven outputs[3] digits=2", "list load_reduction strategy=tiled-halo filter=box:radius=2". Blanks part the words,
// and a value in double quotes may have some. Throws Error with a sentence where a word is unknown, an option does not
// belong to the command, or a value would name a file. `wants_column`: there must be one.
Expression parse_expression(std::string_view text, const std::vector<NamedExpression>& named, bool wants_column);

// The column of what a command printed; throws Error naming what there is instead.
nlohmann::ordered_json column_of(const nlohmann::ordered_json& printed, const std::string& column);

// As it stands in a sentence: "1,028", "10.20", "yes", "7 14 17 / 4 15 8"; planes are parted by " // ".
std::string value_text(const nlohmann::ordered_json& value, const Expression& shown);

}  // namespace convoscope::lessons
