#include "kernels/own/expression.h"

#include <algorithm>
#include <charconv>
#include <utility>

namespace convoscope::own {
namespace {

constexpr int deepest = 64;  // brackets within brackets
constexpr long long largest = 1LL << 60;

// Evaluates while it reads. What is not chosen by ?: is read as well, but may divide by zero.
class Evaluation {
 public:
  Evaluation(std::span<const Token> tokens, const Names& names) : tokens_(tokens), names_(names) {}

  long long whole() {
    const long long value = choice();
    if (now().kind != Token::Kind::end) wrong("this is not expected here");
    return value;
  }

 private:
  const Token& now() const { return tokens_[i_]; }
  [[noreturn]] void wrong(const std::string& what) const { throw SourceError(now().place, what); }
  bool take(std::string_view sign) {
    if (!now().is(sign)) return false;
    ++i_;
    return true;
  }
  void expect(std::string_view sign) {
    if (!take(sign)) wrong("'" + std::string(sign) + "' is missing here");
  }

  long long choice() {
    if (++depth_ > deepest) wrong("this is nested too deeply");
    long long value = either();
    if (take("?")) {
      const bool was_idle = idle_;
      idle_ = was_idle || value == 0;
      const long long yes = choice();
      expect(":");
      idle_ = was_idle || value != 0;
      const long long no = choice();
      idle_ = was_idle;
      value = value != 0 ? yes : no;
    }
    --depth_;
    return value;
  }
  long long either() {
    long long value = both();
    while (take("||")) value = (both() != 0) | (value != 0);
    return value;
  }
  long long both() {
    long long value = comparison();
    while (take("&&")) value = (comparison() != 0) & (value != 0);
    return value;
  }
  long long comparison() {
    const long long left = sum();
    if (take("<=")) return left <= sum();
    if (take(">=")) return left >= sum();
    if (take("==")) return left == sum();
    if (take("!=")) return left != sum();
    if (take("<")) return left < sum();
    if (take(">")) return left > sum();
    return left;
  }
  long long sum() {
    long long value = product();
    for (;;) {
      const Token& sign = now();
      if (take("+"))
        add(value, product(), sign);
      else if (take("-"))
        sub(value, product(), sign);
      else
        return value;
    }
  }
  long long product() {
    long long value = factor();
    for (;;) {
      const Token& sign = now();
      if (take("*"))
        mul(value, factor(), sign);
      else if (take("/"))
        value = divided(value, factor(), sign);
      else if (take("%"))
        value = remainder(value, factor(), sign);
      else
        return value;
    }
  }
  long long factor() {
    if (++depth_ > deepest) wrong("this is nested too deeply");
    const long long value = plain_factor();
    --depth_;
    return value;
  }
  long long plain_factor() {
    if (take("-")) return -factor();
    if (take("!")) return factor() == 0;
    if (take("(")) {
      const long long value = choice();
      expect(")");
      return value;
    }
    if (now().kind == Token::Kind::number) return number();
    if (now().kind == Token::Kind::name) return named();
    wrong("a number or a name is missing here");
  }
  long long number() {
    const std::string_view word = now().word;
    long long value = 0;
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size() || value > 1LL << 40)
      wrong("this is no whole number that can be meant here");
    ++i_;
    return value;
  }
  long long named() {
    const Token name = now();
    ++i_;
    if (now().is("(")) return called(name);
    const std::optional<long long> value = names_(name.word);
    if (!value) throw SourceError(name.place, "nothing is called '" + std::string(name.word) + "' here");
    return *value;
  }
  long long called(const Token& name) {
    expect("(");
    const long long first = choice();
    expect(",");
    const long long second = choice();
    expect(")");
    if (name.is("ceil_div")) {
      const long long whole = divided(first, second, name);
      return whole + (first % (second != 0 ? second : 1) > 0);
    }
    if (name.is("min")) return std::min(first, second);
    if (name.is("max")) return std::max(first, second);
    throw SourceError(name.place, "there is no function '" + std::string(name.word) + "': ceil_div, min and max are");
  }

  long long divided(long long value, long long by, const Token& sign) const {
    if (by == 0 && idle_) return 0;
    if (by == 0) throw SourceError(sign.place, "this divides by zero");
    return value / by;
  }
  long long remainder(long long value, long long by, const Token& sign) const {
    return value - divided(value, by, sign) * by;
  }
  void add(long long& value, long long other, const Token& sign) const {
    checked(__builtin_add_overflow(value, other, &value), value, sign);
  }
  void sub(long long& value, long long other, const Token& sign) const {
    checked(__builtin_sub_overflow(value, other, &value), value, sign);
  }
  void mul(long long& value, long long other, const Token& sign) const {
    checked(__builtin_mul_overflow(value, other, &value), value, sign);
  }
  void checked(bool overflown, long long value, const Token& sign) const {
    if (overflown || value > largest || value < -largest) throw SourceError(sign.place, "this number is too large");
  }

  std::span<const Token> tokens_;
  const Names& names_;
  std::size_t i_ = 0;
  int depth_ = 0;
  bool idle_ = false;  // within what ?: does not choose
};

}  // namespace

Expression::Expression(std::vector<Token> tokens) : tokens_(std::move(tokens)) {}

long long Expression::value(const Names& names) const { return Evaluation(tokens_, names).whole(); }

Expression take_expression(std::span<const Token> tokens, std::size_t& first) {
  std::vector<Token> taken;
  int open = 0;
  bool after_value = false;  // a name or a number then belongs to what follows
  for (; tokens[first].kind != Token::Kind::end; ++first) {
    const Token& token = tokens[first];
    const bool value = token.kind == Token::Kind::name || token.kind == Token::Kind::number;
    if (token.is(";") || token.kind == Token::Kind::text || token.is("]") || (open == 0 && token.is(",")) ||
        (value && after_value))
      break;
    if (token.is(")") && open-- == 0) break;
    if (token.is("(")) ++open;
    after_value = value || token.is(")");
    taken.push_back(token);
  }
  if (taken.empty()) throw SourceError(tokens[first].place, "a number or a name is missing here");
  taken.push_back({Token::Kind::end, {}, tokens[first].place});
  return Expression(std::move(taken));
}

}  // namespace convoscope::own
