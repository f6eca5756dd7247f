#include "app/files/log.h"

#include <spdlog/sinks/stdout_color_sinks.h>
#include <spdlog/spdlog.h>

#include <atomic>
#include <cstdio>

#include "app/files/paths.h"

namespace convoscope::log {
namespace {

std::atomic<bool> line_is_shown = false;

spdlog::level::level_enum level_of(Level level) {
  switch (level) {
    case Level::debug:
      return spdlog::level::debug;
    case Level::information:
      return spdlog::level::info;
    case Level::warning:
      return spdlog::level::warn;
    case Level::error:
      return spdlog::level::err;
    case Level::nothing:
      break;
  }
  return spdlog::level::off;
}

}  // namespace

void begin() {
  spdlog::set_default_logger(spdlog::stderr_color_mt("convoscope"));
  spdlog::set_pattern("%n: %v");
}

void set_level(Level level) { spdlog::set_level(level_of(level)); }

bool says(Level level) { return spdlog::should_log(level_of(level)); }

void say(Level level, const std::string& text) {
  if (!says(level)) return;
  clear_line();
  spdlog::log(level_of(level), level == Level::debug ? text : printable(text));
}

void show_line(const std::string& text) {
  std::fprintf(stderr, "\r\033[K%s", printable(text).c_str());
  line_is_shown = true;
}

void clear_line() {
  if (line_is_shown.exchange(false)) std::fputs("\r\033[K", stderr);
}

}  // namespace convoscope::log
