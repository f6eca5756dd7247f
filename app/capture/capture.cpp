#include "app/capture/capture.h"

#include <algorithm>
#include <cmath>
#include <ctime>
#include <utility>

#include "app/capture/clipboard.h"
#include "app/files/paths.h"
#include "app/files/sentence.h"
#include "app/files/slow_finish.h"
#include "app/media/read/local_files.h"
#include "app/media/write/png.h"
#include "app/session/session_file.h"
#include "app/session/session_json.h"
#include "app/state/workbench.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr double usual_rate = 30;

// Subjects of messages: what became of a recording stays to be read when a picture is saved.
constexpr const char *recorded = "recorded", *saved = "saved", *saving = "saving";

double rate_of(const SourceStats& source) { return source.rate > 0 ? source.rate : usual_rate; }

// Players show the title: a picture without panels says nothing of what it shows.
std::string title_of(const Settings& settings) {
  std::string filters;
  for (const PaneSettings& pane : settings.group().panes) {
    const FilterKind* const kind = find_filter_kind(pane.filter.kind);
    const std::string filter = pane.strategy == "source"     ? "unfiltered"
                               : has_bank(work_of(settings)) ? settings.layer.bank
                               : kind                        ? std::string(kind->title)
                                                             : pane.filter.kind;
    if (filters.empty() || !filters.ends_with(filter)) filters += (filters.empty() ? "" : ", ") + filter;
  }
  return printable(source_name(settings.source.input)) + ": " + filters;
}

// A bank by its name and shape; a picture's own weights with the name that they have.
std::string what_filters(const PaneSettings& pane, const Work& work) {
  return has_bank(work) || pane.filter.kind != "custom" ? filter_text(pane, work) : named_text(pane.filter);
}

std::map<std::string, std::string> metadata(const Settings& settings, const Stats& stats) {
  std::string comment;
  for (const PaneSettings& pane : settings.group().panes)
    comment += (comment.empty() ? "Convoscope: " : "; ") + pane.strategy +
               (pane.strategy == "source"
                    ? ""
                    : ", " + what_filters(pane, work_of(settings)) + ", border " + std::string(to_string(pane.border)));
  return {
      {"comment", comment}, {"title", title_of(settings)}, {session_key, embedded_session(settings, facts_of(stats))}};
}

std::map<std::string, std::string> screenshot_text(const Settings& settings, const Stats& stats) {
  std::map<std::string, std::string> text = metadata(settings, stats);
  text["Software"] = "Convoscope";
  text["Title"] = text["title"];
  text.erase("title");
  text["Description"] = text["comment"];
  text.erase("comment");
  return text;
}

Image image_of(ReadBack::Pixels& pixels) {
  return {pixels.rgba.data(), pixels.width, pixels.height, static_cast<std::size_t>(pixels.width) * 4,
          PixelFormat::rgba8};
}

}  // namespace

Capture::Capture(const Context& context, const Settings& settings, Stats& stats, Say say)
    : context_(context), settings_(settings), stats_(stats), say_(std::move(say)), tap_(PictureTap::make()) {}

Capture::~Capture() = default;

RecordingSettings Capture::settings_for(const Start& start, const Composition& view) const {
  const RecordingChoices& choices = settings_.recording;
  RecordingSettings recording;
  recording.path = start.path;
  if (start.with_panels.value_or(choices.with_panels)) {
    recording.width = context_.width();
    recording.height = context_.height();
  } else if (choices.source_size && stats_.source.width > 0) {
    recording.width = static_cast<int>(std::lround(stats_.source.width * stats_.source.pixel_aspect));
    recording.height = stats_.source.height;
  } else {
    recording.width = static_cast<int>(std::lround(view.area.width));
    recording.height = static_cast<int>(std::lround(view.area.height));
  }
  recording.rate = rate_of(stats_.source);
  if (choices.rate > 0) recording.rate = std::min(recording.rate, choices.rate);
  recording.codec = choices.codec;
  recording.quality = choices.quality;
  recording.prefer_nvenc = stats_.device.backend == Backend::cuda;
  recording.live = !start.patient;
  if (choices.sound && !stats_.source.live) recording.sound = settings_.source.input;
  recording.filtering = settings_.sound;
  recording.trust_playlists = settings_.source.trust_playlists;
  recording.metadata = metadata(settings_, stats_);
  return recording;
}

