#include "app/steps/source_step.h"

#include <algorithm>
#include <filesystem>
#include <system_error>

#include "app/files/paths.h"
#include "app/files/picture_limit.h"
#include "app/media/sources/source.h"
#include "app/session/session_file.h"
#include "app/state/message_list.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

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

// That source plays now: as one of the list, or there is no list any more.
void enter_list(const std::string& input, ClipList& clips) {
  const auto begin = clips.names ? clips.names->begin() : std::vector<std::string>::const_iterator();
  const auto end = begin + static_cast<std::ptrdiff_t>(clips.size());
  const auto found = std::find(begin, end, input);
  if (found == end) {
    clips = {};
    return;
  }
  clips.at = static_cast<std::size_t>(found - begin);
  clips.left_out.erase(clips.at);
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

std::unique_ptr<Player> SourceStep::make_player(const SourceSettings& source, const Device& device, Retry retry) const {
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

void SourceStep::open(const Settings& settings, Stats& stats, double position) {
  close();
  refused_.reset();
  stats.source = {};
  plays_ = false;
  playing_ = settings.source;
  if (!stats.clips.plays(playing_.input)) stats.clips = {};
  await_another();
  try {
    player_ = make_player(settings.source, stats.device, Retry::always);
    if (stats.frames_shown == 0) seek_ = invocation_.seek;
    if (seek_) player_->seek_seconds(*seek_);
    if (position > 0) player_->seek_seconds(position);
  } catch (const Error& error) {
    stats.source.error = error.what();
    poster_.post(MessageLevel::error, error.what(), "source");
    failed_ = invocation_.offscreen;
  }
}

void SourceStep::close() {
  next_ = {};
  player_.reset();
  at_hand_.reset();
}

void SourceStep::await_another() {
  at_hand_.reset();
  awaited_ = true;
  seek_.reset();
  sought_.reset();
}

bool SourceStep::obey(const Requests& asked, Settings& settings, Stats& stats) {
  bool opened = false;
  if (asked.allow_pixels) settings.source.max_pixels = *asked.allow_pixels;
  if (asked.allow_pixels && refused_) refused_->max_pixels = *asked.allow_pixels;
  if (asked.open) {
    SourceSettings source = settings.source;
    source.input = expand_home(*asked.open);
    opened = open_beside(source, settings, stats);
  }
  if (!asked.open_clips.empty())
    opened |= begin_clips(std::make_shared<const std::vector<std::string>>(asked.open_clips), "", settings, stats);
  if (asked.clip && *asked.clip < stats.clips.size()) opened |= open_clip(*asked.clip, 0, false, settings, stats);
  if (asked.step_clip != 0) opened |= step_clip(asked.step_clip, settings, stats);
  awaited_ |= asked.retry_source || asked.seek_seconds || asked.seek_frame || asked.step != 0;
  if (asked.retry_source) {
    if (refused_) {
      opened |= open_beside(SourceSettings(*refused_), settings, stats);
    } else if (player_ && !asked.allow_pixels) {
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
bool SourceStep::open_beside(const SourceSettings& source, Settings& settings, Stats& stats) {
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
    tell_refused(error.what(), source.input);
  }
  return false;
}

SourceStep::Taken SourceStep::take_due(const PlaybackSettings& playback, Settings& settings, Stats& stats) {
  look_ahead(playback, stats);
  Taken taken = take_of_next(playback, settings, stats);
  if (!taken.frame) taken.frame = std::exchange(at_hand_, std::nullopt);
  if (!taken.frame) taken.frame = player_->next_frame(listed(playback));
  if (!taken.frame && has_clip_news()) go_on(settings, stats);
  return taken;
}

SourceStep::Taken SourceStep::take_of_next(const PlaybackSettings& playback, Settings& settings, Stats& stats) {
  if (!next_.player) return {};
  Taken taken{next_.player->next_frame(playback)};
  const SourceStats seen = next_.player->stats();
  if (seen.clips) {
    begin_clips(seen.clips, next_.source.input, settings, stats);
  } else if (taken.frame) {
    enter_list(next_.source.input, stats.clips);
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
    const Next failed = std::exchange(next_, {});
    refused_ = failed.source;
    if (!failed.clip)
      tell_refused(why, failed.source.input);
    else if (const auto other = leave_out(*failed.clip, failed.direction, failed.around, why, stats))
      open_clip(*other, failed.direction, failed.around, settings, stats);
  } else if (!next_.told && stats.now > next_.since + patience) {
    next_.told = true;
    post_message(stats.messages,
                 {MessageLevel::information, "Opening '" + next_.source.input + "' …", stats.now, "source"});
  }
  return taken;
}

void SourceStep::tell_refused(const std::string& why, const std::string& input) const {
  std::vector<MessageButton> buttons;
  if (const std::optional<std::int64_t> pixels = pixels_to_allow(why))
    buttons.push_back({Offer::open_anyway, input, *pixels});
  poster_.post(MessageLevel::error, why + goes_on, "source", buttons);
}

// A folder tells what is in it before it has a picture, and never has one.
bool SourceStep::begin_clips(ClipNames names, std::string folder, Settings& settings, Stats& stats) {
  const auto count = static_cast<std::int64_t>(names->size());
  const std::string which = folder.empty() ? "that were dropped" : "in " + in_quotes(folder);
  if (invocation_.offscreen) {
    poster_.post(MessageLevel::error,
                 in_quotes(folder) + " is a folder of " + counted(count, "clip") +
                     ", and without a window one clip is played. Name it, such as " + in_quotes(names->front()) + ".",
                 "source");
    failed_ = true;
    return false;
  }
  stats.clips = {std::move(names), std::move(folder), 0, {}, false};
  if (count > 1)
    poster_.post(MessageLevel::information,
                 "The " + counted(count, "clip") + " " + which +
                     " play one after another. The Source panel lists them, and Ctrl+Page Down goes to the next.",
                 "clips");
  return open_clip(0, 1, true, settings, stats);
}

// True: nothing plays, so it is opened at once.
bool SourceStep::open_clip(std::size_t clip, int direction, bool around, Settings& settings, Stats& stats) {
  const ClipNames names = stats.clips.names;
  next_ = {};
  refused_.reset();
  SourceSettings source = player_ ? playing_ : settings.source;
  for (std::optional<std::size_t> tried = clip; tried;) {
    source.input = (*names)[*tried];
    if (!player_) {
      stats.clips.at = *tried;
      settings.source = source;
      begin_playback(settings.playback);
      open(settings, stats);
      return true;
    }
    try {
      next_ = {
          make_player(source, stats.device, Retry::once_it_played), source, stats.now, false, tried, direction, around};
      return false;
    } catch (const Error& error) {
      tried = leave_out(*tried, direction, around, error.what(), stats);
    }
  }
  return false;
}

// The clip to be tried instead of one that cannot be played.
std::optional<std::size_t> SourceStep::leave_out(std::size_t clip, int direction, bool around, const std::string& why,
                                                 Stats& stats) {
  stats.clips.left_out.insert(clip);
  if (direction == 0) {
    poster_.post(MessageLevel::error, why + goes_on, "source");
    return {};
  }
  const std::optional<std::size_t> other = clip_after(stats.clips, clip, direction, around);
  poster_.post(MessageLevel::warning, why + " It is left out.");
  if (!other && !plays_)
    poster_.post(MessageLevel::error,
                 "None of the " + counted(static_cast<std::int64_t>(stats.clips.size()), "clip") +
                     " can be played. Open another folder or a file.",
                 "source");
  return other;
}

bool SourceStep::step_clip(int direction, Settings& settings, Stats& stats) {
  const ClipList& clips = stats.clips;
  const auto other = clip_after(clips, next_.clip.value_or(clips.at), direction, true);
  if (other) return open_clip(*other, direction, true, settings, stats);
  poster_.post(MessageLevel::information,
               clips.size() > 1 ? "No other clip of the list can be played."
                                : "There is no list of clips. Open a folder of them, or drop several on the window.",
               "clips");
  return false;
}

void SourceStep::look_ahead(const PlaybackSettings& playback, Stats& stats) {
  const bool whole = !playback.loop || (!playback.loop_a && !playback.loop_b);
  const bool in_list = plays_ && !every_ && whole && stats.clips.plays(playing_.input);
  following_ = in_list ? clip_after(stats.clips, stats.clips.at, 1, playback.loop) : std::nullopt;
  stats.clips.goes_on = following_.has_value();
  paused_ = playback.paused;
}

// Whether a clip of the list has ended, or a folder has told what is in it.
bool SourceStep::has_clip_news() const {
  if (next_.player) return false;
  if (plays_) return following_ && !paused_ && player_->stats().ended;
  const ClipNames told = player_->stats().clips;
  return told && told != taken_clips_;
}

void SourceStep::go_on(Settings& settings, Stats& stats) {
  if (plays_) {
    open_clip(*following_, 1, settings.playback.loop, settings, stats);
    return;
  }
  taken_clips_ = player_->stats().clips;
  begin_clips(taken_clips_, playing_.input, settings, stats);
  if (seek_ && next_.player) next_.player->seek_seconds(*seek_);
}

bool SourceStep::finds_due(const PlaybackSettings& playback) {
  if (player_ && !at_hand_) at_hand_ = player_->next_frame(listed(playback));
  return at_hand_ || (player_ && has_clip_news());
}

void SourceStep::tell_errors(bool has_frame, const Stats& stats) {
  while (const std::optional<std::string> error = player_->take_error()) {
    poster_.post(MessageLevel::error, *error, "source");
    if (invocation_.offscreen && !has_frame && stats.frames_shown == 0) failed_ = true;
  }
}

void SourceStep::begin_to_play(Settings& settings, Stats& stats) {
  plays_ = true;
  const std::string& input = settings.source.input;
  const bool of_folder = stats.clips.plays(input) && !stats.clips.folder.empty();
  const std::string whole = whole_source(of_folder ? stats.clips.folder : input);  // the next start may be elsewhere
  withdraw_message(stats.messages, "source");
  if (stats.recording && !stats.recording_ends && stats.recording_seconds > 0)
    poster_.post(MessageLevel::information, "The recording goes on with " + in_quotes(input) + ".", "recording");
  for (const std::string& name : {input, whole}) std::erase(settings.recent, name);
  settings.recent.insert(settings.recent.begin(), whole);
  if (settings.recent.size() > max_recent_files) settings.recent.resize(max_recent_files);
}

void SourceStep::report(const Settings& settings, Stats& stats) {
  if (!player_) return;
  stats.source = player_->stats();
  judge_seek(settings, stats.source);
}

void SourceStep::judge_seek(const Settings& settings, const SourceStats& source) {
  if (!seek_ || !(source.duration > 0)) return;
  const double wanted = *std::exchange(seek_, std::nullopt);
  if (!(wanted > source.duration) || !source.seekable || source.still) return;
  const bool shows_nothing = invocation_.offscreen && !settings.playback.loop;
  poster_.post(shows_nothing ? MessageLevel::error : MessageLevel::warning,
               "--seek " + invocation_.seek_text + " is beyond the end of " + in_quotes(settings.source.input) +
                   ", which lasts " + rounded_text(source.duration, 4) + " seconds.");
  failed_ |= shows_nothing;
}

}  // namespace convoscope
