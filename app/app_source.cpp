// Where frames come from and what filters them: the backend and the source, also when they change while the program
// runs.

#include "app/app.h"
#include "app/cli/backend_choice.h"
#include "app/files/log.h"
#include "app/session/session_file.h"
#include "app/state/message_list.h"
#include "kernels/choose/libraries.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/error.h"
#include "kernels/cpu/host_memory.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t max_recent_files = 12;
constexpr double patience = 0.7;  // seconds until a source that takes its time is told of
constexpr const char* goes_on = " The source before it is still shown.";

}  // namespace

void App::choose_backend() {
  const auto use_cpu_because = [&](const std::string& reason) {
    stats_.backend_notice = reason + " The CPU strategies are used instead.";
    log::warn(stats_.backend_notice);
    return make_compute(Backend::cpu);
  };
  const BackendChoice choice = backend_at_hand_ = settings_.backend;
  device_at_hand_ = settings_.device;
  const bool nobody_watches = invocation_.offscreen;
  if (!nobody_watches) {
    stats_.why_no_gpu = why_unavailable(Backend::cuda);
    stats_.gpus = list_devices(Backend::cuda);
  }
  const bool by_name = choice == BackendChoice::cuda || invocation_.device_given;
  if (nobody_watches && by_name) {
    compute_ = compute_for(invocation_);
  } else if (choice == BackendChoice::cpu) {
    compute_ = make_compute(Backend::cpu);
  } else if (choice == BackendChoice::emulated) {
    compute_ = make_compute(Backend::emulated);
    stats_.backend_notice =
        "Emulated: the CUDA kernels run thread by thread on the CPU. The times say nothing about a GPU.";
  } else if (const std::string reason = why_unavailable(Backend::cuda); !reason.empty()) {
    compute_ = use_cpu_because(reason);
  } else {
    try {
      compute_ = make_compute(Backend::cuda, settings_.device);
    } catch (const Error& error) {
      compute_ = use_cpu_because(error.what());
    }
  }
  stats_.device = compute_->device();
  stats_.backend = to_string(stats_.device.backend);
  if (std::string why = why_slower_than_need_be(stats_.device.backend); !why.empty()) {
    log::warn(why);
    stats_.backend_notice = std::move(why);
  }

  follow_workbench();
  if (!nobody_watches && stats_.device.backend == Backend::cuda) open_libraries_beside();
  if (!invocation_.strategy_given) return;
  const Kind& kind = *work_of(settings_).kind;
  for (const PaneSettings& pane : settings_.panes)
    if (pane.strategy != "source" && !strategy_for(stats_.device.backend, pane.strategy, kind))
      log::warn("The strategy '" + pane.strategy + "' cannot run: " +
                why_not_here(stats_.device.backend, pane.strategy, kind) + ". Another one runs instead.");
}

void App::follow_workbench() {
  stats_.ladder = ladder_of(stats_.device.backend, *work_of(settings_).kind);
  stats_.ladder_is_of = settings_.workbench;
}

void App::change_backend() {
  const double position = source_plays_ && stats_.source.seekable ? stage_->position() : 0;
  compute_->synchronize();
  player_.reset();
  frame_at_hand_.reset();
  inspection_.end();
  learning_.end();
  stage_.reset();
  stats_.panes.clear();
  stats_.backend_notice.clear();
  interop_.reset();
  choose_backend();
  watch_device();
  interop_ = make_interop(*compute_);
  make_filters();
  open_source(position);
}

// Offscreen on a CPU the strategies would share their cores with the measurement for most of a short run.
void App::watch_device() { measuring_.watch(stats_, !context_->offscreen() || filters_on_gpu()); }

void App::make_filters() {
  const auto progressed = [this] {
    progress_ = true;
    context_->wake();
  };
  const auto stopped = [this] { return static_cast<bool>(stop_); };
  stage_ = std::make_unique<FilterStage>(*compute_, context_->offscreen(), progressed, stopped);
  inspection_.begin(*compute_);
  learning_.begin(std::make_unique<Learner>(*compute_, context_->offscreen(), progressed, stopped));
  presented_ = -1;
}

