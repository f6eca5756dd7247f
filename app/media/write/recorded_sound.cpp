#include "app/media/write/recorded_sound.h"

namespace convoscope {

void RecordedSound::follow(double position, double seconds, bool in_step, FileOutput& output) {
  const bool goes_on = pictures_++ > 0 && in_step;
  if (goes_on && !in_step_) {  // from the picture before: it began the span that is in step
    if (packets_ > 0) ++breaks_;
    begin(last_, last_seconds_);
  }
  if (goes_on)
    write_until(position, seconds - position, output);
  else if (in_step_)
    end(output);
  in_step_ = goes_on;
  last_ = position;
  last_seconds_ = seconds;
}

void RecordedSound::finish(double duration, FileOutput& output) {
  if (in_step_) {
    write_until(last_ + duration, last_seconds_ - last_, output);
    end(output);
  }
  flush(output);
}

void RecordedSound::write(AVPacket& packet, FileOutput& output) {
  ++packets_;
  output.add_sound(packet);
}

std::string RecordedSound::note_of(const std::string& how) const {
  if (packets_ == 0 && pictures_ == 1) return "; without sound: there was time for one picture only";
  if (packets_ == 0) return "; without sound: the source was not playing at normal speed";
  return "; " + how + (breaks_ > 0 ? ", but left out where the source did not play on at normal speed" : "");
}

}  // namespace convoscope
