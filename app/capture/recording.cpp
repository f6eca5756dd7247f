#include "app/capture/recording.h"

#include <filesystem>
#include <utility>

#include "app/files/sentence.h"

namespace convoscope {

Recording::Recording(const RecordingSettings& settings, bool patient, bool renders, PictureTap& tap)
    : settings_(settings),
      patient_(patient),
      renders_(renders),
      tap_(tap),
      clock_(settings.rate),
      recorder_(Recorder::open(settings)) {
  tap_.start(recorder_->planes(), settings.width, settings.height);
}

Recording::~Recording() {
  recorder_.reset();  // ends every loan
  tap_.stop();
}

void Recording::take_picture(double now, double position, double speed) {
  last_now_ = now;
  const RecordingClock::Moment moment = clock_.next(patient_ ? -1 : now, position, speed);
  LentPicture about;
  about.seconds = moment.seconds;
  about.position = position;
  about.in_step = moment.in_step && !broken_;
  while (!tap_.take_picture(about)) {
    if (!patient_ || !recorder_->error().empty()) {
      ++missed_;
      broken_ = broken_ || !moment.in_step;
      return;
    }
    pass_on(true);
    tap_.wait_for_a_loan_to_end();
  }
  broken_ = false;
  seconds_ = moment.seconds;
  ++taken_;
}

void Recording::pass_on() { pass_on(false); }

void Recording::pass_on(bool wait) {
  LentPicture picture;
  while (tap_.deliver(picture, wait)) recorder_->add(picture);  // refused: error() says why
}

void Recording::close(bool whole) {
  if (std::exchange(closing_, true)) return;
  whole_ = whole;
  pass_on(true);
  recorder_->close(whole);
}

std::string Recording::finish() {
  close();
  return finish_without_gl();
}

std::string Recording::finish_without_gl() {
  if (!std::exchange(closing_, true)) {
    whole_ = !patient_;  // one that was to have every frame lacks the rest
    recorder_->close(whole_);
  }
  recorder_->finish();
  if (recorder_->frames_written() == 0)
    return nothing_recorded(missed_ > 0 ? "the encoder took no picture in time." : nullptr, renders_);
  const std::string left = recorder_->where_left();
  std::string text = (renders_ ? "Rendered " : "Recorded ") + frames_text(recorder_->frames_written()) + " to " +
                     (left.empty() ? settings_.path : left) + " (" + recorder_->encoder() + recorder_->note() + ").";
  if (!whole_) text += " The file is kept and can be played, but the rest is missing.";
  std::error_code unknown;
  if (!left.empty() && std::filesystem::exists(settings_.path, unknown))
    text += " '" + settings_.path + "' is as it was.";
  else if (!left.empty())
    text += " There is no '" + settings_.path + "'.";
  if (recorder_->encoder().ends_with(" ultrafast") || recorder_->encoder().ends_with(" superfast"))
    text +=
        " There was little time for each frame, so the file is larger than it could be; the quality is the one chosen.";
  if (missed_ > 0)
    text += " " + frames_text(missed_) + " could not be recorded: the encoder was too slow. Record a smaller picture" +
            (recorder_->encoder().find("264") == std::string::npos ? ", or use H.264." : ".");
  return text;
}

std::string Recording::file() const {
  const std::string left = recorder_->where_left();
  return left.empty() ? settings_.path : left.substr(1, left.size() - 2);  // without its quotes
}

std::string nothing_recorded(const char* why, bool renders) {
  return std::string(renders ? "Nothing was rendered" : "Nothing was recorded") +
         ", so there is no file: " + (why ? why : "it ended before there was a picture.");
}

}  // namespace convoscope