void Capture::start(const Start& start, const Composition& view) {
  if (recording_) throw Error("'" + recording_->settings().path + "' is still being written. Try again in a moment.");
  check_is_not_input("The recording", start.path, settings_.source.input);
  recording_ = std::make_unique<Recording>(settings_for(start, view), start.patient, start.renders, *tap_);
  with_panels_ = start.with_panels.value_or(settings_.recording.with_panels);
  for_exit_code_ = start.for_exit_code;
  sound_recorded_ = settings_.sound;
  dropped_before_ = stats_.frames_dropped;
  next_due_ = 0;
  stats_.recording = true;
  stats_.recording_ends = false;
  stats_.recording_path = start.path;
  stats_.recording_encoder.clear();
  stats_.recording_width = recording_->settings().width;
  stats_.recording_height = recording_->settings().height;
  update_stats();
  if (!start.throws) return;
  try {
    recording_->wait_until_open();
  } catch (const Error&) {
    recording_.reset();
    stats_.recording = false;
    throw;
  }
}

// A live view is also recorded while its source stands still: what the user does then is to be seen.
bool Capture::due(bool new_frame, bool has_picture, double position) {
  const bool first = recording_->frames_taken() == 0;
  if (new_frame) return within_rate(recording_->patient() ? position : stats_.now) || first;
  if (recording_->patient()) return false;
  if (first) return has_picture;
  const bool plays = !settings_.playback.paused && !stats_.source.ended && settings_.playback.speed >= 1;
  const double patience = (plays ? 2.5 : 0.999) / recording_->settings().rate;
  return stats_.now - recording_->last_now() >= patience;
}

bool Capture::within_rate(double time) {
  if (settings_.recording.rate <= 0) return true;
  const double period = 1 / settings_.recording.rate, slack = period / 8;
  if (time < next_due_ - slack && time > next_due_ - 2 * period) return false;
  // The next one is counted from when this one was due, not from when it came; after a leap it is counted anew.
  next_due_ = std::abs(time - next_due_) < 2 * period ? next_due_ + period : time + period;
  return true;
}

void Capture::fill_canvas(std::span<const PaneTexture> panes, Composition view) {
  if (with_panels_) return tap_->copy(context_.framebuffer(), {0, 0, context_.width(), context_.height()});
  if (!compositor_) compositor_ = Compositor::make();
  const RecordingSettings& to = recording_->settings();
  const float scale = std::min(static_cast<float>(to.width) / std::max(view.area.width, 1.0f),
                               static_cast<float>(to.height) / std::max(view.area.height, 1.0f));
  view.line_scale *= scale;
  view.frames_active = false;
  view.area = {0, 0, static_cast<float>(to.width), static_cast<float>(to.height)};
  tap_->draw([&] { compositor_->draw(panes, view); });
}

void Capture::after_draw(bool new_frame, std::span<const PaneTexture> panes, const Composition& view, double position) {
  try {
    record(new_frame, panes, view, position);
    keep_last_seconds(panes, view);
    take_stills();
  } catch (const Error& error) {  // the driver has no memory for pictures
    say(MessageLevel::error, error.what(), saving);
    stop("Recording was stopped.");
  }
}

void Capture::record(bool new_frame, std::span<const PaneTexture> panes, const Composition& view, double position) {
  if (!recording_) return;
  if (recording_->closing()) {
    if (recording_->closed()) report();
    return;
  }
  if (sound_recorded_ != settings_.sound) recording_->filter_sound(sound_recorded_ = settings_.sound);
  if (due(new_frame, !panes.empty(), position)) {
    fill_canvas(panes, view);
    // The sound that is copied is that of the source with which the recording began.
    const std::string& sound = recording_->settings().sound;
    const bool is_another = !sound.empty() && settings_.source.input != sound;
    recording_->take_picture(stats_.now, position, is_another ? 0 : settings_.playback.speed);
  }
  recording_->pass_on();
  update_stats();
  if (!recording_->error().empty()) stop();
}

