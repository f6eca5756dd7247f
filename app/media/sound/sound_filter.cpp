#include "app/media/sound/sound_filter.h"

#include <algorithm>
#include <utility>

#include "app/files/sentence.h"
#include "app/media/sound/sound_ring.h"
#include "app/state/sound_kind.h"
#include "kernels/choose/stand_in.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int checked_each = 8;  // runs of a trial: sums in double take longer than what they check
constexpr int warm_up = 3;       // blocks that load code, and do not count
constexpr auto reach = static_cast<std::size_t>(SoundFilter::reach);

std::string instead(std::string_view chosen, const std::string& why, const Strategy& other) {
  return std::string(chosen) + " cannot run: " + as_sentence(why) + " " + std::string(other.id) + " filters instead.";
}

// Of the ladder those that can be compared: all that this machine runs, in its order.
std::vector<const Strategy*> compared(bool gpu) {
  std::vector<const Strategy*> found;
  for (const Backend backend : {Backend::cpu, Backend::cuda})
    for (const Strategy* const one : strategies(backend, sound_kind))
      if (!one->chooses && (backend == Backend::cpu || gpu)) found.push_back(one);
  return found;
}

}  // namespace

SoundFilter::SoundFilter() : cpu_(make_compute(Backend::cpu)) { restart(); }

Compute& SoundFilter::compute_for(Backend backend) {
  if (backend == Backend::cpu) return *cpu_;
  if (!taken_->gpu) throw Error("It runs on an NVIDIA GPU, which is not at work here");
  if (!gpu_) gpu_ = make_compute(Backend::cuda, *taken_->gpu);
  return *gpu_;
}

// Of a GPU that is at work no more. What it filtered is faded out from as it is.
void SoundFilter::leave_gpu() {
  forget_trials();
  before_.reset();
  coming_.reset();
  if (at_work_ && at_work_->strategy().backend != Backend::cpu) at_work_.reset();
  gpu_.reset();
}

// What is told of them goes with them: each has its place in both.
void SoundFilter::forget_trials() {
  trials_.clear();
  stats_.trials.clear();
}

void SoundFilter::restart() {
  for (std::vector<float>& channel : waiting_) channel.assign(reach, 0.0f);
  fades_ = plays_ = false;
}

// What is only looked at, or compared, is no other filter: what is at work and what was counted of it stay.
void SoundFilter::choose(const SoundSettings& settings, double rate, std::optional<int> gpu) {
  Wanted wanted{settings, rate, gpu};
  wanted.settings.scope = false;
  if (taken_) {
    taken_->settings.compare = settings.compare;
    if (!settings.compare) forget_trials();
  }
  if (taken_ == wanted)
    wanted_.reset();  // what was wanted meanwhile is not any more
  else
    wanted_ = std::move(wanted);
}

// Not while one change is faded in: the next one waits for a block.
void SoundFilter::take_choice() {
  if (wanted_ && !fades_) {
    const bool before = taken_ && taken_->settings.filtered;
    if (taken_ && taken_->gpu != wanted_->gpu) leave_gpu();
    taken_ = std::move(wanted_);
    wanted_.reset();
    const SoundSettings& settings = taken_->settings;
    coming_.reset();
    stats_.why_not.clear();
    if (!settings.filtered) {
      forget_trials();
      fades_ = before && at_work_;
      before_ = std::move(at_work_);
      stats_ = {};
      return;
    }
    const Filter taps = make_signal_filter(settings.filter, taken_->rate);
    stats_.taps = taps.width;
    stats_.clipped = 0;
    const Backend backend = taken_->gpu ? Backend::cuda : Backend::cpu;
    const Strategy* const chosen = strategy_for(backend, settings.strategy, sound_kind);
    try {
      if (!chosen) throw Error(why_not_here(backend, settings.strategy, sound_kind));
      begin_with(chosen->chooses ? likely_fastest(taps, settings.block, cpu_->device()) : *chosen, taps,
                 settings.block);
    } catch (const Error& error) {
      begin_instead(settings.strategy, error.what(), taps, settings.block);
    }
  }
  if (!coming_) return;
  try {
    if (!coming_->ready()) return;
  } catch (const Error& error) {
    const std::unique_ptr<BlockFilter> failed = std::move(coming_);
    return begin_instead(failed->strategy().id, error.what(), failed->taps(), failed->block());
  }
  put_to_work(std::move(coming_));
}

// Until then blocks are as long as the one before it takes them.
void SoundFilter::put_to_work(std::unique_ptr<BlockFilter> next) {
  block_ = next->block();
  before_ = std::exchange(at_work_, std::move(next));
  fades_ = true;
}

void SoundFilter::begin_instead(std::string_view failed, const std::string& why, const Filter& taps, int block) {
  const Strategy& other = likely_fastest(taps, block, cpu_->device());
  stats_.why_not = instead(failed, why, other);
  begin_with(other, taps, block);
}

void SoundFilter::begin_with(const Strategy& strategy, const Filter& taps, int block) {
  Compute& compute = compute_for(strategy.backend);
  std::unique_ptr<BlockFilter> next;
  if (before_ && before_->takes(strategy, taps, block)) {
    next = std::move(before_);
    next->set_taps(taps);
  } else {
    next = std::make_unique<BlockFilter>(compute, strategy, taps, block);
  }
  if (next->ready())
    put_to_work(std::move(next));
  else
    coming_ = std::move(next);
}

void SoundFilter::give(std::span<const float> samples, std::vector<float>& out) {
  for (std::size_t channel = 0; channel < waiting_.size(); ++channel)
    for (std::size_t i = channel; i < samples.size(); i += sound_channels) waiting_[channel].push_back(samples[i]);
  take_choice();
  while (waiting_[0].size() >= 2 * reach + static_cast<std::size_t>(block_)) {
    filter_block(out, block_);
    take_choice();
  }
}

