#include "app/media/ffmpeg/demuxer.h"

#include <algorithm>
#include <cerrno>
#include <cmath>
#include <cstdio>
#include <span>
#include <stdexcept>
#include <string_view>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include "app/media/ffmpeg/cut_off.h"
#include "app/media/ffmpeg/decoder.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/stream_choice.h"
#include "app/media/ffmpeg/y4m_header.h"
#include "app/media/read/known_files.h"
#include "app/media/sources/source.h"
#include "kernels/files/part_mark.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr const char* standard_input_address = "pipe:0";
constexpr double early_by = 0.5;  // seconds, by which what a server says may be off

MediaInput standard_input() {
  MediaInput media;
  media.address = standard_input_address;
  media.format = require_format("yuv4mpegpipe", "y4m");
  media.why_not = [](const std::string&, int status) -> std::string {
    if (status == AVERROR_EXIT || status == AVERROR(ENOMEM)) return "";
    return std::string(status == AVERROR(EBADF) ? "Standard input is closed."
                       : status == AVERROR_EOF  ? "There is nothing on standard input, or not all of a picture."
                                                : "What comes on standard input is not y4m.") +
           " Pipe a video into it: ffmpeg -i FILE -f yuv4mpegpipe - | convoscope filter - OUTPUT.";
  };
  return media;
}

// As far as they are still there.
std::string first_bytes(const AVIOContext& io) {
  constexpr std::ptrdiff_t enough = 1024;
  const std::ptrdiff_t buffered = io.buf_end - io.buffer;
  if (io.pos != buffered) return "";
  return {reinterpret_cast<const char*>(io.buffer), static_cast<std::size_t>(std::min(buffered, enough))};
}

// Formats that are nothing but codes, which FFmpeg also finds in the middle of other files: a JPEG in a PDF.
bool is_guessed_from_codes(std::string_view format) {
  constexpr std::string_view guessed[] = {"mjpeg", "mpegvideo", "m4v", "h264", "hevc", "h263", "vc1", "cavsvideo",
                                          "dirac", "mpeg",      "mp3", "aac",  "ac3",  "eac3", "dts", "loas"};
  return std::ranges::find(guessed, format) != std::end(guessed);
}

}  // namespace

Demuxer::Demuxer(const SourceSettings& source, Interrupt& interrupt, Sound sound)
    : source_(source), name_(source.input), interrupt_(interrupt), sound_(sound), trusted_(source.trust_playlists) {
  prepare_ffmpeg();
  open(source);
}

void Demuxer::set_deadline() { interrupt_.deadline = input_.may_stall ? Interrupt::now() + answer_patience : 0; }

