#include "app/media/sound/sound_ring.h"

#include <algorithm>

namespace convoscope {
namespace {

constexpr float fade = 0.008f;  // seconds from nothing to full volume

}  // namespace

SoundRing::SoundRing(int rate, int frames)
    : samples_(static_cast<std::size_t>(frames) * sound_channels),
      capacity_(frames),
      rate_(rate),
      step_(1 / (fade * static_cast<float>(rate))) {}

int SoundRing::room() const { return static_cast<int>(capacity_ - (written_ - read_)); }

void SoundRing::write(const float* samples, int frames) {
  const std::int64_t first = written_;
  for (std::int64_t i = 0; i < frames; ++i)
    std::copy_n(samples + i * sound_channels, sound_channels,
                samples_.begin() + (first + i) % capacity_ * sound_channels);
  written_ = first + frames;
}

void SoundRing::write_silence(int frames) {
  const std::int64_t first = written_;
  for (std::int64_t i = 0; i < frames; ++i)
    std::fill_n(samples_.begin() + (first + i) % capacity_ * sound_channels, sound_channels, 0.0f);
  written_ = first + frames;
}

void SoundRing::drop() { skip_to_ = written_.load(); }

SoundRing::Heard SoundRing::heard() const {
  while (true) {
    const unsigned turn = turn_;
    const Heard heard{read_, read_at_};
    if (turn % 2 == 0 && turn == turn_) return heard;
  }
}

void SoundRing::fade_towards(float target) {
  gain_ = gain_ < target ? std::min(target, gain_ + step_) : std::max(target, gain_ - step_);
}

void SoundRing::play(float* samples, int frames, double at) {
  const std::int64_t written = written_, skip_to = skip_to_;
  const bool running = running_;
  const float volume = volume_;
  std::int64_t read = read_, missed = 0;
  for (int i = 0; i < frames; ++i, samples += sound_channels) {
    if (read < skip_to && gain_ == 0) read = skip_to;
    const bool there = read < written && (running || gain_ > 0);
    fade_towards(running && there && read >= skip_to ? volume : 0);
    for (int channel = 0; channel < sound_channels; ++channel) {
      float& last = last_[static_cast<std::size_t>(channel)];
      if (there) last = samples_[static_cast<std::size_t>(read % capacity_ * sound_channels + channel)];
      samples[channel] = last * gain_;
    }
    if (there)
      ++read;
    else if (running)
      ++missed;
  }
  missed_ += missed;
  ++turn_;
  read_at_ = at + frames / rate_;
  read_ = read;
  ++turn_;
}

}  // namespace convoscope
