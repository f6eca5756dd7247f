#pragma once
// Which settings are the machine's and its window's (settings.json), and which are the session's: what is shown, how it
// is filtered, and what was measured (session.json, saved sessions, screenshots, recordings).
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope {

// What belongs to a session and is no choice of the user's.
struct SessionFacts {
  double position = 0;  // in the source, seconds
  std::string device;
  int width = 0, height = 0;
  struct Measured {
    std::string strategy, filter;
    double median_ms = 0;
    Interval interval;
    int frames = 0;
  };
  std::vector<Measured> measured;
};
SessionFacts facts_of(const Stats&);

nlohmann::json machine_json(const Settings&);
nlohmann::json session_json(const Settings&, const SessionFacts&);

// Change only what the object has a sensible value for. Return the names of values that make no sense, "" for none.
std::string read_machine(const nlohmann::json&, Settings&);
std::string read_session(const nlohmann::json&, Settings&, double* position = nullptr);

// For what may be passed on: the source without its folder, and a URL without user and password. One line.
std::string embedded_session(const Settings&, const SessionFacts&);

}  // namespace convoscope
