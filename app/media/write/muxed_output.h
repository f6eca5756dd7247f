#pragma once
// A container with one stream of pictures, encoded here, and streams of sound, copied.
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

extern "C" {
#include <libavcodec/bsf.h>
}

#include "app/media/write/closed_jumps.h"
#include "app/media/write/encoder.h"
#include "app/media/write/file_output.h"
#include "app/media/write/one_index.h"
#include "kernels/files/output_file.h"

namespace convoscope {

class MuxedOutput : public FileOutput {
 public:
  enum class Header {
    with_first_piece,  // a whole file: only then the offsets of the streams are known
    at_once,           // a recording: playable from its first second on
  };
  // .mp4, .mov and .mkv. Rate 0: it varies, or is not known. Throws Error: no encoder, the container cannot hold the
  // sound, the file cannot be made.
  MuxedOutput(const RecordingSettings&, const std::vector<CopiedSound>&, AVRational rate, Header);
  ~MuxedOutput() override;

  void add(const Image& rgba, std::int64_t time, std::int64_t duration) override;
  void add_planes(std::shared_ptr<void> block, const YuvLayout&, std::int64_t time, std::int64_t duration) override;
  // In the encoder's size and format; its pts counts the settings' ticks. References to its buffers may be kept.
  void add(AVFrame&, std::int64_t duration);
  void add_sound(AVPacket&) override;
  void flush();  // all pictures that the encoder still holds, written; none may be added after it
  void last_lasts(std::int64_t duration);  // the picture added last, where the encoder still holds it; before flush()
  // A whole .mp4 or .mov gets one index, which takes a while, see give_one_index(). One that is not stays in pieces.
  bool finish(bool whole) override;
  void discard();  // instead of finish(true): there is to be no such file
  void check_is_there() const override { file_.check_is_there(); }
  std::string where_left() const override { return file_.where_left(); }
  std::string encoder() const override { return encoder_.text; }
  std::int64_t damaged_sound() const override { return damaged_sound_; }
  std::string note() const override;

  const AVCodecContext& codec() const { return *encoder_.context; }
  std::int64_t pictures_written() const { return pictures_written_; }
  bool is_there() const { return file_.is_there(); }  // what has been written, where it was

 private:
  struct BsfDeleter {
    void operator()(AVBSFContext* p) const { av_bsf_free(&p); }
  };
  struct OutputDeleter {
    void operator()(AVFormatContext* p) const {
      if (p->pb) avio_closep(&p->pb);
      avformat_free_context(p);
    }
  };
  struct Sound {
    AVStream* stream = nullptr;
    AVRational time_base{};  // of the input's stream
    std::int64_t delay = 0;  // by which its packets are moved, in its units
    std::optional<std::int64_t> last;
    std::unique_ptr<AVBSFContext, BsfDeleter> unframe;
  };

  static std::unique_ptr<AVBSFContext, BsfDeleter> unframe(const AVStream&);
  void open_container(const std::vector<CopiedSound>&);
  void add_streams(const std::vector<CopiedSound>&, AVRational rate);
  void open_file(Header);
  void close();  // what was written plays from now on; throws Error
  bool place_before_0(AVPacket&) const;
  void write_sound(Sound&, AVPacket&);
  void write_pictures();
  void write(AVPacket*);  // null: what waits for its turn
  void check(int status);
  bool leave_out(int status);

  const RecordingSettings settings_;
  const bool matroska_;
  OutputFile file_;
  std::unique_ptr<AVFormatContext, OutputDeleter> output_;
  ChosenEncoder encoder_;
  Owned<AVPacket> packet_;
  Owned<AVFrame> rgba_, frame_;  // made for the first rgba picture, like the scaler
  Owned<SwsContext> scaler_;
  AVStream* picture_ = nullptr;
  std::map<int, Sound> sound_;  // by the input's stream
  ClosedJumps jumps_;
  std::deque<std::int64_t> durations_;
  std::vector<WrittenPackets> written_;  // by the output's stream
  std::string stays_in_pieces_;          // why, the end of a sentence
  std::int64_t pictures_written_ = 0, damaged_sound_ = 0;
  bool knows_no_time_before_0_ = false;
  bool plays_ = true;  // what is there after a failure, were there pictures
  int failed_ = 0;
  bool flushed_ = false, closed_ = false;
  bool finished_ = false;  // whoever wrote has said what becomes of the file
};

}  // namespace convoscope
