#include "app/media/sound/sound_player.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "app/files/log.h"
#include "app/media/play/decoder_thread.h"
#include "app/media/play/stuck_threads.h"
#include "app/media/sound/lately_missed.h"
#include "app/media/sound/sound_feed.h"
#include "app/media/sound/sound_reader.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr auto patience_at_end = Milliseconds(700);
constexpr auto between_turns = Milliseconds(10);  // at the clock and at the room in the ring
constexpr const char* nothing_heard =
    " The sound of videos is not heard; everything else works. Connect a sound card, or start the sound server, then "
    "press "
    "Shift+M or click the loudspeaker below the picture.";
constexpr double in_step = 0.04;  // seconds that sound may be ahead or behind: 45 ms ahead are noticed (ITU-R BT.1359)
constexpr double out_of_step = 0.3;       // seconds that are no hesitation of either: the picture went elsewhere
constexpr double put_up_with = 0.3;       // seconds that it may be so before it is mended
constexpr double settling = 0.15;         // seconds of a card's that has just begun to play
constexpr double rests_after = 5;         // seconds of a pause, after which the sound card is left to itself
constexpr double looks_again = 3;         // seconds between two looks for a sound card that has gone
constexpr double kept_ahead = 10;         // seconds of sound that is not filtered: as much as the ring holds
constexpr double filtered_ahead = 0.25;   // seconds of filtered sound that are ready, so that a change is heard soon
constexpr double looks_at_scope = 0.015;  // seconds between two

}  // namespace

struct SoundPlayer::Thread {
  struct Wanted {
    SourceSettings source;
    int opened = 0;  // how many times open() and close() were called
    bool any = false;
    PlayClock clock;
    SoundLoop loop;
    SoundWork work;
    double volume = 1;
    bool retry = false;
    bool is_seen() const { return work.settings.filtered || work.settings.scope; }
    bool runs() const { return clock.runs && (volume > 0 || is_seen()); }
  };

  explicit Thread(OpenOutput open) : open_output(std::move(open)) {}
  void run();

  Interrupt interrupt;
  std::mutex mutex;  // everything below
  std::condition_variable changed, ended;
  Wanted wanted;
  SoundStats stats;
  bool finished = false;

 private:
  void turn(const Wanted&);
  void take_source(const Wanted&);
  bool take_card(bool is_seen);
  // Also in a pause it is known whether there is one: nobody is to be told that the sound is on where none is heard.
  bool is_to_look_for_card(const Wanted& now) const {
    return reader && now.volume > 0 && !card && !tried_card_ && !had_card_;
  }
  void keep_step(const Wanted&, double now);
  void jump(const PlayClock&, double now);
  void rest(double now);
  void say(const std::string& why_not);

  const OpenOutput open_output;
  std::unique_ptr<SoundOutput> card;
  std::unique_ptr<SoundReader> reader;
  int opened_ = 0;
  bool tried_card_ = false, had_card_ = false, is_silent_ = false;
  double tried_at_ = 0;
  bool runs_ = false;
  double runs_since_ = 0, stopped_at_ = 0, judged_from_ = 0;
  std::optional<double> out_since_;
  bool placed_ = false;
  std::int64_t missed_before_ = 0;
  LatelyMissed lately_missed_;
  std::optional<SoundFeed> feed_;  // for the card at hand, or the one before; what it owns belongs to this thread
  bool filters_ = false;
  double looked_at_ = 0;
  SoundScope scope_;
};

void SoundPlayer::Thread::say(const std::string& why_not) {
  const std::lock_guard lock(mutex);
  stats.why_not = why_not;
}

