#pragma once
// What of an experiment is done, on disk as it comes: a line of JSON for each part, so that one that was killed goes on
// where it was. A line that was not written to its end counts for nothing.
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <tuple>

#include "app/cli/experiment/experiment.h"

namespace convoscope {

class Journal {
 public:
  // Goes on with `path`, or begins it: the first line says which experiment it is of, and by which program. Throws
  // Error where it is of another one, or cannot be read or written.
  Journal(const std::string& path, const Experiment&);
  Journal(const Journal&) = delete;
  Journal& operator=(const Journal&) = delete;
  ~Journal();

  // What was measured of a part on this device; null where it is not done.
  std::optional<nlohmann::ordered_json> done(const ExperimentPart&, const std::string& device) const;
  // Appends it, and returns when the system has it. Throws Error.
  void add(const ExperimentPart&, const std::string& device, const nlohmann::ordered_json&);
  std::size_t parts() const { return parts_.size(); }

 private:
  using Key = std::tuple<int, std::string, std::string>;  // problem, backend, device
  static Key key_of(const ExperimentPart&, const std::string& device);
  void read(const std::string& text, const std::string& mark);
  void append(const nlohmann::ordered_json&);

  std::string path_;
  int file_ = -1;
  std::map<Key, nlohmann::ordered_json> parts_;
};

}  // namespace convoscope
