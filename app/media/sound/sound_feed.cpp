#include "app/media/sound/sound_feed.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/files/log.h"
#include "app/media/play/decoder_thread.h"
#include "app/media/sound/sound_ring.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr double decoding_time = 0.03;  // seconds until the first samples after a jump are there
constexpr int no_seam = 1 << 30;        // frames
constexpr double shortest_loop = 0.1;   // seconds that are worth to be sought for
constexpr int given_at_once = 2048;     // frames

}  // namespace

void SoundFeed::use(SoundOutput& card) {
  card_ = &card;
  memory_ = std::make_unique<SoundMemory>(card.rate());
}

void SoundFeed::set_loop(const SoundLoop& loop) { loop_ = loop.end - loop.start > shortest_loop ? loop : SoundLoop(); }

double SoundFeed::position_at(std::int64_t frame) const {
  Stretch of = stretches_.front();
  for (const Stretch& one : stretches_)
    if (one.frame <= frame) of = one;
  return of.position + static_cast<double>(frame - of.frame) / card_->rate() * speed_;
}

bool SoundFeed::has_come_to(std::int64_t frame) {
  if (frame < stretches_.front().frame) return false;
  while (stretches_.size() > 1 && stretches_[1].frame <= frame) stretches_.pop_front();
  return true;
}

double SoundFeed::ready() const {
  const SoundRing& ring = card_->ring();
  return static_cast<double>(ring.written() - ring.heard().frame) / card_->rate();
}

double SoundFeed::place(SoundReader& reader, const PlayClock& clock, double now) {
  SoundRing& ring = card_->ring();
  const double first_heard = now + decoding_time + card_->latency();
  speed_ = clock.speed;
  double position = std::max(0.0, clock.position + (first_heard - clock.at) * clock.speed);
  if (loop_.end > loop_.start && clock.position < loop_.end && position >= loop_.end)
    position = loop_.start + std::fmod(position - loop_.end, loop_.end - loop_.start);
  ring.drop();
  reader.seek(position, speed_, card_->rate());
  at_end_ = filter_ended_ = false;
  given_ = played_ = 0;
  made_.clear();
  filter_.restart();
  reader.read(samples_);
  at_end_ = samples_.empty();
  // A card that has just begun does not know yet how late it is.
  const double ready = now_seconds(), said = ring.heard().at;
  const double heard_at = said > ready ? said : ready + card_->latency();
  const double early = first_heard - heard_at;
  if (early > 0) {
    const int frames = std::min(ring.room(), static_cast<int>(early * card_->rate()));
    memory_->keep_silence(ring.written(), frames);
    ring.write_silence(frames);
  }
  next_ = ring.written();
  if (early < 0) {  // later than planned: what should have been heard already is left out
    const auto late = static_cast<std::size_t>(-early * card_->rate()) * sound_channels;
    while (!at_end_ && samples_.size() < late + sound_channels) {
      std::vector<float> more;
      reader.read(more);
      at_end_ = more.empty();
      samples_.insert(samples_.end(), more.begin(), more.end());
    }
    given_ = std::min(late, samples_.size());
    position -= early * speed_;
  }
  stretches_ = {{next_, position}};
  log::debug("The sound goes to " + rounded_text(position, 6) + " s, heard in " + rounded_text(heard_at - ready, 3) +
             " s.");
  return heard_at;
}

// How many more belong before the end of the loop; many where there is none, or the picture is behind it.
int SoundFeed::frames_to_seam() const {
  if (!(loop_.end > loop_.start) || stretches_.back().position >= loop_.end) return no_seam;
  const double left = (loop_.end - position_at(next_)) / speed_ * card_->rate();
  return static_cast<int>(std::clamp(left, 0.0, static_cast<double>(no_seam)));
}

void SoundFeed::give(const float* samples, int frames) {
  memory_->keep_before(next_, samples, frames);
  next_ += frames;
  filter_.give({samples, static_cast<std::size_t>(frames) * sound_channels}, made_);
}

void SoundFeed::give_silence(int frames) {
  const std::vector<float> silence(static_cast<std::size_t>(frames) * sound_channels);
  give(silence.data(), frames);
}

void SoundFeed::go_to_start(SoundReader& reader) {
  stretches_.push_back({next_, loop_.start});
  reader.seek(loop_.start, speed_, card_->rate());
  at_end_ = filter_ended_ = false;
  samples_.clear();
  given_ = 0;
}

void SoundFeed::fill(SoundReader& reader, const Interrupt& interrupt, double ahead) {
  SoundRing& ring = card_->ring();
  while (!interrupt.stop) {
    const int room = std::min(ring.room(), static_cast<int>((ahead - ready()) * card_->rate()));
    if (room <= 0) return;
    if (played_ < made_.size()) {
      const int some = std::min(room, static_cast<int>((made_.size() - played_) / sound_channels));
      memory_->keep_after(ring.written(), made_.data() + played_, some);
      ring.write(made_.data() + played_, some);
      played_ += static_cast<std::size_t>(some) * sound_channels;
      continue;
    }
    made_.clear();
    played_ = 0;
    const int seam = frames_to_seam();
    if (seam == 0) {
      go_to_start(reader);
    } else if (given_ < samples_.size()) {
      const int some = std::min({seam, static_cast<int>((samples_.size() - given_) / sound_channels), given_at_once});
      give(samples_.data() + given_, some);
      given_ += static_cast<std::size_t>(some) * sound_channels;
    } else if (!at_end_) {
      reader.read(samples_);
      given_ = 0;
      at_end_ = samples_.empty();
    } else if (seam < no_seam) {  // sound has ended before the picture
      give_silence(std::min(seam, given_at_once));
    } else if (!std::exchange(filter_ended_, true)) {
      filter_.end(made_);
    } else {
      return;
    }
  }
}

void SoundFeed::show_heard(double now, SoundScope& scope) {
  const SoundRing::Heard heard = card_->ring().heard();
  if (heard.at <= 0) return;
  const double still_to_come = std::clamp(heard.at - now, 0.0, 1.0);
  memory_->show_before(heard.frame - static_cast<std::int64_t>(still_to_come * card_->rate()), scope);
}

}  // namespace convoscope