void SoundPlayer::Thread::run() {
  while (true) {
    Wanted now;
    {
      std::unique_lock lock(mutex);
      const auto is_news = [&] {
        return interrupt.stop || wanted.retry || wanted.opened != opened_ || wanted.runs() != runs_ ||
               is_to_look_for_card(wanted);
      };
      if (runs_)
        changed.wait_for(lock, between_turns, is_news);
      else if (card)
        changed.wait_for(lock, Milliseconds(100), is_news);
      else
        changed.wait(lock, is_news);
      if (interrupt.stop) break;
      now = wanted;
      wanted.retry = false;
    }
    try {
      turn(now);
    } catch (const Error& error) {
      say(error.what());
      reader.reset();
    } catch (const std::system_error&) {
      say("The system has no thread left for the sound of " + in_quotes(now.source.input) + ". Close other programs.");
      reader.reset();
    } catch (const std::bad_alloc&) {
      say("There is not enough memory for the sound of " + in_quotes(now.source.input) + ".");
      reader.reset();
    }
  }
  reader.reset();
  feed_.reset();
  card.reset();
  const std::lock_guard lock(mutex);
  finished = true;
  ended.notify_all();
}

void SoundPlayer::Thread::take_source(const Wanted& now) {
  if (now.opened == opened_) return;
  opened_ = now.opened;
  reader.reset();
  placed_ = false;
  if (card) card->ring().drop();
  tried_card_ = card && !is_silent_;
  scope_ = {};
  missed_before_ = card ? card->ring().missed() : 0;
  {
    const std::lock_guard lock(mutex);
    stats = {};
    if (card) {
      stats.card = card->name();
      stats.rate = card->rate();
    }
  }
  if (!now.any) return;
  reader = SoundReader::open(now.source, interrupt);
  const std::lock_guard lock(mutex);
  stats.has_sound = reader != nullptr;
}

// Where there is none, but somebody looks at sound, it goes nowhere.
bool SoundPlayer::Thread::take_card(bool is_seen) {
  const double now = now_seconds();
  if (card && card->lost()) {
    card.reset();
    tried_card_ = false;
  }
  if (card && !is_silent_) return true;
  // One that was there may come back; one that never was is looked for when the user asks for sound again.
  const bool tries = !tried_card_ || (now >= tried_at_ + looks_again && (had_card_ || tried_at_ < runs_since_));
  std::unique_ptr<SoundOutput> found;
  if (tries) {
    tried_card_ = true;
    tried_at_ = now;
    try {
      found = open_output();
      had_card_ = true;
    } catch (const Error& error) {
      say(std::string(error.what()) + nothing_heard);
    }
  }
  if (!found && is_seen && card) return true;
  is_silent_ = !found;
  card = is_silent_ && is_seen ? open_silent_output() : std::move(found);
  placed_ = false;
  missed_before_ = 0;
  if (!card) return false;
  if (!feed_) feed_.emplace();
  feed_->use(*card);
  const std::lock_guard lock(mutex);
  stats.card = card->name();
  stats.rate = card->rate();
  if (!is_silent_) stats.why_not.clear();
  return true;
}

void SoundPlayer::Thread::turn(const Wanted& now) {
  take_source(now);
  const double time = now_seconds();
  const bool runs = now.runs();
  if (runs != std::exchange(runs_, runs)) {
    (runs ? runs_since_ : stopped_at_) = time;
    placed_ = false;  // in a pause the picture may have gone elsewhere
  }
  if (now.retry) tried_card_ = card && !is_silent_;
  if (!runs && is_to_look_for_card(now)) {
    take_card(false);
    stopped_at_ = now_seconds();
  }
  if (!runs || !reader) return rest(time);
  if (!take_card(now.is_seen())) return;
  card->ring().set_volume(static_cast<float>(now.volume));
  const bool filters = now.work.settings.filtered;
  feed_->choose(now.work);
  // What is ready was not filtered, and is more than anybody waits for.
  if (filters && !std::exchange(filters_, filters)) placed_ = false;
  filters_ = filters;
  keep_step(now, time);
  feed_->fill(*reader, interrupt, filters ? filtered_ahead : kept_ahead);
  card->ring().set_running(true);
  if (filters && feed_->ready() > filtered_ahead / 2) feed_->try_another_strategy();
  if (now.work.settings.scope && time >= looked_at_ + looks_at_scope) {
    looked_at_ = time;
    feed_->show_heard(time, scope_);
  }
  const std::lock_guard lock(mutex);
  stats.filter = feed_->filter_stats();
  stats.scope = scope_;
}

