#include "app/ui/actions/playback_actions.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

namespace convoscope::ui {

namespace {

constexpr std::array<double, 11> speeds{0.1, 0.25, 0.5, 0.75, 1.0, 1.25, 1.5, 2.0, 2.5, 3.0, 4.0};

// Where the user has gone, although it may be some time until slow panes show it.
double position_gone_to(const Stats& stats, const Requests& requests) {
  const SourceStats& source = stats.source;
  double to = requests.seek_seconds ? *requests.seek_seconds : source.position_to_come.value_or(source.position);
  if (source.duration > 0) to = std::min(to, source.duration);
  return std::max(to, 0.0);
}

}  // namespace

void toggle_play(const Stats& stats, Settings& settings, Requests& requests) {
  if (stats.source.ended && !settings.playback.paused && !stats.source.live) {
    requests.seek_seconds = settings.playback.loop_a.value_or(0.0);  // play again
    return;
  }
  settings.playback.paused = !settings.playback.paused;
}

// Two jumps in quick succession are one of both, though the first is not to be seen yet.
void seek_by(double seconds, const Stats& stats, Settings&, Requests& requests) {
  double target = position_gone_to(stats, requests) + seconds;
  if (stats.source.duration > 0) target = std::min(target, stats.source.duration);
  requests.seek_seconds = std::max(target, 0.0);
}

void change_speed(Settings& settings, int direction) {
  double& speed = settings.playback.speed;
  const double now = speed;
  if (direction > 0) {
    const auto next = std::ranges::find_if(speeds, [now](double s) { return s > now + 1e-6; });
    speed = next == speeds.end() ? speeds.back() : *next;
  } else {
    speed = speeds.front();
    for (const double s : speeds)
      if (s < now - 1e-6) speed = s;
  }
}

// Without a volume there is no sound to be turned on, and without a sound card it is looked for.
void toggle_sound(const Stats& stats, Settings& settings, Requests& requests) {
  PlaybackSettings& playback = settings.playback;
  if (!stats.sound.why_not.empty() && !playback.muted && playback.volume > 0) {
    requests.retry_sound = true;
    return;
  }
  playback.muted = !playback.muted && playback.volume > 0;
  if (!playback.muted && playback.volume <= 0) playback.volume = 1;
}

void set_volume(Settings& settings, double volume) {
  settings.playback.volume = std::clamp(volume, 0.0, 1.0);
  settings.playback.muted = false;
}

void change_volume(Settings& settings, int direction) {
  const bool stays_off = settings.playback.muted && direction < 0;
  set_volume(settings, std::round(settings.playback.volume * 10 + direction) / 10);
  settings.playback.muted = stays_off;
}

// A loop has its start before its end: a mark on the wrong side of the other one removes it.
void set_loop_mark(bool is_a, const Stats& stats, Settings& settings, const Requests& requests) {
  PlaybackSettings& playback = settings.playback;
  const double here = position_gone_to(stats, requests);
  (is_a ? playback.loop_a : playback.loop_b) = here;
  if (playback.loop_a && playback.loop_b && *playback.loop_a >= *playback.loop_b)
    (is_a ? playback.loop_b : playback.loop_a) = std::nullopt;
  playback.loop = true;
}

}  // namespace convoscope::ui
