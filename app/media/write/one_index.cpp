#include "app/media/write/one_index.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <functional>
#include <memory>
#include <new>
#include <optional>
#include <utility>

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "kernels/files/descriptor.h"
#include "kernels/files/part_mark.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

constexpr std::int64_t least_box = 8;  // bytes; what is reserved for the index beyond it is filled by an empty box

constexpr std::size_t longest_name_part = 200;  // bytes; file systems take 255

// A file beside another, without a name where the file system has such: a killed program leaves nothing of it. With a
// name it bears the mark of a part, so that the next run removes what a killed one has left.
class SecondDraft {
 public:
  explicit SecondDraft(const std::string& beside)
      : folder_(fs::absolute(beside).parent_path()),
        start_("." + fs::path(beside).filename().string().substr(0, longest_name_part)),
        file_(std::in_place, ::open(folder_.c_str(), O_TMPFILE | O_RDWR | O_CLOEXEC, 0666)) {}
  SecondDraft(const SecondDraft&) = delete;
  SecondDraft& operator=(const SecondDraft&) = delete;
  ~SecondDraft() {
    if (!name_.empty()) ::unlink(name_.c_str());
  }

  // What to open and write; empty: nothing can be made there, and errno says why.
  std::string path() {
    if (file_->get() >= 0) return name_.empty() ? link_to_itself() : name_;
    const bool made = take_name([this](const std::string& name) {
      file_.emplace(::open(name.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666));
      return file_->get() >= 0;
    });
    if (made) begin_part(*file_);
    return name_;
  }
  bool take_place_in(OutputFile& output) {
    if (name_.empty()) {
      if (::fsync(file_->get()) != 0) return false;  // which takes its time, while it has no name yet
      begin_part(*file_);
      const std::string itself = link_to_itself();
      if (!take_name([&](const std::string& name) {
            return ::linkat(AT_FDCWD, itself.c_str(), AT_FDCWD, name.c_str(), AT_SYMLINK_FOLLOW) == 0;
          }))
        return false;
    }
    if (!output.take_in(std::move(*file_), name_)) return false;
    name_.clear();
    return true;
  }

 private:
  std::string link_to_itself() const { return "/proc/self/fd/" + std::to_string(file_->get()); }
  // The same in each run, or one of its own where somebody else's file has that.
  bool take_name(const std::function<bool(const std::string&)>& make) {
    for (const std::string& own : {std::string(), "." + std::to_string(::getpid())}) {
      const std::string name = (folder_ / (start_ + own + ".new")).string();
      remove_left_part(name);
      if (make(name)) {
        name_ = name;
        return true;
      }
      if (errno != EEXIST) break;
    }
    return false;
  }

  const fs::path folder_;
  const std::string start_;
  std::optional<Descriptor> file_;  // below 0: the file system has only files with names
  std::string name_;                // empty: it has none
};

// Takes bytes as a file does, and keeps none of them.
struct Measure {
  std::int64_t at = 0, size = 0;

  static int write(void* self, std::uint8_t*, int bytes) {
    auto& measure = *static_cast<Measure*>(self);
    measure.at += bytes;
    measure.size = std::max(measure.size, measure.at);
    return bytes;
  }
  static std::int64_t seek(void* self, std::int64_t offset, int whence) {
    auto& measure = *static_cast<Measure*>(self);
    if (whence == AVSEEK_SIZE) return measure.size;
    measure.at = offset + (whence == SEEK_CUR ? measure.at : whence == SEEK_END ? measure.size : 0);
    return measure.at;
  }
};

struct PiecesDeleter {
  void operator()(AVFormatContext* p) const { avformat_close_input(&p); }
};
struct WholeDeleter {
  void operator()(AVFormatContext* p) const { avformat_free_context(p); }
};
struct MeasuredDeleter {
  void operator()(AVIOContext* p) const {
    av_freep(&p->buffer);
    avio_context_free(&p);
  }
};

// Copies all packets of the file. What writes them is told of each stream as `as` was.
class Copier {
 public:
  Copier(const std::string& pieces, const AVFormatContext& as, const std::vector<WrittenPackets>& written,
         std::int64_t left_out)
      : pieces_("file:" + pieces), as_(as), written_(written), missing_(-left_out) {
    for (const WrittenPackets& one : written) missing_ += one.count;
  }

