#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>
#include <vector>

#include "app/media/play/decoder_thread.h"
#include "app/media/sound/sound_output.h"

namespace convoscope {
namespace {

constexpr int silent_rate = 48000;
constexpr auto each_time = std::chrono::milliseconds(10);
constexpr double most_at_once = 0.2;  // seconds: of a thread that was not run for longer the rest is forgotten

class SilentOutput : public SoundOutput {
 public:
  SilentOutput() : thread_([this](const std::stop_token& end) { play(end); }) {}

  SoundRing& ring() override { return ring_; }
  int rate() const override { return silent_rate; }
  double latency() const override { return 0; }
  std::string name() const override { return {}; }
  bool lost() const override { return false; }

 private:
  void play(const std::stop_token& end) {
    std::vector<float> nowhere(static_cast<std::size_t>(most_at_once * silent_rate) * sound_channels);
    double played_to = now_seconds();
    std::unique_lock lock(mutex_);
    while (!wake_.wait_for(lock, end, each_time, [&] { return end.stop_requested(); })) {
      const double now = now_seconds();
      played_to = std::max(played_to, now - most_at_once);
      const int frames = static_cast<int>((now - played_to) * silent_rate);
      ring_.play(nowhere.data(), frames, played_to);
      played_to += static_cast<double>(frames) / silent_rate;
    }
  }

  SoundRing ring_{silent_rate, silent_rate / 2};
  std::mutex mutex_;
  std::condition_variable_any wake_;
  std::jthread thread_;  // last: it uses all of the above, and is joined before they go
};

}  // namespace

std::unique_ptr<SoundOutput> open_silent_output() { return std::make_unique<SilentOutput>(); }

}  // namespace convoscope
