#include "app/stages/source_stage.h"

#include <filesystem>
#include <system_error>

#include "app/files/paths.h"
#include "app/media/sources/source.h"
#include "app/session/session_file.h"
#include "app/state/message_list.h"
#include "kernels/contract/error.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t max_recent_files = 12;
constexpr double patience = 0.7;  // seconds until a source that takes its time is told of
constexpr const char* goes_on = " The previous source is still shown.";

// The pause and the loop's ends were another source's.
void begin_playback(PlaybackSettings& playback) {
  playback.paused = false;
  playback.loop_a = playback.loop_b = std::nullopt;
}

}  // namespace

std::string folder_of_input(const std::string& input) {
  if (input.empty() || input == "-" || names_no_file(input)) return {};
  std::error_code unknown;
  std::string folder = whole_path(input, std::filesystem::current_path(unknown).string());
  if (!std::filesystem::is_directory(folder, unknown)) folder = parent_of(folder);
  while (is_glob(folder)) folder = parent_of(folder);
  return folder;
}

std::unique_ptr<Player> SourceStage::make_player(const SourceSettings& source, const Device& device,
                                                 Retry retry) const {
  const bool cuda = device.backend == Backend::cuda;
  DecodeTarget target;
  target.cuda = cuda;
  target.planes = true;
  target.device = device.ordinal;
  if (cuda) target.allocate_host = [device](std::size_t bytes) { return allocate_host(device, bytes); };
  const bool every = every_ || (invocation_.offscreen && !invocation_.realtime);
  const Pace pace = every ? Pace::every : Pace::clock;
  return Player::open(source, target, pace, invocation_.offscreen ? Retry::never : retry);
}

void SourceStage::open(const Settings& settings, Stats& stats, double position) {
  close();
  refused_.reset();
  stats.source = {};
  plays_ = false;
  playing_ = settings.source;
  await_another();
  try {
    player_ = make_player(settings.source, stats.device, Retry::always);
    if (stats.frames_shown == 0) seek_ = invocation_.seek;
    if (seek_) player_->seek_seconds(*seek_);
    if (position > 0) player_->seek_seconds(position);
  } catch (const Error& error) {
    stats.source.error = error.what();
    teller_.tell(MessageLevel::error, error.what(), "source");
    failed_ = invocation_.offscreen;
  }
}

void SourceStage::close() {
  next_ = {};
  player_.reset();
  at_hand_.reset();
}

void SourceStage::await_another() {
  at_hand_.reset();
  awaited_ = true;
  seek_.reset();
  sought_.reset();
}

bool SourceStage::obey(const Requests& asked, Settings& settings, Stats& stats) {
  bool opened = false;
  if (asked.open) {
    SourceSettings source = settings.source;
    source.input = expand_home(*asked.open);
    opened = open_beside(source, settings, stats);
  }
  awaited_ |= asked.retry_source || asked.seek_seconds || asked.seek_frame || asked.step != 0;
  if (asked.retry_source) {
    if (refused_) {
      opened |= open_beside(SourceSettings(*refused_), settings, stats);
    } else if (player_) {
      player_->restart();
    } else {
      open(settings, stats);
      opened = true;
    }
  }
  if (!player_) return opened;
  if (asked.seek_seconds || asked.seek_frame || asked.step != 0) sought_.reset();
  if (asked.seek_seconds && stats.source.seekable) sought_ = asked.seek_seconds;
  if (asked.seek_seconds) player_->seek_seconds(*asked.seek_seconds);
  if (asked.seek_frame) player_->seek_frame(*asked.seek_frame);
  if (asked.step != 0) {
    settings.playback.paused = true;
    player_->step(asked.step);
  }
  return opened;
}

