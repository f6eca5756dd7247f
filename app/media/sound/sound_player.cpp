#include "app/media/sound/sound_player.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <optional>
#include <thread>
#include <utility>
#include <vector>

#include "app/files/log.h"
#include "app/media/play/decoder_thread.h"
#include "app/media/play/stuck_threads.h"
#include "app/media/sound/sound_reader.h"
#include "kernels/contract/error.h"
#include "kernels/filter/number_text.h"

namespace convoscope {
namespace {

using Milliseconds = std::chrono::milliseconds;
constexpr auto patience_at_end = Milliseconds(700);
constexpr auto between_turns = Milliseconds(10);  // at the clock and at the room in the ring
constexpr const char* nothing_heard =
    " The sound of videos is not heard; all else works. Connect a sound card, or start the sound server, then press "
    "Shift+M or click the loudspeaker below the picture.";
constexpr double in_step = 0.04;  // seconds that sound may be ahead or behind: 45 ms ahead are noticed (ITU-R BT.1359)
constexpr double out_of_step = 0.3;     // seconds that are no hesitation of either: the picture went elsewhere
constexpr double put_up_with = 0.3;     // seconds that it may be so before it is mended
constexpr double decoding_time = 0.03;  // seconds until the first samples after a jump are there
constexpr double settling = 0.15;       // seconds of a card's that has just begun to play
constexpr int no_seam = 1 << 30;        // frames
constexpr double shortest_loop = 0.1;   // seconds that are worth to be sought for
constexpr double rests_after = 5;       // seconds of a pause, after which the sound card is left to itself
constexpr double looks_again = 3;       // seconds between two looks for a sound card that has gone

}  // namespace

struct SoundPlayer::Thread {
  struct Wanted {
    SourceSettings source;
    int opened = 0;  // how many times open() and close() were called
    bool any = false;
    PlayClock clock;
    SoundLoop loop;
    double volume = 1;
    bool retry = false;
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
  bool take_card();
  void keep_step(const Wanted&, double now);
  void jump(const PlayClock&, double now);
  double position_at(std::int64_t frame) const;
  void fill();
  int frames_to_seam() const;
  void rest(double now);
  void say(const std::string& why_not);

  const OpenOutput open_output;
  std::unique_ptr<SoundOutput> card;
  std::unique_ptr<SoundReader> reader;
  int opened_ = 0;
  bool tried_card_ = false, had_card_ = false;
  double tried_at_ = 0;
  bool runs_ = false;
  double runs_since_ = 0, stopped_at_ = 0, judged_from_ = 0;
  std::optional<double> out_since_;
  bool placed_ = false, at_end_ = false;
  // From the frame of that number in the ring on, sound goes on from that position of the picture's.
  struct Stretch {
    std::int64_t frame = 0;
    double position = 0;
  };
  std::deque<Stretch> stretches_;  // the first is being heard; the others follow at the loop's seams
  SoundLoop loop_;
  double speed_ = 1;
  std::int64_t missed_before_ = 0;
  std::vector<float> samples_;
  std::size_t given_ = 0;  // of them, to the ring
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
        return interrupt.stop || wanted.retry || wanted.opened != opened_ ||
               (wanted.clock.runs && wanted.volume > 0) != runs_;
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
    } catch (const std::bad_alloc&) {
      say("There is not enough memory for the sound of " + in_quotes(now.source.input) + ".");
      reader.reset();
    }
  }
  reader.reset();
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
  tried_card_ = card != nullptr;
  {
    const std::lock_guard lock(mutex);
    stats = {};
  }
  if (!now.any) return;
  reader = SoundReader::open(now.source, interrupt);
  const std::lock_guard lock(mutex);
  stats.has_sound = reader != nullptr;
}

bool SoundPlayer::Thread::take_card() {
  const double now = now_seconds();
  if (card && card->lost()) {
    card.reset();
    placed_ = false;
    tried_card_ = false;
  }
  if (card) return true;
  // One that was there may come back; one that never was is looked for when the user asks for sound again.
  if (tried_card_ && (now < tried_at_ + looks_again || (!had_card_ && tried_at_ >= runs_since_))) return false;
  tried_card_ = true;
  tried_at_ = now;
  try {
    card = open_output();
    had_card_ = true;
    const std::lock_guard lock(mutex);
    stats.card = card->name();
    stats.why_not.clear();
  } catch (const Error& error) {
    say(std::string(error.what()) + nothing_heard);
  }
  missed_before_ = 0;
  return card != nullptr;
}

void SoundPlayer::Thread::turn(const Wanted& now) {
  take_source(now);
  const double time = now_seconds();
  const bool runs = now.clock.runs && now.volume > 0;
  if (runs != std::exchange(runs_, runs)) {
    (runs ? runs_since_ : stopped_at_) = time;
    placed_ = false;  // in a pause the picture may have gone elsewhere
  }
  if (now.retry) tried_card_ = card != nullptr;
  if (!runs || !reader) return rest(time);
  if (!take_card()) return;
  card->ring().set_volume(static_cast<float>(now.volume));
  keep_step(now, time);
  fill();
  card->ring().set_running(true);
}

void SoundPlayer::Thread::rest(double now) {
  if (!card) return;
  card->ring().set_running(false);
  if (now < stopped_at_ + rests_after) return;
  card.reset();
  tried_card_ = false;
}

double SoundPlayer::Thread::position_at(std::int64_t frame) const {
  Stretch of = stretches_.front();
  for (const Stretch& one : stretches_)
    if (one.frame <= frame) of = one;
  return of.position + static_cast<double>(frame - of.frame) / card->rate() * speed_;
}