void SoundFilter::end(std::vector<float>& out) {
  take_choice();
  const std::size_t rest = waiting_[0].size() - reach;
  for (std::size_t left = rest; left > 0;) {
    const std::size_t some = std::min(left, static_cast<std::size_t>(block_));
    for (std::vector<float>& channel : waiting_)
      channel.resize(std::max(channel.size(), 2 * reach + static_cast<std::size_t>(block_)));
    filter_block(out, static_cast<int>(some));
    left -= some;
  }
  restart();
}

// `frames`: of the block, that are wanted.
void SoundFilter::filter_block(std::vector<float>& out, int frames) {
  const auto block = static_cast<std::size_t>(block_);
  BlockFilter::Channels in;
  for (std::size_t channel = 0; channel < in.size(); ++channel)
    in[channel] = std::span(waiting_[channel]).first(2 * reach + block);
  const auto run = [&](std::unique_ptr<BlockFilter>& filter, auto& into) {
    for (std::size_t channel = 0; !filter && channel < in.size(); ++channel)
      into[channel].assign(in[channel].begin() + reach, in[channel].end() - reach);
    return filter ? filter->run(in, SoundFilter::reach, into) : 0.0;
  };
  try {
    const double milliseconds = run(at_work_, made_);
    if (at_work_) measure(milliseconds);
  } catch (const Error& error) {  // the device has failed
    const std::unique_ptr<BlockFilter> failed = std::move(at_work_);
    const Filter taps = failed->taps();
    const std::string_view id = failed->strategy().id;
    leave_gpu();
    taken_->gpu.reset();
    begin_instead(id, error.what(), taps, block_);
    run(at_work_, made_);
  }
  const bool heard_before = std::exchange(plays_, true), fades = std::exchange(fades_, false) && heard_before;
  if (fades && !(before_ && before_->block() != block_)) {
    try {
      run(before_, faded_);
      for (std::size_t channel = 0; channel < made_.size(); ++channel)
        for (std::size_t i = 0; i < block; ++i) {
          const float t = (static_cast<float>(i) + 0.5f) / static_cast<float>(block);
          made_[channel][i] = faded_[channel][i] + t * (made_[channel][i] - faded_[channel][i]);
        }
    } catch (const Error&) {
      before_.reset();
    }
  }
  const bool as_it_is = !at_work_ && !fades;
  for (std::size_t i = 0; i < static_cast<std::size_t>(frames); ++i)
    for (const std::vector<float>& channel : made_) {
      const float sample = channel[i], kept = sample >= -1 ? std::min(sample, 1.0f) : sample < -1 ? -1.0f : 0.0f;
      stats_.clipped += !as_it_is && kept != sample;
      out.push_back(as_it_is ? sample : kept);
    }
  if (taken_ && taken_->settings.compare && taken_->settings.filtered)
    for (std::size_t channel = 0; channel < in.size(); ++channel)
      last_[channel].assign(in[channel].begin(), in[channel].end());
  for (std::vector<float>& channel : waiting_)
    channel.erase(channel.begin(), channel.begin() + static_cast<std::ptrdiff_t>(block));
}

// Anew where another one is at work than before: one that was chosen may come much later.
void SoundFilter::measure(double milliseconds) {
  const double lasts = 1e3 * block_ / taken_->rate;
  if (stats_.strategy != at_work_->strategy().id || stats_.block_ms != lasts) {
    stats_.times.clear();
    stats_.late = stats_.blocks = 0;
    runs_ = 0;
  }
  stats_.strategy = at_work_->strategy().id;
  stats_.block_ms = lasts;
  if (++runs_ <= warm_up) return;
  stats_.times.add(milliseconds);
  stats_.late += milliseconds > stats_.block_ms;
  ++stats_.blocks;
}

void SoundFilter::try_another() {
  if (!taken_ || !taken_->settings.compare || !at_work_ ||
      last_[0].size() != 2 * reach + static_cast<std::size_t>(block_))
    return;
  const Filter& taps = at_work_->taps();
  const std::vector<const Strategy*> all = compared(taken_->gpu.has_value());
  if (trials_.size() != all.size() || tried_taps_ != taps.width || tried_block_ != block_) {
    tried_taps_ = taps.width;
    tried_block_ = block_;
    trials_.clear();
    trials_.resize(all.size());
    stats_.trials.assign(all.size(), {});
    for (std::size_t i = 0; i < all.size(); ++i) stats_.trials[i].strategy = all[i]->id;
  }
  const std::size_t i = next_trial_++ % all.size();
  std::unique_ptr<BlockFilter>& trial = trials_[i];
  SoundTrial& told = stats_.trials[i];
  if (!told.reason.empty()) return;
  try {
    if (!trial) trial = std::make_unique<BlockFilter>(compute_for(all[i]->backend), *all[i], taps, block_);
    if (!trial->ready()) return;
    if (trial->taps() != taps) trial->set_taps(taps);
    const BlockFilter::Channels in{std::span<const float>(last_[0]), std::span<const float>(last_[1])};
    const double milliseconds = trial->run(in, SoundFilter::reach, faded_);
    const int runs = trial->count_run();
    if (runs > warm_up) told.times.add(milliseconds);
    if (runs % checked_each == 1) {
      told.error = trial->error(in, SoundFilter::reach, faded_);
      told.right = told.error <= trial->tolerance();
    }
    told.reason.clear();
  } catch (const Error& error) {
    trial.reset();
    told.reason = as_sentence(error.what());
  }
}

}  // namespace convoscope
