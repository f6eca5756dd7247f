#pragma once
// JSON that people write: each value knows its key and its line, so that what is wrong is told where it is.
#include <cstddef>
#include <initializer_list>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "kernels/text/error.h"

namespace convoscope {

// A whole document. Made once and kept while places in it are.
class JsonDocument {
 public:
  // Throws Error for text that is no JSON, with its line. `whose` begins each sentence: "The experiment file 'a.json'".
  JsonDocument(const std::string& text, std::string whose);
  const nlohmann::json& root() const { return root_; }
  const std::string& whose() const { return whose_; }
  int line_of(const std::string& path) const;  // from 1; of a key, where it stands

 private:
  nlohmann::json root_;
  std::string whose_;
  std::map<std::string, int> lines_;  // by the way there: "strategies[2].tuning"
};

// What says its place already.
struct PlacedError : Error {
  using Error::Error;
};

class JsonPlace {
 public:
  explicit JsonPlace(const JsonDocument& document) : document_(&document), value_(&document.root()) {}

  const std::string& path() const { return path_; }
  const nlohmann::json& value() const { return *value_; }

  // Throws PlacedError: "The experiment file 'a.json', line 3, runs: " and then `what`.
  [[noreturn]] void refuse(const std::string& what) const;
  // Calls `read`; what it throws is told with this place.
  template <class Read>
  auto checked(Read&& read) const {
    try {
      return read();
    } catch (const PlacedError&) {
      throw;
    } catch (const Error& error) {
      refuse(error.what());
    }
  }

  // Of an object: throws Error for a key that is none of these.
  void only(std::initializer_list<std::string_view> known) const;
  bool has(std::string_view key) const;
  JsonPlace at(std::string_view key) const;  // throws Error where it is missing
  std::optional<JsonPlace> find(std::string_view key) const;

  // Of a list, at least one and at most `most` values long.
  std::vector<JsonPlace> list(std::size_t most) const;
  std::vector<std::pair<std::string, JsonPlace>> members() const;  // of an object

  std::string text(std::size_t longest = 400) const;  // not empty
  int whole(int least, int most) const;
  double positive() const;

 private:
  JsonPlace(const JsonDocument& document, const nlohmann::json& value, std::string path)
      : document_(&document), value_(&value), path_(std::move(path)) {}

  const JsonDocument* document_;
  const nlohmann::json* value_;
  std::string path_;
};

}  // namespace convoscope
