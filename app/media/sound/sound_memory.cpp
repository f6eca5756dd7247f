#include "app/media/sound/sound_memory.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <complex>
#include <new>
#include <numbers>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/sound/sound_ring.h"

extern "C" {
#include <libavutil/tx.h>
}

namespace convoscope {
namespace {

constexpr std::size_t kept = 1 << 16;  // frames: more than a ring holds and a window together

float decibels(double power) {
  return std::max(SoundScope::silence, static_cast<float>(10 * std::log10(std::max(power, 1e-30))));
}

}  // namespace

// FFmpeg's transforms take only memory that begins where their vectors like it: elsewhere they crash.
struct alignas(64) SoundMemory::Transform {
  Transform() {
    const float scale = 1;
    if (av_tx_init(&context, &run, AV_TX_FLOAT_FFT, 0, window, &scale, 0) < 0) throw std::bad_alloc();
  }
  ~Transform() { av_tx_uninit(&context); }
  Transform(const Transform&) = delete;
  Transform& operator=(const Transform&) = delete;
  std::array<std::complex<float>, window> in{}, out{};
  AVTXContext* context = nullptr;
  av_tx_fn run = nullptr;
};

SoundMemory::SoundMemory(int rate)
    : rate_(rate), before_(kept), after_(kept), hann_(window), transform_(std::make_unique<Transform>()) {
  for (std::size_t i = 0; i < window; ++i)
    hann_[i] = static_cast<float>(0.5 - 0.5 * std::cos(2 * std::numbers::pi * static_cast<double>(i) / window));
}
SoundMemory::~SoundMemory() = default;

void SoundMemory::keep(std::vector<float>& into, std::int64_t first, const float* samples, int frames) {
  for (int i = 0; i < frames; ++i, samples += sound_channels)
    into[static_cast<std::size_t>(first + i) % kept] = 0.5f * (samples[0] + samples[1]);
}
void SoundMemory::keep_before(std::int64_t first, const float* samples, int frames) {
  keep(before_, first, samples, frames);
}
void SoundMemory::keep_after(std::int64_t first, const float* samples, int frames) {
  keep(after_, first, samples, frames);
}
void SoundMemory::keep_silence(std::int64_t first, int frames) {
  for (int i = 0; i < frames; ++i) {
    const auto place = static_cast<std::size_t>(first + i) % kept;
    before_[place] = after_[place] = 0;
  }
}

float SoundMemory::at(const std::vector<float>& of, std::int64_t frame) const {
  return frame < 0 ? 0.0f : of[static_cast<std::size_t>(frame) % kept];
}

// Two real signals go through one complex transform: one as its real part, one as its imaginary part.
void SoundMemory::show_before(std::int64_t next, SoundScope& scope) {
  const std::int64_t first = next - window;
  for (int i = 0; i < window; ++i) {
    const float a = at(before_, first + i), b = at(after_, first + i), w = hann_[static_cast<std::size_t>(i)];
    transform_->in[static_cast<std::size_t>(i)] = {a * w, b * w};
    if (const int shown = i - (window - SoundScope::samples); shown >= 0) {
      scope.before[static_cast<std::size_t>(shown)] = a;
      scope.after[static_cast<std::size_t>(shown)] = b;
    }
  }
  transform_->run(transform_->context, transform_->out.data(), transform_->in.data(), sizeof(std::complex<float>));
  const auto power = [&](int bin, bool after) {
    const std::complex<double> x = transform_->out[static_cast<std::size_t>(bin)],
                               y = std::conj(
                                   std::complex<double>(transform_->out[static_cast<std::size_t>(window - bin)]));
    return std::norm(after ? x - y : x + y) * 4 / (static_cast<double>(window) * window);
  };
  constexpr double range = SoundScope::highest / SoundScope::lowest;
  const auto bin_at = [&](double edge) {
    return SoundScope::lowest * std::pow(range, edge / SoundScope::bands) / rate_ * window;
  };
  constexpr int last = window / 2 - 1;
  for (int band = 0; band < SoundScope::bands; ++band) {
    const double low = bin_at(band), high = bin_at(band + 1), middle = bin_at(band + 0.5);
    for (const bool after : {false, true}) {
      const int below = std::clamp(static_cast<int>(middle), 1, last - 1);
      const double part = std::clamp(middle - below, 0.0, 1.0);
      double level = middle > last ? 0 : (1 - part) * power(below, after) + part * power(below + 1, after);
      // Those of its own, where it has any: a tone is between them nowhere as loud as it is.
      for (int bin = std::max(static_cast<int>(std::ceil(low)), 1); bin < high && bin <= last; ++bin)
        level = std::max(level, power(bin, after));
      (after ? scope.spectrum_after : scope.spectrum_before)[static_cast<std::size_t>(band)] = decibels(level);
    }
  }
  scope.present = true;
}

}  // namespace convoscope
