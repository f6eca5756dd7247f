#include "app/media/write/filtered_sound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/sound/sound_ring.h"
#include "kernels/contract/error.h"

namespace convoscope {
namespace {

constexpr int encoded_rate = 48000;
constexpr int bits_a_second = 192000;
constexpr int frames_at_once = 1024;  // that FLAC is given, AAC takes: a packet lasts no longer than a picture

Interrupt not_interrupted;  // only files are read, which never block for long

SoundSettings on_this_core(SoundSettings sound) {
  sound.strategy = SoundSettings().strategy;
  sound.block = SoundSettings().block;
  sound.compare = false;
  return sound;
}

Owned<AVCodecContext> open_sound_encoder(bool lossless) {
  const AVCodec* const codec = avcodec_find_encoder(lossless ? AV_CODEC_ID_FLAC : AV_CODEC_ID_AAC);
  Owned<AVCodecContext> encoder(codec ? avcodec_alloc_context3(codec) : nullptr);
  if (!encoder) throw Error(std::string("the FFmpeg on this machine cannot encode ") + (lossless ? "FLAC" : "AAC"));
  encoder->sample_rate = encoded_rate;
  encoder->sample_fmt = lossless ? AV_SAMPLE_FMT_S32 : AV_SAMPLE_FMT_FLTP;
  av_channel_layout_default(&encoder->ch_layout, sound_channels);
  encoder->time_base = {1, encoded_rate};
  if (lossless) encoder->frame_size = frames_at_once;
  encoder->bit_rate = lossless ? 0 : bits_a_second;
  encoder->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
  if (const int status = avcodec_open2(encoder.get(), codec, nullptr); status < 0)
    throw Error("its encoder cannot be opened: " + ffmpeg_text(status));
  return encoder;
}

// Of a span the samples of one channel, or of both in turn, as the encoder takes them.
void fill_frame(AVFrame& frame, const float* samples, int frames) {
  if (frame.format == AV_SAMPLE_FMT_FLTP) {
    for (int channel = 0; channel < sound_channels; ++channel) {
      auto* const to = reinterpret_cast<float*>(frame.data[channel]);
      for (int i = 0; i < frames; ++i) to[i] = samples[i * sound_channels + channel];
    }
    return;
  }
  auto* const to = reinterpret_cast<std::int32_t*>(frame.data[0]);
  for (int i = 0; i < frames * sound_channels; ++i)
    to[i] =
        static_cast<std::int32_t>(std::lround(std::clamp(static_cast<double>(samples[i]), -1.0, 1.0) * 0x7fffff)) * 256;
}

}  // namespace

std::unique_ptr<FilteredSound> FilteredSound::open(const SourceSettings& source, const SoundSettings& sound,
                                                   bool lossless, std::string& note) {
  try {
    std::unique_ptr<SoundReader> reader = SoundReader::open(source, not_interrupted);
    if (!reader) return {};
    return std::make_unique<FilteredSound>(std::move(reader), sound, lossless);
  } catch (const Error& error) {
    note = std::string("; the sound was left out: ") + error.what();
    if (note.ends_with('.')) note.pop_back();
  }
  return {};
}

FilteredSound::FilteredSound(std::unique_ptr<SoundReader> reader, const SoundSettings& sound, bool lossless)
    : reader_(std::move(reader)), encoder_(open_sound_encoder(lossless)), description_(avformat_alloc_context()) {
  AVStream* const stream = description_ ? avformat_new_stream(description_.get(), nullptr) : nullptr;
  if (!stream || avcodec_parameters_from_context(stream->codecpar, encoder_.get()) < 0) throw std::bad_alloc();
  stream->time_base = encoder_->time_base;
  stream->disposition = AV_DISPOSITION_DEFAULT;
  streams_.push_back({stream, encoder_->initial_padding});
  FilteredSound::filter(sound);
}

void FilteredSound::filter(const SoundSettings& sound) { filter_.choose(on_this_core(sound), encoded_rate, {}); }

void FilteredSound::follow(double position, double seconds, bool in_step, FileOutput& output) {
  const bool goes_on = pictures_++ > 0 && in_step;
  if (goes_on && !in_step_) {  // from the picture before: it began the span that is in step
    if (packets_ > 0) ++breaks_;
    begin(last_, last_seconds_);
  }
  if (goes_on)
    make_until(position, output);
  else if (in_step_)
    end(output);
  in_step_ = goes_on;
  last_ = position;
  last_seconds_ = seconds;
}

void FilteredSound::finish(double duration, FileOutput& output) {
  if (in_step_) {
    last_ += duration;
    make_until(last_, output);
    end(output);
  }
  avcodec_send_frame(encoder_.get(), nullptr);
  take_packets(output);
}

void FilteredSound::begin(double position, double seconds) {
  // What the taps reach before the span is heard in it, too.
  const double before = std::min(position, static_cast<double>(SoundFilter::reach) / encoded_rate);
  reader_->seek(position - before, 1, encoded_rate);
  filter_.restart();
  left_out_ = static_cast<std::size_t>(std::llround(before * encoded_rate)) * sound_channels;
  from_ = position;
  wanted_ = 0;
  next_ = std::max(next_, static_cast<std::int64_t>(std::llround(seconds * encoded_rate)));
  made_.clear();
  at_end_ = filter_ended_ = false;
}

void FilteredSound::make_until(double position, FileOutput& output) {
  const std::int64_t until = std::llround((position - from_) * encoded_rate);
  const auto frames = static_cast<std::size_t>(std::max<std::int64_t>(0, until - wanted_));
  while (made_.size() < frames * sound_channels && !filter_ended_) {
    if (!at_end_) reader_->read(samples_);
    at_end_ = at_end_ || samples_.empty();
    if (!at_end_) {
      filter_.give(samples_, made_);
    } else {
      filter_.end(made_);
      filter_ended_ = true;
    }
    const std::size_t some = std::min(left_out_, made_.size());
    made_.erase(made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(some));
    left_out_ -= some;
  }
  // What is made beyond the picture stays for the next one; the encoder wants whole frames of its own.
  const std::size_t size = static_cast<std::size_t>(encoder_->frame_size > 0 ? encoder_->frame_size : frames_at_once);
  std::size_t ready = std::min(frames, made_.size() / sound_channels);
  for (; ready >= size; ready -= size) {
    encode(size, output);
    wanted_ += static_cast<std::int64_t>(size);
  }
}

// Of the span, what is less than a frame of the encoder's: silence fills it.
void FilteredSound::end(FileOutput& output) {
  const auto left =
      static_cast<std::size_t>(std::max<std::int64_t>(0, std::llround((last_ - from_) * encoded_rate) - wanted_));
  const std::size_t size = static_cast<std::size_t>(encoder_->frame_size > 0 ? encoder_->frame_size : frames_at_once);
  made_.resize(std::min(left, made_.size() / sound_channels) * sound_channels);
  if (made_.empty()) return;
  made_.resize(size * sound_channels);
  encode(size, output);
  made_.clear();
}

void FilteredSound::encode(std::size_t frames, FileOutput& output) {
  Owned<AVFrame> frame = make_frame();
  frame->format = encoder_->sample_fmt;
  frame->sample_rate = encoded_rate;
  frame->nb_samples = static_cast<int>(frames);
  if (av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout) < 0 || av_frame_get_buffer(frame.get(), 0) < 0)
    throw std::bad_alloc();
  fill_frame(*frame, made_.data(), static_cast<int>(frames));
  made_.erase(made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(frames * sound_channels));
  frame->pts = next_;
  next_ += static_cast<std::int64_t>(frames);
  if (const int status = avcodec_send_frame(encoder_.get(), frame.get()); status < 0)
    throw Error("The sound cannot be encoded: " + ffmpeg_text(status) + ".");
  take_packets(output);
}

void FilteredSound::take_packets(FileOutput& output) {
  while (avcodec_receive_packet(encoder_.get(), packet_.get()) >= 0) {
    packet_->stream_index = streams_.front().stream->index;
    ++packets_;
    output.add_sound(*packet_);
  }
}

std::string FilteredSound::note() const {
  if (packets_ == 0 && pictures_ == 1) return "; without sound: there was time for one picture only";
  if (packets_ == 0) return "; without sound: the source was not playing at normal speed";
  const std::string how = std::string("; sound filtered, ") + (encoder_->codec_id == AV_CODEC_ID_FLAC ? "FLAC" : "AAC");
  return breaks_ > 0 ? how + ", but left out where the source did not play on at normal speed" : how;
}

}  // namespace convoscope
