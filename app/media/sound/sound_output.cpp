#include "app/media/sound/sound_output.h"

#include <alsa/asoundlib.h>
#include <dlfcn.h>
#include <portaudio.h>

#include <algorithm>
#include <cmath>

#include "app/media/play/decoder_thread.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int usual_rate = 48000;
constexpr double kept_ready = 0.5;    // seconds of samples
constexpr double card_latency = 0.1;  // seconds: nobody waits for it, and a busy machine is late by less than that

constexpr const char* no_card = "No sound card was found.";

// The libraries below PortAudio say on standard error, for each way that they try, that it does not exist.
void say_nothing_alsa(const char*, int, const char*, int, const char*, ...) {}
void say_nothing_jack(const char*) {}

void keep_libraries_quiet() {
  snd_lib_error_set_handler(say_nothing_alsa);
  using Handler = void (*)(const char*);
  for (const char* setter : {"jack_set_error_function", "jack_set_info_function"})
    if (void* const found = dlsym(RTLD_DEFAULT, setter)) reinterpret_cast<void (*)(Handler)>(found)(say_nothing_jack);
}

// Where ALSA has no configuration, or one without these, PortAudio ends the program by an assertion.
bool alsa_names_a_default() {
  snd_config_t* found = nullptr;
  return snd_config_update() >= 0 && (snd_config_search(snd_config, "pcm.default", &found) >= 0 ||
                                      snd_config_search(snd_config, "pcm.dmix", &found) >= 0);
}

// PortAudio, from the first use to the last.
struct Session {
  Session() {
    keep_libraries_quiet();
    if (!alsa_names_a_default()) throw Error(no_card);
    const PaError status = Pa_Initialize();
    if (status != paNoError)
      throw Error(std::string("The sound system cannot be used: ") + Pa_GetErrorText(status) + ".");
  }
  ~Session() { Pa_Terminate(); }
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;
};

class SoundCard : public SoundOutput {
 public:
  SoundCard() {
    const PaDeviceIndex index = Pa_GetDefaultOutputDevice();
    const PaDeviceInfo* const info = index == paNoDevice ? nullptr : Pa_GetDeviceInfo(index);
    if (!info || info->maxOutputChannels < 1) throw Error(no_card);
    name_ = info->name;
    PaStreamParameters output{};
    output.device = index;
    output.channelCount = sound_channels;
    output.sampleFormat = paFloat32;
    output.suggestedLatency = std::max(card_latency, info->defaultHighOutputLatency);
    PaError status = paInvalidSampleRate;
    for (const double rate : {static_cast<double>(usual_rate), info->defaultSampleRate, 44100.0}) {
      ring_ = std::make_unique<SoundRing>(static_cast<int>(rate), static_cast<int>(rate * kept_ready));
      rate_ = static_cast<int>(rate);
      status = Pa_OpenStream(&stream_, nullptr, &output, rate, paFramesPerBufferUnspecified, paClipOff, play, this);
      if (status == paNoError) break;
    }
    if (status == paNoError) status = Pa_StartStream(stream_);
    if (status == paNoError) return;
    if (stream_) Pa_CloseStream(stream_);
    throw Error("The sound card '" + name_ + "' cannot be opened: " + Pa_GetErrorText(status) + ".");
  }
  ~SoundCard() override { Pa_CloseStream(stream_); }

  SoundRing& ring() override { return *ring_; }
  int rate() const override { return rate_; }
  double latency() const override {
    const PaStreamInfo* const info = Pa_GetStreamInfo(stream_);
    return info ? info->outputLatency : 0;
  }
  std::string name() const override { return name_; }
  bool lost() const override { return Pa_IsStreamActive(stream_) != 1; }

 private:
  static int play(const void*, void* samples, unsigned long frames, const PaStreamCallbackTimeInfo* time,
                  PaStreamCallbackFlags, void* card) {
    const double ahead = time ? time->outputBufferDacTime - time->currentTime : 0;
    const double at = now_seconds() + (std::isfinite(ahead) ? std::clamp(ahead, 0.0, 2.0) : 0.0);
    static_cast<SoundCard*>(card)->ring_->play(static_cast<float*>(samples), static_cast<int>(frames), at);
    return paContinue;
  }

  const Session session_;
  std::unique_ptr<SoundRing> ring_;
  PaStream* stream_ = nullptr;
  std::string name_;
  int rate_ = 0;
};

}  // namespace

std::unique_ptr<SoundOutput> open_sound_card() { return std::make_unique<SoundCard>(); }

}  // namespace convoscope