std::unique_ptr<Player> App::make_player(const SourceSettings& source, Retry retry) {
  const bool cuda = stats_.device.backend == Backend::cuda;
  DecodeTarget target;
  target.cuda = cuda;
  target.planes = true;
  target.device = stats_.device.ordinal;
  if (cuda) target.allocate_host = [device = stats_.device](std::size_t bytes) { return allocate_host(device, bytes); };
  const bool every = rendering_ || (context_->offscreen() && !invocation_.realtime);
  const Pace pace = every ? Pace::every : Pace::clock;
  return Player::open(source, target, pace, context_->offscreen() ? Retry::never : retry);
}

void App::open_source(double position) {
  next_ = {};
  refused_.reset();
  player_.reset();
  stats_.source = {};
  source_plays_ = false;
  playing_ = settings_.source;
  await_another_picture();
  try {
    player_ = make_player(settings_.source, Retry::always);
    if (stats_.frames_shown == 0) seek_ = invocation_.seek;
    if (seek_) player_->seek_seconds(*seek_);
    if (position > 0) player_->seek_seconds(position);
  } catch (const Error& error) {
    stats_.source.error = error.what();
    teller_.tell(MessageLevel::error, error.what(), "source");
    failed_ = context_->offscreen();
  }
}

// The figures so far are another source's.
void App::await_another_picture() {
  frame_at_hand_.reset();
  frame_is_awaited_ = true;
  seek_.reset();
  stage_->begin_source();
  measuring_.begin_source(player_.get(), *stage_);
  measuring_.reset(stats_);
}

// What plays goes on until the first frame of the next source is there.
void App::open_next(const SourceSettings& source) {
  const bool plays = source_plays_ && player_ && player_->stats().error.empty();
  if (!plays) {
    settings_.source = source;
    open_source();
    return;
  }
  settings_.source = playing_;
  next_ = {};
  refused_.reset();
  try {
    next_ = {make_player(source, Retry::once_it_played), source, stats_.now, false};
  } catch (const Error& error) {
    refused_ = source;
    teller_.tell(MessageLevel::error, std::string(error.what()) + goes_on, "source");
  }
}

std::optional<VideoFrame> App::frame_of_next(const PlaybackSettings& playback) {
  if (!next_.player) return {};
  std::optional<VideoFrame> frame = next_.player->next_frame(playback);
  const SourceStats seen = next_.player->stats();
  if (frame) {
    player_ = std::move(next_.player);
    await_another_picture();
    settings_.source = playing_ = next_.source;
    settings_.playback.loop_a = settings_.playback.loop_b = std::nullopt;  // of the source before
    next_ = {};
    refused_.reset();
    source_plays_ = false;
  } else if (!seen.error.empty() || seen.ended) {
    const std::string why = seen.error.empty() ? "'" + next_.source.input + "' has no pictures." : seen.error;
    teller_.tell(MessageLevel::error, why + goes_on, "source");
    refused_ = next_.source;
    next_ = {};
  } else if (!next_.told && stats_.now > next_.since + patience) {
    next_.told = true;
    post_message(stats_.messages,
                 {MessageLevel::information, "Opening '" + next_.source.input + "'…", stats_.now, "source"});
  }
  return frame;
}

// A first frame has come.
void App::remember_source() {
  source_plays_ = true;
  const std::string& input = settings_.source.input;
  const std::string whole = whole_source(input);  // the next start may be in another folder
  withdraw_message(stats_.messages, "source");
  for (const std::string& name : {input, whole}) std::erase(settings_.recent, name);
  settings_.recent.insert(settings_.recent.begin(), whole);
  if (settings_.recent.size() > max_recent_files) settings_.recent.resize(max_recent_files);
  context_->set_title(input + " – Convoscope");
}

void App::judge_seek() {
  const SourceStats& source = stats_.source;
  if (!seek_ || !(source.duration > 0)) return;
  const double wanted = *std::exchange(seek_, std::nullopt);
  if (!(wanted > source.duration) || !source.seekable || source.still) return;
  const bool shows_nothing = context_->offscreen() && !settings_.playback.loop;
  teller_.tell(shows_nothing ? MessageLevel::error : MessageLevel::warning,
               "--seek " + rounded_text(wanted, 6) + " is beyond the end of " + in_quotes(settings_.source.input) +
                   ", which lasts " + rounded_text(source.duration, 4) + " seconds.");
  failed_ |= shows_nothing;
}

}  // namespace convoscope
