#include "app/cli/commands/frame_progress.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>

#include "app/files/log.h"
#include "kernels/text/number_text.h"

namespace convoscope {

bool FrameProgress::has_terminal() { return isatty(STDERR_FILENO); }

void FrameProgress::show(std::int64_t frames, std::int64_t expected) {
  const auto now = std::chrono::steady_clock::now();
  if (now - shown_at_ < (terminal_ ? std::chrono::milliseconds(100) : std::chrono::milliseconds(5000))) return;
  shown_at_ = now;
  const double rate = static_cast<double>(frames) / std::max(seconds(), 1e-3);
  std::string text;
  if (expected > 0 && frames <= expected) {  // beyond it, nobody knows how many there are
    const double part = static_cast<double>(frames) / static_cast<double>(expected);
    constexpr int width = 30;
    const int filled = static_cast<int>(part * width);
    if (terminal_) text = "[" + std::string(filled, '#') + std::string(width - filled, '.') + "] ";
    text += std::to_string(static_cast<int>(100 * part)) + " %, ";
    const auto left = static_cast<std::int64_t>(static_cast<double>(expected - frames) / std::max(rate, 1e-3));
    char tail[96];
    std::snprintf(tail, sizeof tail, "%.1f a second, %lld:%02lld left", rate, static_cast<long long>(left / 60),
                  static_cast<long long>(left % 60));
    text += "frame " + format_count(frames) + " of about " + format_count(expected) + ", " + tail;
  } else {
    char tail[48];
    std::snprintf(tail, sizeof tail, ", %.1f a second", rate);
    text = "frame " + format_count(frames) + tail;
  }
  if (terminal_)
    log::show_line(text);
  else
    std::fprintf(stderr, "%s\n", text.c_str());
}

void FrameProgress::clear() { log::clear_line(); }

}  // namespace convoscope
