// The session: kept while the program runs, opened from files, and set back to the defaults.

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/app.h"
#include "app/files/file_kinds.h"
#include "app/files/file_names.h"
#include "app/files/log.h"
#include "app/files/paths.h"
#include "app/state/network_settings.h"
#include "app/state/workbench.h"
#include "app/ui/keys/keys.h"
#include "app/ui/ui_state.h"
#include "kernels/files/cache_file.h"

namespace convoscope {

void App::name_places() {
  std::error_code error;
  stats_.places = {
      {"Settings", settings_path().string(),
       "The theme, sizes, backend and recent sources: what belongs to this machine and its window."},
      {"Session", keeper_ ? keeper_->session_path().string() : "",
       "What is shown and how it is filtered. It is saved within a second of every change."},
      {"Pictures", std::filesystem::current_path(error).string(),
       "Where screenshots, recordings and sessions are saved: the folder in which the program was started."},
      {"Cache", cache_folder().string(), "What was measured and compiled. It may be deleted at any time."}};
}

// What is dropped opens as the session that is in it. What is opened by its name plays, unless it is nothing but a
// session.
void App::obey_session_requests(Requests& asked) {
  using Wish = SessionOpener::Wish;
  if (!keeper_) return;
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
        message(MessageLevel::information,
                opened->path + " was made by Convoscope: drop it on the window to open the session in it.", "session");
    } else if (opened->file) {
      const std::string before = keeper_->keep_before(settings_, stats_);
      begin_session(restore_session(*opened->file, opened->path, settings_));
      message(MessageLevel::information,
              "Opened the session in " + opened->path + "." +
                  (before.empty() ? "" : " To go back to the one before it, drop or open " + before + ".") +
                  (is_picture_or_recording(opened->path)
                       ? " To filter the picture itself, open it" + ui::keys_of("Open a file, URL or camera") + "."
                       : ""),
              "session");
    } else if (opened->wish == Wish::session) {
      message(MessageLevel::error, opened->problem);
    } else if (is_picture_or_recording(opened->path)) {
      asked.open = opened->path;
    } else {
      asked.load_filter = opened->path;
    }
  }
  if (asked.save_session) keeper_->save_as(*asked.save_session, settings_, stats_);
  if (asked.reset_settings) reset_settings();
}

void App::begin_session(Restored restored) {
  int last = 0;
  for (const PaneSettings& pane : settings_.panes) last = std::max(last, pane.id);
  settings_ = std::move(restored.settings);
  for (PaneSettings& pane : settings_.panes) pane.id = ++last;  // none is taken for one of before
  keeper_->forget_options();
  open_source();
  if (player_ && restored.position > 0) player_->seek_seconds(restored.position);
  source_restored_ = true;
  restored_at_ = stats_.frames_shown;
  for (const std::string& remark : restored.remarks) message(MessageLevel::warning, remark);
}

void App::reset_settings() {
  keeper_->put_aside();
  Settings fresh = default_settings();
  fresh.window_width = settings_.window_width;
  fresh.window_height = settings_.window_height;
  fresh.show_hint = true;
  show_source_beside(fresh);
  ui::reset_ui_state();
  begin_session({fresh, 0, {}});
}

// In the units that a window is asked for, which the monitor's scale makes pixels of.
void App::remember_window_size() {
  const std::pair seen{context_->width(), context_->height()};
  if (seen == std::exchange(seen_size_, seen)) return;  // asking the screen takes time
  const float scale = std::max(context_->content_scale(), 0.1f);
  const auto units = [scale](int pixels) { return static_cast<int>(std::lround(static_cast<float>(pixels) / scale)); };
  const ScreenRoom room = context_->room_on_screen();
  const auto keep = [&](int& kept, WindowSide& side, int asked, int pixels, int there) {
    kept = side.to_remember(kept, asked, units(pixels), units(there));
  };
  keep(settings_.window_width, window_width_, invocation_.window_width, context_->width(), room.width);
  keep(settings_.window_height, window_height_, invocation_.window_height, context_->height(), room.height);
}

void App::follow_session() {
  if (!keeper_) return;
  while (const auto outcome = keeper_->poll())
    message(outcome->failed ? MessageLevel::warning : MessageLevel::information, outcome->text);
  if (!settings_.fullscreen) remember_window_size();
  source_restored_ = source_restored_ && stats_.frames_shown == restored_at_;
  if (source_restored_ && !stats_.source.error.empty() && settings_.source.input != SourceSettings().input) {
    source_restored_ = false;
    message(MessageLevel::warning,
            "The session's source cannot be played, so the test pattern plays. Everything "
            "else is as it was.");
    settings_.source = SourceSettings();
    open_source();
  }
  keeper_->follow(settings_, stats_);
}

void App::end_session() {
  if (!keeper_) return;
  keeper_->finish(settings_, stats_);
  while (const auto outcome = keeper_->poll())
    log::say(outcome->failed ? log::Level::warning : log::Level::information, outcome->text);
}

// Throws Error.
void App::obey_bank_files(const Requests& asked) {
  if (asked.load_bank) {
    load_layer_bank(*asked.load_bank, settings_.layer);
    const std::string what = settings_.layer.network.empty() ? "bank" : "network";
    message(MessageLevel::information, "Loaded the " + what + " of " + whole(*asked.load_bank) + ".", "filter file");
  }
  if (asked.save_bank) {
    const std::string path = with_ending(whole(*asked.save_bank), std::vector<std::string>{"json", "npy"});
    const Filter& bank = seen_bank(settings_.layer);
    save_bank(bank, path);
    const bool in_part = ending_of(path) == "npy" && (bank.relu || !bank.biases.empty());
    const char* const left_out =
        in_part ? " A .npy file keeps the weights alone: save as .json for biases and ReLU." : "";
    message(MessageLevel::information, "Saved the bank as " + path + "." + left_out, "filter file");
  }
  if (asked.save_network) {
    const std::string path = whole(*asked.save_network);
    save_network(all_layers(settings_.layer), path);
    message(MessageLevel::information, "Saved all layers in the folder " + path + ".", "filter file");
  }
}

}  // namespace convoscope
