#include "app/media/recorder.h"

#include <sys/stat.h>

#include <algorithm>
#include <atomic>
#include <cctype>
#include <cmath>
#include <condition_variable>
#include <cstring>
#include <deque>
#include <mutex>
#include <thread>
#include <utility>
#include <vector>

#include "app/media/encoder.h"
#include "app/media/ffmpeg_error.h"
#include "kernels/error.h"

namespace convoscope {
namespace {

std::string extension_of(const std::string& path) {
  const std::size_t dot = path.find_last_of("./");
  std::string extension = dot == std::string::npos || path[dot] == '/' ? "" : path.substr(dot + 1);
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](unsigned char c) { return std::tolower(c); });
  return extension;
}

void check(const RecordingSettings& settings) {
  const std::string quoted = "'" + settings.path + "'";
  const std::string extension = extension_of(settings.path);
  if (extension != "mkv" && extension != "mp4")
    throw Error("A recording cannot be written to " + quoted + ": the name must end in .mkv or .mp4.");
  if (settings.lossless && extension != "mkv")
    throw Error("A lossless recording cannot be written to " + quoted + ": the name must end in .mkv.");
  if (settings.width < 1 || settings.height < 1 || settings.width > 16384 || settings.height > 16384)
    throw Error("A recording of " + std::to_string(settings.width) + " × " + std::to_string(settings.height) +
                " pixels is not possible; both sides are from 1 to 16384.");
  if (!std::isfinite(settings.rate) || settings.rate <= 0 || settings.rate > 1000)
    throw Error("A recording with " + std::to_string(settings.rate) +
                " frames a second is not possible; choose a rate above 0 and up to 1000.");
}

struct OutputDeleter {
  void operator()(AVFormatContext* p) const {
    if (p->pb) avio_closep(&p->pb);
    avformat_free_context(p);
  }
};
using Output = std::unique_ptr<AVFormatContext, OutputDeleter>;

class FileRecorder : public Recorder {
 public:
  explicit FileRecorder(const RecordingSettings&);
  ~FileRecorder() override {
    try {
      finish();
    } catch (const Error&) {  // told by error() already
    }
  }
  bool add(const Image&, double seconds, bool wait) override;
  std::int64_t frames_written() const override { return written_; }
  std::string error() const override {
    const std::lock_guard lock(mutex_);
    return error_;
  }
  std::string encoder() const override { return encoder_.text; }
  void finish() override;

 private:
  struct Slot {
    Owned<AVFrame> rgba;  // of the encoder's size
    double seconds = 0;
  };

  void open_file();
  void run();
  void encode(const Slot&);
  int write_packets();
  void fail(int code);

  const RecordingSettings settings_;
  Output output_;
  ChosenEncoder encoder_;
  AVStream* stream_ = nullptr;
  Owned<SwsContext> scaler_;
  Owned<AVFrame> frame_;  // in the encoder's format
  Owned<AVPacket> packet_;
  double first_seconds_ = 0;
  std::int64_t last_time_ = -1, frame_time_ = 1;

  mutable std::mutex mutex_;
  std::condition_variable to_encoder_, to_caller_;
  std::vector<Slot> slots_;
  std::deque<std::size_t> free_, filled_;
  bool closing_ = false, closed_ = false;
  std::string error_;
  std::atomic<std::int64_t> written_{0};
  std::thread thread_;
};