void SoundPlayer::Thread::rest(double now) {
  if (!card) return;
  card->ring().set_running(false);
  if (now < stopped_at_ + rests_after) return;
  card.reset();
  tried_card_ = false;
  const std::lock_guard lock(mutex);
  stats.missed_lately = 0;
}

void SoundPlayer::Thread::keep_step(const Wanted& now, double time) {
  feed_->set_loop(now.loop);
  const double speed = feed_->speed();
  if (!placed_ || now.clock.speed != speed) return jump(now.clock, time);
  const SoundRing::Heard heard = card->ring().heard();
  if (heard.at < judged_from_ || !feed_->has_come_to(heard.frame)) return;  // nothing has been played since
  const double ought = now.clock.position + (heard.at - now.clock.at) * now.clock.speed;
  double off = (feed_->position_at(heard.frame) - ought) / speed;
  // On either side of the seam they are as near as within the loop.
  const double round = (feed_->loop().end - feed_->loop().start) / speed;
  if (round > 0 && std::abs(off) > round / 2) off -= std::round(off / round) * round;
  {
    const std::lock_guard lock(mutex);
    stats.ahead = off;
    const std::int64_t missed = card->ring().missed() - missed_before_;
    stats.missed = static_cast<double>(missed) / card->rate();
    stats.missed_lately = static_cast<double>(lately_missed_.count_lately(missed, time)) / card->rate();
  }
  // Where its own end has come before the picture's, there is nothing to be in step with.
  if (feed_->is_at_end() && heard.frame >= card->ring().written() && off <= in_step) return;
  if (std::abs(off) <= in_step) return out_since_.reset();
  if (!out_since_) out_since_ = time;
  if (std::abs(off) <= out_of_step && time <= *out_since_ + put_up_with) return;
  log::debug("The sound is " + rounded_text(std::abs(off), 3) + (off > 0 ? " s ahead of" : " s behind") +
             " the picture.");
  jump(now.clock, time);
}

void SoundPlayer::Thread::jump(const PlayClock& clock, double now) {
  const std::int64_t missed = card->ring().missed();
  judged_from_ = feed_->place(*reader, clock, now) + settling;
  placed_ = true;
  out_since_.reset();
  missed_before_ += card->ring().missed() - missed;
  const std::lock_guard lock(mutex);
  ++stats.jumps;
}

SoundPlayer::SoundPlayer(OpenOutput open_output)
    : shared_(std::make_shared<Thread>(std::move(open_output))),
      left_(std::make_shared<std::atomic<bool>>(false)),
      thread_([shared = shared_, left = left_] {
        shared->run();
        *left = true;
      }) {}

SoundPlayer::~SoundPlayer() {
  std::unique_lock lock(shared_->mutex);
  shared_->interrupt.stop = true;
  shared_->changed.notify_all();
  const bool finished = shared_->ended.wait_for(lock, patience_at_end, [&] { return shared_->finished; });
  lock.unlock();
  finished ? thread_.join() : StuckThreads::add(std::move(thread_), left_);
}

void SoundPlayer::open(const SourceSettings& source) {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.source = source;
  shared_->wanted.any = true;
  shared_->wanted.clock = {};
  ++shared_->wanted.opened;
  shared_->changed.notify_all();
}

void SoundPlayer::retry() {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.retry = true;
  shared_->changed.notify_all();
}

void SoundPlayer::close() {
  const std::lock_guard lock(shared_->mutex);
  shared_->wanted.any = false;
  shared_->wanted.clock = {};
  ++shared_->wanted.opened;
  shared_->changed.notify_all();
}

void SoundPlayer::follow(const PlayClock& clock, double volume, const SoundLoop& loop, const SoundWork& work) {
  const std::lock_guard lock(shared_->mutex);
  auto& wanted = shared_->wanted;
  const bool ran = wanted.runs(), was_on = wanted.volume > 0;
  wanted.clock = clock;
  wanted.loop = loop;
  if (wanted.work != work) wanted.work = work;
  wanted.volume = volume;
  if (ran != wanted.runs() || was_on != (volume > 0)) shared_->changed.notify_all();
}

void SoundPlayer::report(SoundStats& stats) const {
  const std::lock_guard lock(shared_->mutex);
  stats = shared_->stats;
}

}  // namespace convoscope