void Demuxer::open(const SourceSettings& source) {
  if (sound_ != Sound::none && source.input == "-") {
    name_ = "standard input";
    input_ = standard_input();
  } else {
    const Source& kind = source_for(source.input);
    if (!kind.media) throw std::logic_error("the " + std::string(kind.kind.id) + " is not demuxed");
    input_ = kind.media(source);
  }
  if (std::optional<Descriptor> part = read_part(input_.path)) part_.emplace(std::move(*part));
  int status = open_still(source.max_pixels) ? 0 : open_format();
  if (status < 0 && input_.takes_any_size && source.width > 0) {
    input_.set("video_size", "");
    status = open_format();
  }
  if (standard_input_) begin_ = first_bytes(*standard_input_);
  // FFmpeg takes for another format what has not come at all.
  const bool of_content = status == AVERROR_INVALIDDATA || status == AVERROR(EINVAL);
  if (of_content && standard_input_ && standard_input_->pos == 0)
    status = standard_input_->error < 0 ? standard_input_->error : AVERROR_EOF;
  if (status < 0 && guard_ && !guard_->refusal().empty()) throw Error(guard_->refusal());
  if (status == AVERROR(EINVAL) && guard_)
    if (const std::string reason = guard_->why_not_read(); !reason.empty()) throw Error(reason);
  if (status < 0) throw Error(why_not(status));
  AVFormatContext* const raw = format_.get();

  const std::string demuxer = raw->iformat->name;
  // Devices say all they know at once; and any text would pass for the picture of a terminal.
  if (demuxer == "tty" && !input_.path.empty()) refuse_known_file(input_.path, name_);
  // By its name alone FFmpeg takes a document called .jpg for a picture.
  const bool by_name = demuxer == "image2";
  if ((is_guessed_from_codes(demuxer) || by_name) && !input_.path.empty()) refuse_known_file(input_.path, name_);
  if (demuxer == "tty") throw Error(why_not_readable(name_, AVERROR_INVALIDDATA));
  counts_bytes_ = demuxer == "yuv4mpegpipe";
  if (counts_bytes_ && !standard_input_) begin_ = first_bytes(*raw->pb);
  if (counts_bytes_ && is_y4m(begin_) && !fits_y4m(begin_)) throw Error(why_not(AVERROR_INVALIDDATA));
  using From = MediaInput::From;
  const From from = input_.from;
  if (from == From::network) refuse_index_at_end();
  if (from != From::device && !still_file_) find_streams(source.max_pixels);
  int best = choose_stream(*format_);
  if (best < 0 && (sound_ == Sound::or_alone || sound_ == Sound::whole_file)) best = choose_sound(*format_);
  if (best < 0 && !input_.path.empty()) refuse_known_file(input_.path, name_);
  if (best < 0) refuse_without_video(*format_, name_, !input_.path.empty());
  stream_ = raw->streams[best];
  for (unsigned i = 0; i < raw->nb_streams; ++i)
    if (static_cast<int>(i) != best &&
        (sound_ == Sound::none || raw->streams[i]->codecpar->codec_type != AVMEDIA_TYPE_AUDIO))
      raw->streams[i]->discard = AVDISCARD_ALL;

  const bool one_picture = still_file_ ? !still_file_->animated() : demuxer.ends_with("_pipe") || demuxer == "image2";
  still_ = from == From::file && (one_picture || demuxer == "ico");
  const bool known_end = raw->duration != AV_NOPTS_VALUE && raw->duration > 0;
  live_ = from == From::device || (from == From::network && !known_end);
  warning_ = input_.images ? input_.images->note() : substitution(source);
  if (still_file_ && !still_file_->info().note.empty())
    warning_ += (warning_.empty() ? "" : " ") + still_file_->info().note;
  if (counts_bytes_ && is_y4m(begin_) && !says_y4m_rate(begin_))
    warning_ = "'" + name_ +
               "' says no valid frame rate in its first line (like F30:1), so 25 frames a second are assumed. " +
               "To say another one: ffmpeg -r RATE -i INPUT -f yuv4mpegpipe OUTPUT.y4m.";
  if (input_.images) {
    AVStream& stream = *raw->streams[best];
    stream.nb_frames = stream.duration = input_.images->size();
    raw->duration = av_rescale_q(input_.images->size(), stream.time_base, AV_TIME_BASE_Q);
  }
  seekable_ = !live_ && !still_ && (!raw->pb || raw->pb->seekable & AVIO_SEEKABLE_NORMAL || from == From::network);
}

// What was read over to find the index cannot be gone back to.
void Demuxer::refuse_index_at_end() const {
  const AVIOContext* const io = format_->pb;
  if (!io || io->seekable & AVIO_SEEKABLE_NORMAL ||
      std::string_view(format_->iformat->name).find("mp4") == std::string_view::npos)
    return;
  for (AVStream* const stream : std::span(format_->streams, format_->nb_streams)) {
    const AVIndexEntry* const first = avformat_index_get_entry(stream, 0);
    if (first && first->pos < avio_tell(format_->pb))
      throw Error(
          "'" + name_ +
          "' has its index at the end, and its server sends no part of a file by itself (it takes no ranges). "
          "Download the file, or put its index first: ffmpeg -i INPUT -c copy -movflags +faststart OUTPUT.mp4.");
  }
}