// What plays goes on until the first frame of the next source is there. True: nothing plays, so it is opened at once.
bool SourceStage::open_beside(const SourceSettings& source, Settings& settings, Stats& stats) {
  if (!plays_ || !player_ || !player_->stats().error.empty()) {
    settings.source = source;
    begin_playback(settings.playback);
    open(settings, stats);
    return true;
  }
  settings.source = playing_;
  next_ = {};
  refused_.reset();
  try {
    next_ = {make_player(source, stats.device, Retry::once_it_played), source, stats.now, false};
  } catch (const Error& error) {
    refused_ = source;
    teller_.tell(MessageLevel::error, std::string(error.what()) + goes_on, "source");
  }
  return false;
}

SourceStage::Taken SourceStage::take(const PlaybackSettings& playback, Settings& settings, Stats& stats) {
  Taken taken = take_of_next(playback, settings, stats);
  if (!taken.frame) taken.frame = std::exchange(at_hand_, std::nullopt);
  if (!taken.frame) taken.frame = player_->next_frame(playback);
  return taken;
}

SourceStage::Taken SourceStage::take_of_next(const PlaybackSettings& playback, Settings& settings, Stats& stats) {
  if (!next_.player) return {};
  Taken taken{next_.player->next_frame(playback)};
  const SourceStats seen = next_.player->stats();
  if (taken.frame) {
    taken.of_another = true;
    player_ = std::move(next_.player);
    await_another();
    settings.source = playing_ = next_.source;
    begin_playback(settings.playback);
    next_ = {};
    refused_.reset();
    plays_ = false;
  } else if (!seen.error.empty() || seen.ended) {
    const std::string why = seen.error.empty() ? "'" + next_.source.input + "' has no pictures." : seen.error;
    teller_.tell(MessageLevel::error, why + goes_on, "source");
    refused_ = next_.source;
    next_ = {};
  } else if (!next_.told && stats.now > next_.since + patience) {
    next_.told = true;
    post_message(stats.messages,
                 {MessageLevel::information, "Opening '" + next_.source.input + "' …", stats.now, "source"});
  }
  return taken;
}

bool SourceStage::look(const PlaybackSettings& playback) {
  if (player_ && !at_hand_) at_hand_ = player_->next_frame(playback);
  return at_hand_.has_value();
}

void SourceStage::tell_errors(bool has_frame, const Stats& stats) {
  while (const std::optional<std::string> error = player_->take_error()) {
    teller_.tell(MessageLevel::error, *error, "source");
    if (invocation_.offscreen && !has_frame && stats.frames_shown == 0) failed_ = true;
  }
}

void SourceStage::begin_to_play(Settings& settings, Stats& stats) {
  plays_ = true;
  const std::string& input = settings.source.input;
  const std::string whole = whole_source(input);  // the next start may be in another folder
  withdraw_message(stats.messages, "source");
  if (stats.recording && !stats.recording_ends && stats.recording_seconds > 0)
    teller_.tell(MessageLevel::information, "The recording goes on with " + in_quotes(input) + ".", "recording");
  for (const std::string& name : {input, whole}) std::erase(settings.recent, name);
  settings.recent.insert(settings.recent.begin(), whole);
  if (settings.recent.size() > max_recent_files) settings.recent.resize(max_recent_files);
}

void SourceStage::report(const Settings& settings, Stats& stats) {
  if (!player_) return;
  stats.source = player_->stats();
  judge_seek(settings, stats.source);
}

void SourceStage::judge_seek(const Settings& settings, const SourceStats& source) {
  if (!seek_ || !(source.duration > 0)) return;
  const double wanted = *std::exchange(seek_, std::nullopt);
  if (!(wanted > source.duration) || !source.seekable || source.still) return;
  const bool shows_nothing = invocation_.offscreen && !settings.playback.loop;
  teller_.tell(shows_nothing ? MessageLevel::error : MessageLevel::warning,
               "--seek " + invocation_.seek_text + " is beyond the end of " + in_quotes(settings.source.input) +
                   ", which lasts " + rounded_text(source.duration, 4) + " seconds.");
  failed_ |= shows_nothing;
}

}  // namespace convoscope
