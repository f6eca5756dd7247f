#include "app/lessons/values.h"

#include "kernels/text/error.h"

namespace convoscope::lessons {

using nlohmann::ordered_json;

ordered_json Values::value(const Expression& expression) {
  try {
    const std::string key = expression.key();
    auto found = printed_.find(key);
    if (found == printed_.end()) found = printed_.emplace(key, evaluate_(expression)).first;
    return expression.column.empty() ? found->second : column_of(found->second, expression.column);
  } catch (const Error& error) {
    if (expression.line == 0) throw;
    throw Error("Line " + std::to_string(expression.line) + ": " + error.what());
  }
}

std::string Values::text(const Expression& expression) {
  if (!measures_ && expression.command == "bench") {
    left_out_ = true;
    return "…";
  }
  return value_text(value(expression), expression);
}

std::string Values::text(const Sentence& sentence) {
  std::string out;
  for (const Span& span : sentence) out += span.kind == Span::Kind::value ? text(span.expression) : span.text;
  return out;
}

}  // namespace convoscope::lessons