void Capture::stop(const std::string& remark) {
  if (!recording_) return;
  if (!remark.empty()) remark_ = remark + " ";
  recording_->close(remark.empty());
  stats_.recording_ends = true;
}

void Capture::finish() {
  if (recording_) {
    const SlowFinish told("'" + recording_->settings().path + "'");
    stop();
    report();
  }
  take_stills(true);
  jobs_.finish();
  while (const auto outcome = jobs_.poll()) say_outcome(*outcome);
}

void Capture::say_outcome(const BackgroundJobs::Outcome& outcome) {
  say(outcome.failed ? MessageLevel::error : MessageLevel::information, outcome.text, outcome.failed ? saving : saved,
      outcome.file);
}

void Capture::finish_without_gl() {
  if (recording_) {
    const SlowFinish told("'" + recording_->settings().path + "'");
    try {
      say_what_was_recorded(recording_->finish_without_gl());
    } catch (const Error& error) {
      say(MessageLevel::error, error.what(), recorded);
    }
    update_stats();
  }
  jobs_.finish();
  while (const auto outcome = jobs_.poll()) say_outcome(*outcome);
}

void Capture::say_what_was_recorded(const std::string& text) {
  const std::int64_t dropped = recording_->frames_written() > 0 ? frames_dropped() : 0;
  say(recording_->frames_written() > 0 ? MessageLevel::information : MessageLevel::warning,
      text + (dropped > 0 ? " " + frames_text(dropped) + " of the source could not be shown in time, so " +
                                (dropped == 1 ? "it is" : "they are") + " not in it."
                          : ""),
      recorded, recording_->frames_written() > 0 ? recording_->file() : "");
}

void Capture::report() {
  try {
    say_what_was_recorded(remark_ + recording_->finish());
  } catch (const Error& error) {
    failed_ |= for_exit_code_;
    say(MessageLevel::error, remark_ + error.what(), recorded);
  }
  remark_.clear();
  update_stats();
  recording_.reset();
  stats_.recording = stats_.recording_ends = false;
}

// Of one that takes fewer frames than the source has, or waits for each, none is missing for that.
std::int64_t Capture::frames_dropped() const {
  if (recording_->patient() || recording_->settings().rate < rate_of(stats_.source)) return 0;
  return stats_.frames_dropped - dropped_before_;
}

void Capture::update_stats() {
  stats_.frames_dropped_recording = frames_dropped();
  stats_.frames_recorded = recording_->frames_written();
  stats_.frames_not_recorded = recording_->frames_missed();
  stats_.recording_seconds = recording_->seconds();
  if (stats_.recording_encoder.empty()) stats_.recording_encoder = recording_->encoder();  // known once it is open
}

void Capture::save_screenshot(const std::string& path) {
  check_is_not_input("The screenshot", path, settings_.source.input);
  const auto read_back = ReadBack::make(context_.width(), context_.height());
  ReadBack::Pixels pixels;
  read_back->request(context_.framebuffer(), 0);
  read_back->take_pixels(pixels, true);
  write_png(path, image_of(pixels), screenshot_text(settings_, stats_));
  say(MessageLevel::information, "Saved a screenshot as " + path + ".", saved, path);
}

bool Capture::has_room() {
  const bool room = jobs_.has_room(wanted_.size() + stills_.size());
  if (!room)
    say(MessageLevel::warning, "The pictures before this one are still being saved. Try again in a moment.", saving);
  return room;
}

void Capture::save_next_frame(const std::string& path) {
  if (!path.empty()) check_is_not_input("The screenshot", path, settings_.source.input);
  if (!has_room()) return;
  wanted_.push_back([text = screenshot_text(settings_, stats_), path, name = settings_.recording.name,
                     base = folder(stats_.files.pictures_in), facts = name_facts("screenshot")](const Image& image) {
    const std::string to = path.empty() ? free_path(base, name, facts, "png") : path;
    write_png(to, image, text);
    return BackgroundJobs::Done("Saved a screenshot as " + to + ".", to);
  });
}