FileRecorder::FileRecorder(const RecordingSettings& settings) : settings_(settings) {
  prepare_ffmpeg();
  check(settings_);
  open_file();
  packet_ = make_packet();
  const AVCodecContext& codec = *encoder_.context;
  const auto make_picture = [&](AVPixelFormat format) {
    Owned<AVFrame> frame = make_frame();
    frame->width = codec.width;
    frame->height = codec.height;
    frame->format = format;
    if (av_frame_get_buffer(frame.get(), 0) < 0) throw std::bad_alloc();
    return frame;
  };
  frame_ = make_picture(codec.pix_fmt);
  frame_->colorspace = codec.colorspace;
  frame_->color_range = codec.color_range;
  scaler_ = make_recording_scaler(codec);
  frame_time_ = std::max<std::int64_t>(1, std::llround(recording_time_base.den / settings_.rate));

  const std::size_t bytes = 4 * static_cast<std::size_t>(codec.width) * static_cast<std::size_t>(codec.height);
  slots_.resize(std::clamp<std::size_t>((std::size_t{256} << 20) / bytes, 3, 8));
  for (std::size_t i = 0; i < slots_.size(); ++i) {
    slots_[i].rgba = make_picture(AV_PIX_FMT_RGBA);
    free_.push_back(i);
  }
  thread_ = std::thread([this] { run(); });
}

void FileRecorder::open_file() {
  const bool mp4 = extension_of(settings_.path) == "mp4";
  AVFormatContext* raw = nullptr;
  if (avformat_alloc_output_context2(&raw, nullptr, mp4 ? "mp4" : "matroska", nullptr) < 0 || !raw)
    throw Error(std::string("The FFmpeg on this machine cannot write .") + (mp4 ? "mp4" : "mkv") + " files.");
  output_.reset(raw);
  encoder_ = open_encoder(settings_, raw->oformat->flags & AVFMT_GLOBALHEADER);
  stream_ = avformat_new_stream(raw, nullptr);
  if (!stream_) throw std::bad_alloc();
  avcodec_parameters_from_context(stream_->codecpar, encoder_.context.get());
  stream_->time_base = recording_time_base;
  stream_->avg_frame_rate = encoder_.context->framerate;
  for (const auto& [key, value] : settings_.metadata) av_dict_set(&raw->metadata, key.c_str(), value.c_str(), 0);

  const auto refuse = [&](int code) {
    throw Error("The recording cannot be written to '" + settings_.path + "': " + ffmpeg_text(code) +
                ". Check that the folder exists, may be written to, and has room.");
  };
  int status = avio_open(&raw->pb, ("file:" + settings_.path).c_str(), AVIO_FLAG_WRITE);
  if (status < 0) refuse(status);
  // A killed program leaves all fragments or clusters that were finished: one a second, sent to the file at once.
  raw->flush_packets = 1;
  AVDictionary* options = nullptr;
  if (mp4) {
    av_dict_set(&options, "movflags", "+frag_keyframe+empty_moov+default_base_moof+use_metadata_tags", 0);
    av_dict_set(&options, "frag_duration", "1000000", 0);
  } else {
    av_dict_set(&options, "cluster_time_limit", "1000", 0);
  }
  status = avformat_write_header(raw, &options);
  av_dict_free(&options);
  avio_flush(raw->pb);
  if (status >= 0) status = raw->pb->error;
  if (status < 0) refuse(status);
}

bool FileRecorder::add(const Image& rgba, double seconds, bool wait) {
  std::size_t slot;
  {
    std::unique_lock lock(mutex_);
    if (rgba.width != settings_.width || rgba.height != settings_.height) {
      if (error_.empty())
        error_ = "The recording to '" + settings_.path + "' has stopped: the picture's size has changed from " +
                 std::to_string(settings_.width) + " × " + std::to_string(settings_.height) + " to " +
                 std::to_string(rgba.width) + " × " + std::to_string(rgba.height) +
                 ". What was written plays; start a new recording.";
      return false;
    }
    if (wait) to_caller_.wait(lock, [&] { return !free_.empty() || !error_.empty() || closing_; });
    if (free_.empty() || !error_.empty() || closing_) return false;
    slot = free_.front();
    free_.pop_front();
  }
  // An odd side is made even by repeating the last column or row.
  const AVFrame& frame = *slots_[slot].rgba;
  const auto row_bytes = static_cast<std::size_t>(rgba.width) * 4;
  for (int y = 0; y < frame.height; ++y) {
    const auto* from = static_cast<const std::uint8_t*>(rgba.data) +
                       static_cast<std::size_t>(std::min(y, rgba.height - 1)) * rgba.pitch;
    std::uint8_t* to = frame.data[0] + static_cast<std::ptrdiff_t>(y) * frame.linesize[0];
    std::memcpy(to, from, row_bytes);
    if (frame.width > rgba.width) std::memcpy(to + row_bytes, from + row_bytes - 4, 4);
  }
  slots_[slot].seconds = seconds;
  const std::lock_guard lock(mutex_);
  filled_.push_back(slot);
  to_encoder_.notify_one();
  return true;
}

