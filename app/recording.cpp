#include "app/recording.h"

namespace convoscope {

Recording::Recording(const RecordingSettings& settings, bool patient)
    : settings_(settings),
      patient_(patient),
      recorder_(Recorder::open(settings)),
      read_back_(ReadBack::make(settings.width, settings.height)) {}

void Recording::take(unsigned framebuffer, double seconds) {
  if (read_back_->request(framebuffer, seconds))
    ++taken_;
  else
    ++missed_;
}

void Recording::pass_on() { pass_on(false); }

void Recording::pass_on(bool wait) {
  while (read_back_->take(pixels_, wait)) {
    const Image image{pixels_.rgba.data(), pixels_.width, pixels_.height, static_cast<std::size_t>(pixels_.width) * 4,
                      PixelFormat::rgba8};
    if (!recorder_->add(image, pixels_.seconds, patient_)) ++missed_;
  }
}

std::string Recording::finish() {
  pass_on(true);
  recorder_->finish();
  std::string text = "Recorded " + std::to_string(recorder_->frames_written()) + " frames to " + settings_.path + " (" +
                     recorder_->encoder() + ").";
  if (missed_ > 0) text += " " + std::to_string(missed_) + " frames could not be taken: the encoder was too slow.";
  return text;
}

}  // namespace convoscope