void Capture::copy_next_frame(const Composition& view) {
  if (!has_room()) return;
  wanted_.push_back([area = view.area](const Image& window) {
    const int left = std::clamp(static_cast<int>(area.x), 0, window.width - 1);
    const int top = std::clamp(static_cast<int>(area.y), 0, window.height - 1);
    Image part = window;
    part.width = std::clamp(static_cast<int>(area.width), 1, window.width - left);
    part.height = std::clamp(static_cast<int>(area.height), 1, window.height - top);
    part.data = static_cast<std::uint8_t*>(window.data) + static_cast<std::size_t>(top) * window.pitch +
                static_cast<std::size_t>(left) * 4;
    copy_to_clipboard(part);
    return "Copied the picture, " + std::to_string(part.width) + " × " + std::to_string(part.height) + " pixels.";
  });
}

// Compressing a picture takes up to a second: it is done elsewhere.
void Capture::take_stills(bool wait) {
  for (auto& use : std::exchange(wanted_, {})) {
    stills_.push_back({ReadBack::make(context_.width(), context_.height()), std::move(use)});
    stills_.back().read_back->request(context_.framebuffer(), 0);
  }
  std::erase_if(stills_, [&](Still& still) {
    auto pixels = std::make_shared<ReadBack::Pixels>();
    if (!still.read_back->take_pixels(*pixels, wait)) return false;
    jobs_.start([pixels, use = std::move(still.use)] { return use(image_of(*pixels)); });
    return true;
  });
  while (const auto outcome = jobs_.poll()) say_outcome(*outcome);
}

void Capture::keep_last_seconds(std::span<const PaneTexture> panes, const Composition& view) {
  if (!settings_.recording.keep_last_seconds) {
    last_seconds_.reset();
    stats_.animation_seconds = 0;
    stats_.animation_bytes = 0;
    return;
  }
  if (!last_seconds_) last_seconds_ = std::make_unique<LastSeconds>();
  last_seconds_->take_picture(stats_.now, panes, view);
  stats_.animation_seconds = last_seconds_->seconds();
  stats_.animation_bytes = last_seconds_->bytes();
}

void Capture::save_last_seconds() {
  if (!last_seconds_ || last_seconds_->seconds() <= 0)
    return say(MessageLevel::warning,
               "No pictures of the last seconds are kept. Turn on \"Keep them\" in the recording panel, wait a moment "
               "and save again.",
               saving);
  if (!has_room()) return;
  const bool gif = settings_.recording.animation == AnimationFormat::gif;
  auto animation = std::make_shared<Animation>(last_seconds_->release());
  jobs_.start([animation, gif, name = settings_.recording.name, base = folder(stats_.files.pictures_in),
               facts = name_facts("animation")] {
    const std::string path = free_path(base, name, facts, gif ? "gif" : "webp");
    write_animation(path, *animation);
    const long seconds = std::lround(animation->frames.back().seconds - animation->frames.front().seconds);
    return BackgroundJobs::Done("Saved the last " + std::to_string(seconds) + " seconds as " + path + ".", path);
  });
}

NameFacts Capture::name_facts(const char* kind) const {
  const std::string& filter = has_bank(work_of(settings_)) ? settings_.layer.bank : settings_.active().filter.kind;
  return {kind, settings_.source.input, filter, std::time(nullptr)};
}

std::string Capture::folder(const std::string& usual) const {
  if (!settings_.recording.folder.empty()) return settings_.recording.folder;
  return usual.empty() ? stats_.files.started_in : usual;
}

std::string Capture::free_name(const char* kind, const char* ending) const {
  return free_path(folder(stats_.files.videos_in), settings_.recording.name, name_facts(kind), ending);
}

const char* recording_ending(const RecordingChoices& choices) {
  const bool mp4 = choices.container == RecordingContainer::mp4 && choices.codec != RecordingCodec::ffv1;
  return mp4 ? "mp4" : "mkv";
}

}  // namespace convoscope