// Some of FFmpeg's readers take the end of a connection for that of the file.
bool Demuxer::lacks_bytes() const {
  AVIOContext* const io = format_->pb;
  return io && io->eof_reached && avio_tell(io) < avio_size(io);
}

bool Demuxer::ends_early(double seconds) const {
  if (input_.from != MediaInput::From::network || live_) return false;
  if (lacks_bytes()) return true;
  // Of a file, how long it is may be a guess.
  const std::string_view format = format_->iformat->name;
  return format == "rtsp" && seconds + early_by < static_cast<double>(format_->duration) / AV_TIME_BASE;
}

std::string Demuxer::why_early(double seconds) const {
  if (lacks_bytes())
    return "'" + name_ + "' was cut off: of its " + format_count(avio_size(format_->pb)) + " bytes, " +
           format_count(avio_tell(format_->pb)) + " have come. Check the network and the server.";
  char times[64];
  std::snprintf(times, sizeof times, "%.1f s of its %.1f s", seconds,
                static_cast<double>(format_->duration) / AV_TIME_BASE);
  return "'" + name_ + "' was cut off after " + times + ": the server ended the connection.";
}

std::string Demuxer::has_grown() const {
  if (!input_.images) return "";
  try {
    const MediaInput now = source_for(source_.input).media(source_);
    const std::int64_t more = now.images ? now.images->size() - input_.images->size() : 0;
    if (more <= 0) return "";
    return convoscope::counted(more, "picture") + (more == 1 ? " has" : " have") + " come to '" + name_ +
           "' since it was opened, and " + (more == 1 ? "is" : "are") + " left out. Open it again to take " +
           (more == 1 ? "it" : "them") + " in.";
  } catch (const Error&) {  // it has gone, which is no growth
    return "";
  }
}

// One of the kinds that are not FFmpeg's: the file, or the first of several pictures, which says what they are.
bool Demuxer::open_still(std::int64_t max_pixels) {
  const bool pictures = input_.images.has_value();
  const std::string& path = pictures ? input_.images->first() : input_.path;
  if (path.empty()) return false;
  still_file_ = StillFile::open(path, pictures ? path : name_, max_pixels, interrupt_);
  if (!still_file_) return false;
  AVRational rate{25, 1};
  if (const AVDictionaryEntry* const said = av_dict_get(input_.options.get(), "framerate", nullptr, 0))
    rate = av_d2q(std::strtod(said->value, nullptr), 1 << 20);
  format_ = still_file_->make_format(rate);
  return true;
}

void Demuxer::find_streams(std::int64_t max_pixels) {
  if (sound_ == Sound::whole_file) {
    format_->flags |= AVFMT_FLAG_NOBUFFER;
    format_->probesize = format_->max_analyze_duration = INT64_MAX;
  }
  // FFmpeg decodes a picture to know its kind: one that is too large is left to the decoder, which says so.
  std::vector<AVDictionary*> options(format_->nb_streams);
  for (std::size_t i = 0; i < options.size(); ++i)
    if (!is_portable_map(*format_->streams[i]->codecpar)) av_dict_set_int(&options[i], "max_pixels", max_pixels, 0);
  std::vector<std::pair<int, int>> declared;
  for (const AVStream* stream : std::span(format_->streams, format_->nb_streams))
    declared.emplace_back(stream->codecpar->width, stream->codecpar->height);
  take_refused_size();
  const int status = avformat_find_stream_info(format_.get(), options.data());
  refused_ = take_refused_size();
  max_pixels_ = max_pixels;
  for (AVDictionary*& one : options) av_dict_free(&one);
  if (status < 0) throw Error(why_not(status));
  // Over the limit, FFmpeg sets the size that the header declares to zero.
  for (std::size_t i = 0; i < declared.size(); ++i) {
    AVCodecParameters& parameters = *format_->streams[i]->codecpar;
    if (parameters.width == 0 && parameters.height == 0) std::tie(parameters.width, parameters.height) = declared[i];
  }
}

