#include "app/media/write/filtered_sound.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/sound/sound_ring.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr int encoded_rate = 48000;
constexpr int bits_a_second = 192000;
constexpr int frames_at_once = 1024;  // that AAC takes; FLAC is told to: a packet lasts no longer than a picture

constexpr std::size_t samples_at_once = frames_at_once * sound_channels;

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

// Channel after channel, or both in turn, as the encoder takes them.
void fill_frame(AVFrame& frame, const float* samples) {
  constexpr int frames = frames_at_once;
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
  streams_.push_back({stream});
  FilteredSound::filter(sound);
}

void FilteredSound::filter(const SoundSettings& sound) {
  asked_for_by_name_ = sound.strategy == SoundSettings().strategy ? "" : sound.strategy;
  filter_.choose(on_this_core(sound), encoded_rate, {});
}

void FilteredSound::begin(double position, double seconds) {
  // What the taps reach before the span is heard in it, too.
  const double before = std::min(position, static_cast<double>(SoundFilter::reach) / encoded_rate);
  reader_->seek(position - before, 1, encoded_rate);
  filter_.restart();
  left_out_ = static_cast<std::size_t>(std::llround(before * encoded_rate)) * sound_channels;
  from_ = position;
  asked_for_ = encoded_ = 0;
  next_ = std::max(next_, static_cast<std::int64_t>(std::llround(seconds * encoded_rate)));
  made_.clear();
  at_end_ = filter_ended_ = false;
}

// What is made beyond the picture stays for the next one; the encoder wants whole frames of its own.
void FilteredSound::write_until(double position, double, FileOutput& output) {
  asked_for_ = std::max<std::int64_t>(asked_for_, std::llround((position - from_) * encoded_rate));
  make(static_cast<std::size_t>(asked_for_ - encoded_));
  while (asked_for_ - encoded_ >= frames_at_once && made_.size() >= samples_at_once) encode(output);
}

// Of the source's sound as much as that, or what there is.
void FilteredSound::make(std::size_t frames) {
  while (made_.size() < frames * sound_channels && !filter_ended_) {
    if (!at_end_) reader_->read(samples_);
    at_end_ = at_end_ || samples_.empty();
    if (at_end_)
      filter_.end(made_);
    else
      filter_.give(samples_, made_);
    filter_ended_ = at_end_;
    const std::size_t some = std::min(left_out_, made_.size());
    made_.erase(made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(some));
    left_out_ -= some;
  }
}

// What is left is less than a frame of the encoder's: silence fills it.
void FilteredSound::end(FileOutput& output) {
  const auto left = static_cast<std::size_t>(asked_for_ - encoded_) * sound_channels;
  made_.resize(std::min(left, made_.size()));
  if (made_.empty()) return;
  made_.resize(samples_at_once);
  encode(output);
}

void FilteredSound::flush(FileOutput& output) {
  avcodec_send_frame(encoder_.get(), nullptr);
  take_packets(output);
}

void FilteredSound::encode(FileOutput& output) {
  Owned<AVFrame> frame = make_frame();
  frame->format = encoder_->sample_fmt;
  frame->sample_rate = encoded_rate;
  frame->nb_samples = frames_at_once;
  if (av_channel_layout_copy(&frame->ch_layout, &encoder_->ch_layout) < 0 || av_frame_get_buffer(frame.get(), 0) < 0)
    throw std::bad_alloc();
  fill_frame(*frame, made_.data());
  made_.erase(made_.begin(), made_.begin() + static_cast<std::ptrdiff_t>(samples_at_once));
  frame->pts = next_;
  next_ += frames_at_once;
  encoded_ += frames_at_once;
  if (const int status = avcodec_send_frame(encoder_.get(), frame.get()); status < 0)
    throw Error("The sound cannot be encoded: " + ffmpeg_text(status) + ".");
  take_packets(output);
}

void FilteredSound::take_packets(FileOutput& output) {
  while (avcodec_receive_packet(encoder_.get(), packet_.get()) >= 0) {
    packet_->stream_index = streams_.front().stream->index;
    write(*packet_, output);
  }
}

std::string FilteredSound::note() const {
  // As fast as it can be on this core: a recording does not wait for its sound.
  const std::string& at_work = filter_.stats().strategy;
  const bool is_another = !asked_for_by_name_.empty() && !at_work.empty() && at_work != asked_for_by_name_;
  return note_of("sound filtered" + (is_another ? ", with " + at_work + " in place of " + asked_for_by_name_ : "") +
                 ", " + (encoder_->codec_id == AV_CODEC_ID_FLAC ? "FLAC" : "AAC"));
}

}  // namespace convoscope
