#pragma once
// Each setting is named once, in a list that a visitor walks: FieldWriter makes JSON of it, FieldReader takes JSON
// apart and remembers the names of values that make no sense, which are skipped.
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <type_traits>
#include <vector>

#include "app/state/settings.h"
#include "kernels/text/error.h"

namespace convoscope {

class FieldWriter {
 public:
  template <class Struct>
  using Subject = const Struct;

  nlohmann::json object = nlohmann::json::object();

  void flag(const char* key, bool value) { object[key] = value; }
  void text(const char* key, const std::string& value, std::size_t) { object[key] = value; }
  template <class Number>
  void number(const char* key, Number value, Range) {
    object[key] = value;
  }
  // Null, so that a value of an older file goes.
  void number(const char* key, const std::optional<double>& value, Range) {
    object[key] = value ? nlohmann::json(*value) : nlohmann::json();
  }
  template <class Value, class Write, class Read>
  void value(const char* key, const Value& value, Write write, Read) {
    object[key] = write(value);
  }
  template <class Fields>
  void part(const char* key, Fields fields) {
    FieldWriter part;
    fields(part);
    object[key] = std::move(part.object);
  }
  // Null where there is none.
  template <class Item, class Fields>
  void entry(const std::string& key, const std::map<std::string, Item>& items, const Item&, Fields fields) {
    const auto found = items.find(key);
    FieldWriter one;
    if (found != items.end()) fields(one, found->second);
    object[key] = found == items.end() ? nlohmann::json() : std::move(one.object);
  }
  void no_entry(const std::string& key) { object[key] = nullptr; }
  template <class Item, class Fields>
  void list(const char* key, const std::vector<Item>& items, std::size_t, const Item&, Fields fields) {
    nlohmann::json& out = object[key] = nlohmann::json::array();
    for (const Item& item : items) {
      FieldWriter one;
      fields(one, item);
      out.push_back(std::move(one.object));
    }
  }
  void numbers(const char* key, const std::vector<double>& values, std::size_t, Range) { object[key] = values; }
  void numbers(const char* key, const std::vector<int>& values, std::size_t, Range) { object[key] = values; }
  void texts(const char* key, const std::vector<std::string>& values, std::size_t) { object[key] = values; }
};

class FieldReader {
 public:
  template <class Struct>
  using Subject = Struct;

  explicit FieldReader(const nlohmann::json& object) : object_(object) {}
  const std::string& skipped() const { return skipped_; }

  void flag(const char* key, bool& value) {
    if (const auto* found = find(key)) found->is_boolean() ? void(value = found->get<bool>()) : skip(key);
  }
  void text(const char* key, std::string& value, std::size_t longest) {
    const auto* found = find(key);
    if (!found) return;
    if (found->is_string() && found->get_ref<const std::string&>().size() <= longest)
      value = found->get<std::string>();
    else
      skip(key);
  }
  template <class Number>
  void number(const char* key, Number& value, Range range) {
    const auto* found = find(key);
    if (!found) return;
    const std::optional<Number> number = number_in<Number>(*found, range);
    number ? void(value = *number) : skip(key);
  }
  void number(const char* key, std::optional<double>& value, Range range) {
    value.reset();
    const auto* found = find(key);
    if (!found || found->is_null()) return;
    value = number_in<double>(*found, range);
    if (!value) skip(key);
  }
  // `read` throws Error for what makes no sense.
  template <class Value, class Write, class Read>
  void value(const char* key, Value& value, Write, Read read) {
    const auto* found = find(key);
    if (!found) return;
    try {
      value = read(*found);
    } catch (const Error&) {
      skip(key);
    } catch (const nlohmann::json::exception&) {
      skip(key);
    }
  }
  template <class Fields>
  void part(const char* key, Fields fields) {
    const auto* found = find(key);
    if (!found) return;
    if (!found->is_object()) return skip(key);
    FieldReader part(*found);
    fields(part);
    if (!part.skipped().empty()) skip(std::string(key) + ": " + part.skipped());
  }
  // What is there begins as `initial`.
  template <class Item, class Fields>
  void entry(const std::string& key, std::map<std::string, Item>& items, const Item& initial, Fields fields) {
    items.erase(key);
    const auto* found = find(key.c_str());
    if (!found || found->is_null()) return;
    if (!found->is_object()) return skip(key);
    FieldReader one(*found);
    fields(one, items.emplace(key, initial).first->second);
    if (!one.skipped().empty()) skip(key + ": " + one.skipped());
  }
  void no_entry(const std::string&) {}
  // Each item begins as `initial`.
  template <class Item, class Fields>
  void list(const char* key, std::vector<Item>& items, std::size_t most, const Item& initial, Fields fields) {
    const auto* found = array(key);
    if (!found) return;
    items.clear();
    for (const auto& entry : *found) {
      if (items.size() == most || !entry.is_object()) {
        skip(key);
        continue;
      }
      FieldReader one(entry);
      fields(one, items.emplace_back(initial));
      if (!one.skipped().empty()) skip(std::string(key) + ": " + one.skipped());
    }
  }
  template <class Number>
  void numbers(const char* key, std::vector<Number>& values, std::size_t most, Range range) {
    each(key, values, most, [&](const nlohmann::json& entry) { return number_in<Number>(entry, range); });
  }
  void texts(const char* key, std::vector<std::string>& values, std::size_t most) {
    each(key, values, most, [](const nlohmann::json& entry) {
      return entry.is_string() ? std::optional(entry.get<std::string>()) : std::nullopt;
    });
  }

 private:
  const nlohmann::json* find(const char* key) const {
    const auto found = object_.find(key);
    return found == object_.end() ? nullptr : &*found;
  }
  const nlohmann::json* array(const char* key) {
    const auto* found = find(key);
    if (!found || found->is_array()) return found;
    skip(key);
    return nullptr;
  }
  template <class Value, class Read>
  void each(const char* key, std::vector<Value>& values, std::size_t most, Read read) {
    const auto* found = array(key);
    if (!found) return;
    values.clear();
    for (const auto& entry : *found) {
      const std::optional<Value> value = values.size() < most ? read(entry) : std::nullopt;
      value ? values.push_back(*value) : skip(key);
    }
  }
  template <class Number>
  static std::optional<Number> number_in(const nlohmann::json& value, Range range) {
    const double number = value.is_number() ? value.get<double>() : std::nan("");
    const bool whole = !std::is_integral_v<Number> || number == std::floor(number);
    return whole && number >= range.low && number <= range.high ? std::optional(static_cast<Number>(number))
                                                                : std::nullopt;
  }
  void skip(const std::string& key) {
    if (!skipped_.empty() && skipped_.ends_with(key)) return;
    skipped_ += (skipped_.empty() ? "" : ", ") + key;
  }

  const nlohmann::json& object_;
  std::string skipped_;
};

}  // namespace convoscope