int Demuxer::open_format() {
  using From = MediaInput::From;
  AVDictionary* left = nullptr;
  av_dict_copy(&left, input_.options.get(), 0);
  AVFormatContext* raw = avformat_alloc_context();
  if (!raw) throw std::bad_alloc();
  raw->interrupt_callback = {interrupted, &interrupt_};
  // A camera that stalls must not hold us.
  if (input_.from == From::device && input_.may_stall) raw->flags |= AVFMT_FLAG_NONBLOCK;
  if (input_.from == From::file || input_.from == From::pictures) raw->flags |= AVFMT_FLAG_GENPTS;
  const bool names_others = !input_.path.empty() || input_.from == From::pictures || input_.from == From::network;
  if (names_others) guard_.emplace(input_, trusted_).attach(*raw, left);
  if (input_.address == standard_input_address) {  // by ourselves: FFmpeg closes its own where it refuses the format
    AVIOContext* io = nullptr;
    const int status = avio_open2(&io, input_.address.c_str(), AVIO_FLAG_READ, &raw->interrupt_callback, nullptr);
    standard_input_.reset(io);
    raw->pb = io;
    if (status < 0) {
      avformat_free_context(raw);
      av_dict_free(&left);
      return status;
    }
  }
  set_deadline();
  const int status = avformat_open_input(&raw, input_.address.c_str(), input_.format, &left);
  av_dict_free(&left);
  if (status >= 0) format_.reset(raw);
  return status;
}

std::string Demuxer::why_not(int status) const {
  if (is_y4m(begin_) && status != AVERROR_EOF && status != AVERROR_EXIT && status != AVERROR(ENOMEM))
    return (standard_input_ ? "What comes on standard input" : "'" + name_ + "'") + std::string(" is y4m ") +
           why_not_y4m(begin_) + ". Make another one with ffmpeg -i FILE -pix_fmt yuv420p -f yuv4mpegpipe OUTPUT.";
  if (input_.why_not)
    if (const std::string sentence = input_.why_not(name_, status); !sentence.empty()) return sentence;
  if (is_playlist() && status == AVERROR_EXIT)
    return "The playlist '" + name_ + "' says nowhere that it ends (#EXT-X-ENDLIST), and nothing was added to it for " +
           std::to_string(answer_patience / 1000) + " seconds. Add that line if the playlist is complete.";
  if (live_ && status == AVERROR_EOF) return "'" + name_ + "' has ended or was cut off.";
  if (input_.from == MediaInput::From::network && stream_) {
    if (lacks_bytes()) return why_early(0);
    if (status == AVERROR(EIO) || status == AVERROR(ECONNRESET))
      return "'" + name_ + "' was cut off: the connection was lost. Check the network and the server.";
    if (status == AVERROR_INVALIDDATA)
      return "'" + name_ + "' cannot be read on: the connection was lost, or what comes is damaged. Check the server.";
  }
  // Its name and rights were looked at before: FFmpeg's demuxers give such codes for nonsense in a file or a pipe.
  const bool is_file = !input_.path.empty() || input_.address == standard_input_address;
  for (const int nonsense : {EPERM, EACCES, EBUSY, ENODEV, ENXIO, ENOENT})
    if (is_file && status == AVERROR(nonsense)) return why_not_readable(name_, AVERROR_INVALIDDATA);
  // Its code for a protocol that nothing within a script may use.
  if (input_.script && status == AVERROR(EINVAL)) return why_not_readable(name_, AVERROR_INVALIDDATA);
  if (status == AVERROR_INVALIDDATA && !input_.path.empty()) refuse_known_file(input_.path, name_);
  return why_not_readable(name_, status);
}

void Demuxer::refuse_without_picture() const {
  // FFmpeg has the width of what it refused filled up to 64 pixels: the stream's own is what it is, where it is known.
  if (refused_ && stream_->codecpar->width <= 0)
    check_picture_size(name_, refused_->width, refused_->height, max_pixels_);
  if (!input_.path.empty() && !still_file_ && !is_cut_off(input_.path)) refuse_known_file(input_.path, name_);
  throw Error("'" + name_ + "' has no picture that can be decoded. It is damaged or cut off; choose another file.");
}

