#include "app/session/json_text.h"

#include <algorithm>
#include <vector>

namespace convoscope {
namespace {

using nlohmann::json;

constexpr std::size_t deepest = 64;

// Builds the value as the parser goes, so that a mistake leaves what came before it.
class Builder : public json::json_sax_t {
 public:
  bool null() override { return add(nullptr); }
  bool boolean(bool value) override { return add(value); }
  bool number_integer(number_integer_t value) override { return add(value); }
  bool number_unsigned(number_unsigned_t value) override { return add(value); }
  bool number_float(number_float_t value, const string_t&) override { return add(value); }
  bool string(string_t& value) override { return add(std::move(value)); }
  bool binary(binary_t&) override { return false; }
  bool start_object(std::size_t) override { return open(json::object()); }
  bool start_array(std::size_t) override { return open(json::array()); }
  bool end_object() override { return close(); }
  bool end_array() override { return close(); }
  bool key(string_t& key) override {
    key_ = std::move(key);
    return true;
  }
  bool parse_error(std::size_t position, const std::string&, const nlohmann::detail::exception&) override {
    mistake_at_ = position;
    return false;
  }

  json root = json(json::value_t::discarded);
  std::size_t mistake_at() const { return mistake_at_; }
  bool too_deep() const { return too_deep_; }

 private:
  json* place(json value) {
    if (open_.empty()) return &(root = std::move(value));
    json& parent = *open_.back();
    if (parent.is_array()) {
      parent.push_back(std::move(value));
      return &parent.back();
    }
    return &(parent[key_] = std::move(value));
  }
  bool add(json value) {
    place(std::move(value));
    return true;
  }
  bool open(json container) {
    too_deep_ = open_.size() == deepest;
    if (too_deep_) return false;
    open_.push_back(place(std::move(container)));
    return true;
  }
  bool close() {
    open_.pop_back();
    return true;
  }

  std::vector<json*> open_;  // the containers that the parser is in; only the last one grows, so they stay in place
  std::string key_;
  std::size_t mistake_at_ = 0;
  bool too_deep_ = false;
};

}  // namespace

JsonText read_json(const std::string& text) {
  Builder builder;
  if (json::sax_parse(text, &builder)) return {std::move(builder.root), {}};
  if (builder.root.empty()) builder.root = json(json::value_t::discarded);
  if (builder.too_deep()) return {std::move(builder.root), "is nested too deeply"};
  const std::size_t end = std::min(builder.mistake_at(), text.size());
  const auto line = 1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(end), '\n');
  return {std::move(builder.root), "has a mistake in line " + std::to_string(line)};
}

std::string write_json(const json& value, int indent) {
  return value.dump(indent, ' ', false, json::error_handler_t::replace);
}

}  // namespace convoscope