  // FFmpeg's status, here and below: of a copy that is thrown away, to learn how long the index is.
  int measure() {
    Measure measure;
    constexpr int buffer_bytes = 1 << 16;
    auto* buffer = static_cast<unsigned char*>(av_malloc(buffer_bytes));
    const std::unique_ptr<AVIOContext, MeasuredDeleter> to(
        buffer ? avio_alloc_context(buffer, buffer_bytes, 1, &measure, nullptr, Measure::write, Measure::seek)
               : nullptr);
    if (!to) throw std::bad_alloc();
    const int status = copy(to.get(), 0);
    const std::int64_t begin = index_at_;
    const std::int64_t index = measure.size - begin;
    index_bytes_ = index + least_box;
    // Moved by the index, some pictures may be where only longer numbers reach.
    if (measure.size + index_bytes_ > UINT32_MAX) index_bytes_ += index;
    return status;
  }

  int write(const std::string& path) {  // after measure()
    AVIOContext* to = nullptr;
    int status = avio_open(&to, ("file:" + path).c_str(), AVIO_FLAG_WRITE);
    if (status < 0) return status;
    status = copy(to, index_bytes_);
    avio_flush(to);
    if (status >= 0) status = to->error;
    const int closing = avio_closep(&to);
    return status < 0 ? status : closing;
  }

 private:
  int copy(AVIOContext* to, std::int64_t index_bytes) {
    if (const int status = open_input(); status < 0) return status;
    if (const int status = open_output(to, index_bytes); status < 0) return status;
    // A packet is written when the next one of its stream has come, so that the last one is known.
    struct Waiting {
      Owned<AVPacket> packet;
      std::int64_t time = 0, step = 0;  // since the packet before
    };
    std::vector<Waiting> waiting(as_.nb_streams);
    std::int64_t missing = missing_;
    const Owned<AVPacket> packet = make_packet();
    int status = 0;
    while ((status = av_read_frame(input_.get(), packet.get())) >= 0) {
      const std::size_t index = stream_of(*packet);
      if (index >= waiting.size()) return AVERROR_INVALIDDATA;
      --missing;
      prepare(*packet, index);
      Waiting& last_one = waiting[index];
      if (last_one.packet) {
        if (status = av_interleaved_write_frame(output_.get(), last_one.packet.get()); status < 0) return status;
        last_one.step = packet->dts - last_one.time;
      } else {
        last_one.packet = make_packet();
      }
      last_one.time = packet->dts;
      av_packet_move_ref(last_one.packet.get(), packet.get());
    }
    if (status != AVERROR_EOF || missing != 0) return status == AVERROR_EOF ? AVERROR_INVALIDDATA : status;
    for (std::size_t i = 0; i < waiting.size(); ++i) {
      AVPacket* const last = waiting[i].packet.get();
      if (!last) continue;
      const std::int64_t lasts = written_[i].last_duration;
      last->duration = lasts > 0 ? av_rescale_q(lasts, as_.streams[i]->time_base, unit(i)) : waiting[i].step;
      if (status = av_interleaved_write_frame(output_.get(), last); status < 0) return status;
    }
    if (status = av_interleaved_write_frame(output_.get(), nullptr); status < 0) return status;
    index_at_ = avio_tell(to);
    return av_write_trailer(output_.get());
  }

  int open_input() {
    input_.reset();
    AVFormatContext* raw = avformat_alloc_context();
    if (!raw) throw std::bad_alloc();
    raw->flags |= AVFMT_FLAG_NOPARSE;
    AVDictionary* options = nullptr;
    // Times as they were written: what is to be cut away is the player's affair.
    av_dict_set(&options, "advanced_editlist", "0", 0);
    const int status = avformat_open_input(&raw, pieces_.c_str(), av_find_input_format("mov"), &options);
    av_dict_free(&options);
    input_.reset(raw);
    return status;
  }

  int open_output(AVIOContext* to, std::int64_t index_bytes) {
    AVFormatContext* raw = nullptr;
    if (const int status = avformat_alloc_output_context2(&raw, as_.oformat, nullptr, nullptr); status < 0)
      return status;
    output_.reset(raw);
    raw->pb = to;
    raw->flags |= AVFMT_FLAG_CUSTOM_IO;
    raw->strict_std_compliance = as_.strict_std_compliance;
    raw->avoid_negative_ts = AVFMT_AVOID_NEG_TS_DISABLED;
    av_dict_copy(&raw->metadata, as_.metadata, 0);
    for (unsigned i = 0; i < as_.nb_streams; ++i)
      if (const int status = add_stream(*as_.streams[i], i); status < 0) return status;
    AVDictionary* options = nullptr;
    av_dict_set(&options, "movflags", "+use_metadata_tags", 0);
    if (index_bytes > 0) av_dict_set_int(&options, "moov_size", index_bytes, 0);
    av_dict_set_int(&options, "movie_timescale", movie_timescale, 0);
    const int status = avformat_write_header(raw, &options);
    av_dict_free(&options);
    return status;
  }

