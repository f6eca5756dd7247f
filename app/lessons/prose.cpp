#include "app/lessons/prose.h"

#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope::lessons {
namespace {

class SentenceReader {
 public:
  SentenceReader(std::string_view text, const std::vector<NamedExpression>& named, int line)
      : text_(text), named_(named), line_(line) {}

  Sentence read() {
    while (at_ < text_.size()) {
      if (text_.substr(at_).starts_with("{{"))
        plain_ += '{', at_ += 2;
      else if (text_[at_] == '{')
        add_value();
      else if (text_[at_] == '`')
        add(Span::Kind::code, "`", "A backquote");
      else if (text_.substr(at_).starts_with("**"))
        add(Span::Kind::strong, "**", "A pair of asterisks");
      else
        plain_ += text_[at_++];
    }
    end_plain();
    return std::move(spans_);
  }

 private:
  void end_plain() {
    if (!plain_.empty()) spans_.push_back({Span::Kind::plain, plain_, {}});
    plain_.clear();
  }
  std::string_view upto(std::string_view mark, const char* what) {
    const std::size_t from = at_ + mark.size(), end = text_.find(mark, from);
    if (end == std::string_view::npos)
      throw Error(std::string(what) + " has no other one: " + in_quotes(text_.substr(at_)) + ".");
    at_ = end + mark.size();
    return text_.substr(from, end - from);
  }
  void add(Span::Kind kind, std::string_view mark, const char* what) {
    end_plain();
    spans_.push_back({kind, std::string(upto(mark, what)), {}});
  }
  void add_value() {
    end_plain();
    const std::size_t end = text_.find('}', at_);
    if (end == std::string_view::npos)
      throw Error("A brace is not closed: " + in_quotes(text_.substr(at_)) + ". Write {{ for a brace itself.");
    const std::string_view written = text_.substr(at_ + 1, end - at_ - 1);
    Expression expression = parse_expression(written, named_, true);
    expression.line = line_;
    spans_.push_back({Span::Kind::value, std::string(written), std::move(expression)});
    at_ = end + 1;
  }

  const std::string_view text_;
  const std::vector<NamedExpression>& named_;
  const int line_;
  std::size_t at_ = 0;
  std::string plain_;
  Sentence spans_;
};

}  // namespace

Sentence parse_sentence(std::string_view text, const std::vector<NamedExpression>& named, int line) {
  return SentenceReader(text, named, line).read();
}

}  // namespace convoscope::lessons
