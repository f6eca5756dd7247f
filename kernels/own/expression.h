#pragma once
// The numbers of a table of launches, said in terms of the problem: ceil_div(width, block_width).
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "kernels/own/source_text.h"

namespace convoscope::own {

// What a name stands for; empty: it is unknown.
using Names = std::function<std::optional<long long>(std::string_view)>;

// Whole numbers, names, + - * / %, comparisons, && || !, ?:, ceil_div, min and max; 64 bits, which do not overflow.
class Expression {
 public:
  Expression() = default;
  explicit Expression(std::vector<Token> tokens);  // of a source that outlives it; the last one is Kind::end
  bool empty() const { return tokens_.empty(); }
  Place place() const { return empty() ? Place() : tokens_[0].place; }
  // Throws SourceError: an unknown name, a division by zero, a number that is too large, or what is no expression.
  long long value(const Names&) const;

 private:
  std::vector<Token> tokens_;
};

// From tokens[first] on, up to the sign (a comma, a bracket, a semicolon or a word) that is not the expression's own.
// `first` becomes the place of that sign.
Expression take_expression(std::span<const Token> tokens, std::size_t& first);

}  // namespace convoscope::own
