#include "app/steps/session_step.h"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <string>

#include "app/files/file_kinds.h"
#include "app/files/log.h"
#include "app/files/paths.h"
#include "app/files/user_folders.h"
#include "app/state/workbench.h"
#include "app/ui/keys/key_table.h"
#include "app/ui/memory/ui_state.h"
#include "app/ui/parts/action_names.h"
#include "app/ui/parts/key_names.h"
#include "kernels/measure/cache_file.h"

namespace convoscope {
namespace {

// Subjects of what a session asks before it opens it.
constexpr const char *about_source = "session source", *about_network = "session network";

// A bank or a network, in whatever workbench it is dropped.
bool holds_weights(const std::string& path) {
  const std::string ending = ending_of(path);
  return ending == "npy" || ending == "npz" || ending == "safetensors";
}

}  // namespace

std::vector<Place> SessionStep::places() const {
  std::error_code error;
  const UserFolders own = user_folders(std::filesystem::current_path(error).string());
  return {{"Settings", settings_path().string(),
           "The theme, sizes, backend and recent sources: what belongs to this machine and its window."},
          {"Session", keeper_ ? keeper_->session_path().string() : "",
           "What is shown and how it is filtered. It is saved within a second of every change."},
          {"Pictures", own.pictures, "Where screenshots and animations are saved, unless you choose a folder."},
          {"Videos", own.videos, "Where recordings are saved, unless you choose a folder."},
          {"Cache", cache_folder().string(), "What was measured and compiled. It may be deleted at any time."}};
}

// What is dropped opens as the session that is in it. What is opened by its name plays, unless it is nothing but a
// session.
std::optional<double> SessionStep::obey(Requests& asked, Settings& settings, const Stats& stats) {
  using Wish = SessionOpener::Wish;
  std::optional<double> source_at;
  if (!keeper_) return source_at;
  if (asked.drop && holds_weights(*asked.drop)) {
    show_workbench(settings, std::ranges::find_if(workbenches, &Workbench::has_bank)->id);
    asked.load_bank = expand_home(*std::exchange(asked.drop, std::nullopt));
  }
  if (asked.drop && !may_hold_session(*asked.drop)) asked.open = std::exchange(asked.drop, std::nullopt);
  if (asked.open && may_hold_session(*asked.open)) {
    const std::string file = expand_home(*asked.open);
    if (is_picture_or_recording(file))
      opener_.start(file, Wish::only_to_know);
    else
      asked.drop = std::exchange(asked.open, std::nullopt);
  }
  if (asked.drop) opener_.start(expand_home(*asked.drop), Wish::whatever_is_in_it);
  if (asked.load_session) opener_.start(*asked.load_session, Wish::session);
  if (const std::optional<SessionOpener::Result> opened = opener_.poll()) {
    if (opened->wish == Wish::only_to_know) {
      if (opened->file)
        poster_.post(MessageLevel::information,
                     opened->path +
                         " was made by Convoscope, so it has been filtered already. The session that made "
                         "it can be opened, too.",
                     "session", {{Offer::play_unfiltered, opened->path}, {Offer::open_session, opened->path}});
    } else if (opened->file) {
      const std::string before = keeper_->keep_before(settings, stats);
      source_at = begin(restore_session(*opened->file, opened->path, settings, origin_of_opened(opened->path)),
                        settings, stats);
      poster_.post(
          MessageLevel::information,
          (opened->path == before ? std::string("The previous session is shown again.")
                                  : "Opened the session in " + opened->path + "." +
                                        (before.empty() ? "" : " The previous one is kept in " + before + ".")) +
              (is_picture_or_recording(opened->path)
                   ? " To filter the " + std::string(opened->path.ends_with(".png") ? "picture" : "recording") +
                         " itself, open it" + ui::keys_of(ui::action::open_source) + "."
                   : ""),
          "session",
          before.empty() ? std::vector<MessageButton>() : std::vector<MessageButton>{{Offer::go_back, before}});
    } else if (opened->wish == Wish::session) {
      poster_.post(MessageLevel::error, opened->problem, "session");
    } else if (is_picture_or_recording(opened->path)) {
      asked.open = opened->path;
    } else {
      (has_bank(work_of(settings)) ? asked.load_bank : asked.load_filter) = opened->path;
    }
  }
  if (asked.save_session) keeper_->save_as(*asked.save_session, settings, stats);
  if (asked.reset_settings) source_at = reset(settings, stats);
  return source_at;
}

double SessionStep::show(const nlohmann::json& session, const std::string& holder, Settings& settings,
                         const Stats& stats) {
  if (keeper_) keeper_->keep_before(settings, stats);
  return begin(restore_session({session, {}}, holder, settings, SessionOrigin::foreign), settings, stats);
}

double SessionStep::show_again(Settings before, double position, Settings& settings, const Stats& stats) {
  return begin({std::move(before), position, {}, {}, {}}, settings, stats);
}

double SessionStep::begin(Restored restored, Settings& settings, const Stats& stats) {
  int last = 0;
  for (const PaneSettings& pane : settings.group().panes) last = std::max(last, pane.id);
  settings = std::move(restored.settings);
  for (PaneSettings& pane : settings.group().panes) pane.id = ++last;  // none is taken for one of before
  if (keeper_) keeper_->forget_options();
  source_restored_ = true;
  restored_at_ = stats.frames_shown;
  for (const std::string& remark : restored.remarks) poster_.post(MessageLevel::warning, remark);
  for (const char* const asked : {about_source, about_network}) poster_.withdraw(asked);  // by the session before
  ask_about(restored.offers);
  return restored.position;
}

void SessionStep::ask_about(const std::vector<SessionOffer>& offers) {
  for (const SessionOffer& offer : offers)
    if (offer.weights.empty())
      poster_.post(MessageLevel::warning, question_of(offer), about_source, {{Offer::open_source, offer.source}});
    else
      poster_.post(MessageLevel::warning, question_of(offer), about_network, {{Offer::read_weights, offer.weights}});
}

double SessionStep::reset(Settings& settings, const Stats& stats) {
  keeper_->put_aside();
  Settings fresh = default_settings();
  fresh.window_width = settings.window_width;
  fresh.window_height = settings.window_height;
  fresh.show_hint = true;
  show_source_beside(fresh);
  ui::reset_ui_state();
  return begin({fresh, 0, {}, {}, {}}, settings, stats);
}

// In the units that a window is asked for, which the monitor's scale makes pixels of.
void SessionStep::remember_window_size(Settings& settings, const Context& context) {
  const std::pair seen{context.width(), context.height()};
  if (seen == std::exchange(seen_size_, seen)) return;  // asking the screen takes time
  const float scale = std::max(context.content_scale(), 0.1f);
  const auto units = [scale](int pixels) { return static_cast<int>(std::lround(static_cast<float>(pixels) / scale)); };
  const ScreenRoom room = context.room_on_screen();
  const auto keep = [&](int& kept, WindowSide& side, int asked, int pixels, int there) {
    kept = side.to_remember(kept, asked, units(pixels), units(there));
  };
  keep(settings.window_width, window_width_, invocation_.window_width, context.width(), room.width);
  keep(settings.window_height, window_height_, invocation_.window_height, context.height(), room.height);
}

bool SessionStep::follow(Settings& settings, const Stats& stats, const Context& context) {
  if (!keeper_) return false;
  while (const auto outcome = keeper_->poll())
    poster_.post(outcome->failed ? MessageLevel::warning : MessageLevel::information, outcome->text, "session saved");
  ask_about(keeper_->take_offers());
  if (!settings.fullscreen) remember_window_size(settings, context);
  source_restored_ = source_restored_ && stats.frames_shown == restored_at_;
  if (source_restored_ && !stats.source.error.empty() && settings.source.input != SourceSettings().input) {
    source_restored_ = false;
    poster_.post(MessageLevel::warning,
                 "The session's source cannot be played, so the test pattern plays. Everything "
                 "else is as it was.");
    settings.source = SourceSettings();
    return true;
  }
  keeper_->follow(settings, stats);
  return false;
}

void SessionStep::end(const Settings& settings, const Stats& stats) {
  if (!keeper_) return;
  keeper_->finish(settings, stats);
  while (const auto outcome = keeper_->poll())
    log::say(outcome->failed ? log::Level::warning : log::Level::information, outcome->text);
}

}  // namespace convoscope
