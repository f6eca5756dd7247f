#pragma once
// What is said on standard error. A header without templates: spdlog's own costs every file that includes it seconds.
// Any thread.
#include <string>

namespace convoscope::log {

enum class Level { debug, information, warning, error, nothing };

void begin();           // once, in main()
void set_level(Level);  // what is less is not said
bool says(Level);

void say(Level, const std::string& text);
inline void debug(const std::string& text) { say(Level::debug, text); }
inline void warn(const std::string& text) { say(Level::warning, text); }
inline void error(const std::string& text) { say(Level::error, text); }

// A line of a terminal that the next one takes the place of. It goes before anything is said.
void show_line(const std::string& text);
void clear_line();

}  // namespace convoscope::log