  int add_stream(const AVStream& as, unsigned index) {
    AVStream* stream = avformat_new_stream(output_.get(), nullptr);
    if (!stream) throw std::bad_alloc();
    const AVStream* from = nullptr;
    for (unsigned i = 0; i < input_->nb_streams; ++i)
      if (stream_of(*input_->streams[i]) == index) from = input_->streams[i];
    if (const int status = avcodec_parameters_copy(stream->codecpar, as.codecpar); status < 0) return status;
    // The codec's own header as it is in the file: by its form the writer knows in which form the packets come.
    if (from && from->codecpar->extradata_size > 0) take_header(*from->codecpar, *stream->codecpar);
    stream->time_base = as.time_base;
    stream->avg_frame_rate = as.avg_frame_rate;
    stream->sample_aspect_ratio = as.sample_aspect_ratio;
    stream->disposition = as.disposition;
    return av_dict_copy(&stream->metadata, as.metadata, 0);
  }

  static void take_header(const AVCodecParameters& from, AVCodecParameters& to) {
    const auto bytes = static_cast<std::size_t>(from.extradata_size);
    auto* const header = static_cast<std::uint8_t*>(av_mallocz(bytes + AV_INPUT_BUFFER_PADDING_SIZE));
    if (!header) throw std::bad_alloc();
    std::memcpy(header, from.extradata, bytes);
    av_freep(&to.extradata);
    to.extradata = header;
    to.extradata_size = from.extradata_size;
  }

  // Tracks are numbered from 1, in the order of the streams.
  static std::size_t stream_of(const AVStream& stream) { return static_cast<std::size_t>(stream.id) - 1; }
  std::size_t stream_of(const AVPacket& packet) const { return stream_of(*input_->streams[packet.stream_index]); }
  AVRational unit(std::size_t index) const { return output_->streams[index]->time_base; }

  // Of its side data none comes but what is to be skipped, which the index will say again.
  void prepare(AVPacket& packet, std::size_t index) const {
    av_packet_rescale_ts(&packet, input_->streams[packet.stream_index]->time_base, unit(index));
    packet.stream_index = static_cast<int>(index);
    packet.pos = -1;
    packet.flags &= ~AV_PKT_FLAG_DISCARD;
    av_packet_free_side_data(&packet);
  }

  const std::string pieces_;
  const AVFormatContext& as_;
  const std::vector<WrittenPackets> written_;
  std::int64_t missing_;
  std::unique_ptr<AVFormatContext, PiecesDeleter> input_;
  std::unique_ptr<AVFormatContext, WholeDeleter> output_;
  std::int64_t index_at_ = 0, index_bytes_ = 0;
};

// Not to the last byte: other programs need some, too.
bool has_room_for_another(const std::string& path) {
  struct stat status {};
  struct statvfs disk {};
  if (::stat(path.c_str(), &status) != 0 || ::statvfs(path.c_str(), &disk) != 0) return true;  // then writing will tell
  const auto free = static_cast<double>(disk.f_bavail) * static_cast<double>(disk.f_frsize);
  return free > 1.1 * static_cast<double>(status.st_size);
}

}  // namespace

std::string give_one_index(OutputFile& file, const AVFormatContext& as, const std::vector<WrittenPackets>& written,
                           std::int64_t left_out) {
  const std::string stays = "; its index stays in pieces, so that some programs misjudge its length: ";
  if (!has_room_for_another(file.draft())) return stays + "there is no room for a copy with one index";
  SecondDraft second(file.draft());
  const std::string path = second.path();
  if (path.empty()) return stays + "its folder takes no new file";
  int status = 0;
  try {
    Copier copier(file.draft(), as, written, left_out);
    status = copier.measure();
    if (status >= 0) status = copier.write(path);
  } catch (const std::bad_alloc&) {
    status = AVERROR(ENOMEM);
  }
  if (status < 0) return stays + "a copy with one index cannot be written (" + ffmpeg_text(status) + ")";
  return second.take_place_in(file) ? "" : stays + "a copy with one index cannot take its name";
}

}  // namespace convoscope