void FileRecorder::fail(int code) {
  const std::lock_guard lock(mutex_);
  if (error_.empty())
    error_ = "The recording to '" + settings_.path + "' has stopped: " + ffmpeg_text(code) +
             ". What was written plays; make room or choose another folder, and start again.";
  to_caller_.notify_all();
}

void FileRecorder::run() {
  while (true) {
    std::size_t slot;
    bool failed;
    {
      std::unique_lock lock(mutex_);
      to_encoder_.wait(lock, [&] { return !filled_.empty() || closing_; });
      if (filled_.empty()) return;
      slot = filled_.front();
      filled_.pop_front();
      failed = !error_.empty();
    }
    if (!failed) encode(slots_[slot]);
    const std::lock_guard lock(mutex_);
    free_.push_back(slot);
    to_caller_.notify_one();
  }
}

void FileRecorder::encode(const Slot& slot) {
  int status = av_frame_make_writable(frame_.get());
  if (status >= 0) status = sws_scale_frame(scaler_.get(), frame_.get(), slot.rgba.get());
  if (status >= 0) {
    // Time runs on when the source's jumps back, as in a loop.
    if (last_time_ < 0) first_seconds_ = slot.seconds;
    std::int64_t time = std::llround((slot.seconds - first_seconds_) * recording_time_base.den);
    if (time <= last_time_) {
      time = last_time_ + frame_time_;
      first_seconds_ = slot.seconds - static_cast<double>(time) / recording_time_base.den;
    }
    frame_->pts = last_time_ = time;
    frame_->pict_type = AV_PICTURE_TYPE_NONE;
    status = avcodec_send_frame(encoder_.context.get(), frame_.get());
  }
  if (status >= 0) status = write_packets();
  if (status < 0) fail(status);
}

// All that the encoder has ready; negative when it or the file fails.
int FileRecorder::write_packets() {
  while (true) {
    int status = avcodec_receive_packet(encoder_.context.get(), packet_.get());
    if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return 0;
    if (status < 0) return status;
    packet_->stream_index = stream_->index;
    if (packet_->duration <= 0) packet_->duration = frame_time_;
    av_packet_rescale_ts(packet_.get(), recording_time_base, stream_->time_base);
    status = av_interleaved_write_frame(output_.get(), packet_.get());
    if (status >= 0) status = output_->pb->error;
    if (status < 0) return status;
    ++written_;
  }
}

void FileRecorder::finish() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
    to_encoder_.notify_all();
    to_caller_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  if (!std::exchange(closed_, true)) {
    int status = 0;
    if (error().empty()) {
      status = avcodec_send_frame(encoder_.context.get(), nullptr);
      if (status >= 0 || status == AVERROR_EOF) status = write_packets();
    }
    const int trailer = av_write_trailer(output_.get());
    avio_flush(output_->pb);
    if (status >= 0) status = trailer < 0 ? trailer : output_->pb->error;
    const int closing = avio_closep(&output_->pb);
    if (status >= 0) status = closing;
    if (status < 0) fail(status);
    struct stat file {};
    if (::stat(settings_.path.c_str(), &file) != 0) fail(AVERROR(errno));
  }
  if (const std::string problem = error(); !problem.empty()) throw Error(problem);
}

}  // namespace

std::unique_ptr<Recorder> Recorder::open(const RecordingSettings& settings) {
  return std::make_unique<FileRecorder>(settings);
}

}  // namespace convoscope