std::string Demuxer::substitution(const SourceSettings& asked) const {
  if (input_.from != MediaInput::From::device) return "";
  const AVCodecParameters& got = *stream_->codecpar;
  const double rate = av_q2d(stream_->avg_frame_rate);
  const bool other_size = asked.width > 0 && (got.width != asked.width || got.height != asked.height);
  const bool other_rate = asked.rate > 0 && rate > 0 && std::abs(rate - asked.rate) > 0.01 * asked.rate;
  if (!other_size && !other_rate) return "";
  const auto mode_text = [](int width, int height, double frames) {
    char text[64];
    if (frames > 0)
      std::snprintf(text, sizeof text, "%d × %d at %.4g frames a second", width, height, frames);
    else
      std::snprintf(text, sizeof text, "%d × %d", width, height);
    return std::string(text);
  };
  const bool sized = asked.width > 0;
  return "'" + name_ + "' cannot give " +
         mode_text(sized ? asked.width : got.width, sized ? asked.height : got.height, asked.rate) + "; it gives " +
         mode_text(got.width, got.height, asked.rate > 0 ? rate : 0) + "." + input_.modes_are_listed;
}

int Demuxer::read(AVPacket& packet) {
  if (input_.images) return interrupt_.stop ? AVERROR_EXIT : input_.images->read(packet, stream_->index);
  if (still_file_) return interrupt_.stop ? AVERROR_EXIT : still_file_->read(packet, stream_->index);
  set_deadline();
  while (true) {
    const int status = read_file(packet);
    if (status == AVERROR(EAGAIN)) {
      if (interrupted(&interrupt_)) return AVERROR_EXIT;
      std::this_thread::sleep_for(std::chrono::milliseconds(2));
      continue;
    }
    // FFmpeg's codes for what does not begin as a frame does, and for no end of its line.
    if (counts_bytes_ && (status == AVERROR_INVALIDDATA || status == AVERROR(EPERM))) other_follows_ = true;
    if (status < 0) return status;
    if (counts_bytes_) whole_until_ = avio_tell(format_->pb);
    if (packet.stream_index == stream_->index) return 0;
    const AVStream& other = *format_->streams[packet.stream_index];  // one that has just appeared, maybe
    const bool sound = other.codecpar->codec_type == AVMEDIA_TYPE_AUDIO;
    if (sound_ != Sound::none && sound && other.discard != AVDISCARD_ALL) return 0;
    av_packet_unref(&packet);
    if (interrupt_.stop) return AVERROR_EXIT;
  }
}

bool Demuxer::animated_avif() const {
  const AVDictionaryEntry* const brand = av_dict_get(format_->metadata, "major_brand", nullptr, 0);
  return brand && std::string_view(brand->value) == "avis";
}

bool Demuxer::cut_off() const {
  if (counts_bytes_) return !other_follows_ && avio_tell(format_->pb) > whole_until_;
  return !input_.path.empty() && is_cut_off(input_.path);
}

std::string Demuxer::what_follows(std::int64_t frames, const std::string& are) const {
  return "'" + name_ + "' is damaged, or several y4m files were put one behind the other: after frame " +
         format_count(frames) + " something other than a frame follows. The frames before it " + are +
         ". To join files: ffmpeg -i ONE.y4m -i OTHER.y4m -filter_complex concat JOINED.y4m.";
}

bool Demuxer::seek(std::int64_t timestamp) {
  if (input_.images) {
    input_.images->go_to(timestamp);
    return true;
  }
  if (still_file_) {
    still_file_->go_to(timestamp);
    return true;
  }
  set_deadline();
  pictures_read_.reset();
  broken_off_ = 0;
  unfinished_ = false;
  gif_end_ = -1;
  last_read_ = AV_NOPTS_VALUE;
  return av_seek_frame(format_.get(), stream_->index, timestamp, AVSEEK_FLAG_BACKWARD) >= 0;
}

}  // namespace convoscope