void SoundPlayer::Thread::keep_step(const Wanted& now, double time) {
  loop_ = now.loop.end - now.loop.start > shortest_loop ? now.loop : SoundLoop();
  if (!placed_ || now.clock.speed != speed_) return jump(now.clock, time);
  const SoundRing::Heard heard = card->ring().heard();
  if (heard.at < judged_from_ || heard.frame < stretches_.front().frame) return;  // nothing has been played since
  while (stretches_.size() > 1 && stretches_[1].frame <= heard.frame) stretches_.pop_front();
  const double ought = now.clock.position + (heard.at - now.clock.at) * now.clock.speed;
  double off = (position_at(heard.frame) - ought) / speed_;
  // On either side of the seam they are as near as within the loop.
  const double round = (loop_.end - loop_.start) / speed_;
  if (round > 0 && std::abs(off) > round / 2) off -= std::round(off / round) * round;
  {
    const std::lock_guard lock(mutex);
    stats.ahead = off;
    stats.missed = static_cast<double>(card->ring().missed() - missed_before_) / card->rate();
  }
  // Where its own end has come before the picture's, there is nothing to be in step with.
  if (at_end_ && heard.frame >= card->ring().written() && off <= in_step) return;
  if (std::abs(off) <= in_step) return out_since_.reset();
  if (!out_since_) out_since_ = time;
  if (std::abs(off) <= out_of_step && time <= *out_since_ + put_up_with) return;
  log::debug("The sound is " + rounded_text(std::abs(off), 3) + (off > 0 ? " s ahead of" : " s behind") +
             " the picture.");
  jump(now.clock, time);
}

void SoundPlayer::Thread::jump(const PlayClock& clock, double now) {
  SoundRing& ring = card->ring();
  const std::int64_t missed = ring.missed();
  const double first_heard = now + decoding_time + card->latency();
  speed_ = clock.speed;
  double position = std::max(0.0, clock.position + (first_heard - clock.at) * clock.speed);
  if (loop_.end > loop_.start && clock.position < loop_.end && position >= loop_.end)
    position = loop_.start + std::fmod(position - loop_.end, loop_.end - loop_.start);
  ring.drop();
  reader->seek(position, speed_, card->rate());
  at_end_ = false;
  samples_.clear();
  given_ = 0;
  reader->read(samples_);
  at_end_ = samples_.empty();
  // A card that has just begun does not know yet how late it is.
  const double ready = now_seconds(), said = ring.heard().at;
  const double heard_at = said > ready ? said : ready + card->latency();
  const double early = first_heard - heard_at;
  if (early > 0) ring.write_silence(std::min(ring.room(), static_cast<int>(early * card->rate())));
  const std::int64_t first = ring.written();
  if (early < 0) {  // later than planned: what should have been heard already is left out
    const auto late = static_cast<std::size_t>(-early * card->rate()) * sound_channels;
    while (!at_end_ && samples_.size() < late + sound_channels) {
      std::vector<float> more;
      reader->read(more);
      at_end_ = more.empty();
      samples_.insert(samples_.end(), more.begin(), more.end());
    }
    given_ = std::min(late, samples_.size());
    position -= early * speed_;
  }
  stretches_ = {{first, position}};
  placed_ = true;
  out_since_.reset();
  judged_from_ = heard_at + settling;
  missed_before_ += ring.missed() - missed;
  log::debug("The sound goes to " + rounded_text(position, 6) + " s, heard in " + rounded_text(heard_at - ready, 3) +
             " s.");
  const std::lock_guard lock(mutex);
  ++stats.jumps;
}

// How many more belong before the end of the loop; many where there is none, or the picture is behind it.
int SoundPlayer::Thread::frames_to_seam() const {
  const double position = position_at(card->ring().written());
  if (!(loop_.end > loop_.start) || stretches_.back().position >= loop_.end) return no_seam;
  return static_cast<int>(
      std::clamp((loop_.end - position) / speed_ * card->rate(), 0.0, static_cast<double>(no_seam)));
}

void SoundPlayer::Thread::fill() {
  SoundRing& ring = card->ring();
  while (!interrupt.stop) {
    const int room = std::min(ring.room(), frames_to_seam());
    if (ring.room() == 0) return;
    if (room == 0) {
      stretches_.push_back({ring.written(), loop_.start});
      reader->seek(loop_.start, speed_, card->rate());
      at_end_ = false;
      samples_.clear();
      given_ = 0;
    } else if (given_ < samples_.size()) {
      const int some = std::min(room, static_cast<int>((samples_.size() - given_) / sound_channels));
      ring.write(samples_.data() + given_, some);
      given_ += static_cast<std::size_t>(some) * sound_channels;
    } else if (!at_end_) {
      reader->read(samples_);
      given_ = 0;
      at_end_ = samples_.empty();
    } else if (frames_to_seam() < no_seam) {  // sound has ended before the picture
      ring.write_silence(room);
    } else {
      return;
    }
  }
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

void SoundPlayer::follow(const PlayClock& clock, double volume, const SoundLoop& loop) {
  const std::lock_guard lock(shared_->mutex);
  auto& wanted = shared_->wanted;
  const bool ran = wanted.clock.runs && wanted.volume > 0;
  wanted.clock = clock;
  wanted.loop = loop;
  wanted.volume = volume;
  if (ran != (clock.runs && volume > 0)) shared_->changed.notify_all();
}

void SoundPlayer::report(SoundStats& stats) const {
  const std::lock_guard lock(shared_->mutex);
  stats = shared_->stats;
}

}  // namespace convoscope
