#pragma once
// Playback and sound, as keys and the transport's buttons do them.
#include "app/state/settings.h"
#include "app/state/stats.h"

namespace convoscope::ui {

void toggle_play(const Stats&, Settings&, Requests&);
void seek_by(double seconds, const Stats&, Settings&, Requests&);
void change_speed(Settings&, int direction);
void toggle_sound(const Stats&, Settings&, Requests&);
void set_volume(Settings&, double volume);  // 0…1, and on: whoever sets it wants to hear
void change_volume(Settings&, int direction);
void set_loop_mark(bool is_a, const Stats&, Settings&, const Requests&);

}  // namespace convoscope::ui
