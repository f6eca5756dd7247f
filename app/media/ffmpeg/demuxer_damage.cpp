// Packets as they come from a file, and what shows that some of it is damaged where FFmpeg goes on without a word.
#include <fstream>
#include <string_view>
#include <utility>

#include "app/files/paths.h"
#include "app/media/ffmpeg/demuxer.h"
#include "app/media/ffmpeg/gif_packet.h"
#include "kernels/text/error.h"

namespace convoscope {

// An AVI's index names each of its pictures, also those whose chunks are not found; and changes of a palette. An AVIF
// says how long each of them is shown.
bool Demuxer::index_has_more() const {
  if (pictures_read_ && animated_avif()) return *pictures_read_ < stream_->nb_frames;
  const bool has_palette = stream_->codecpar->bits_per_coded_sample == 8;
  if (!pictures_read_ || has_palette || std::string_view(format_->iformat->name) != "avi") return false;
  int pictures = 0;
  for (int i = 0; i < avformat_index_get_entries_count(stream_); ++i)
    pictures += avformat_index_get_entry(stream_, i)->size > 0;
  return *pictures_read_ < pictures;
}

// Where a transport stream breaks off, something is missing, unless another one begins there, put behind it: then its
// times begin anew, and the decoder will say whether the last picture is whole. FFmpeg marks one of the last packets
// before it.
void Demuxer::note_break(const AVPacket& packet) {
  constexpr int longest_wait = 3;  // packets
  const bool anew = packet.dts != AV_NOPTS_VALUE && last_read_ != AV_NOPTS_VALUE && packet.dts < last_read_;
  if (broken_off_ > 0) {
    --broken_off_;
    if (!anew && broken_off_ == 0) damaged_ = true;
    if (anew) broken_off_ = 0;
  }
  if (packet.flags & AV_PKT_FLAG_CORRUPT) broken_off_ = longest_wait;
  last_read_ = packet.dts;
}

// One that ends early is the last where the file was cut off.
void Demuxer::note_gif(const AVPacket& packet) {
  const GifPacket is = look_at_gif({packet.data, static_cast<std::size_t>(packet.size)});
  if (std::exchange(unfinished_, is == GifPacket::unfinished) || is == GifPacket::damaged) damaged_ = true;
  gif_end_ = packet.pos >= 0 ? packet.pos + packet.size : -1;
}

// FFmpeg drops the last picture where it does not find its end.
bool Demuxer::gif_has_more() const {
  constexpr int trailer = 0x3B;
  if (gif_end_ < 0) return false;
  std::ifstream file(input_.path, std::ios::binary);
  file.seekg(gif_end_);
  const int next = file.get();
  return next != std::ifstream::traits_type::eof() && next != trailer;
}

std::string Demuxer::of_picture(std::int64_t number) const {
  if (!input_.images || number < 0 || number >= input_.images->size()) return "";
  return " of '" + printable(input_.images->paths()[static_cast<std::size_t>(number)]) + "'";
}

int Demuxer::read_file(AVPacket& packet) {
  const int told = demuxer_errors_told();
  const int status = av_read_frame(format_.get(), &packet);
  if (guard_ && !guard_->refusal().empty()) throw Error(guard_->refusal());
  if (input_.from != MediaInput::From::file) return status;
  if (demuxer_errors_told() != told) damaged_ = true;
  if (status == AVERROR_EOF && index_has_more()) damaged_ = true;
  if (status == AVERROR_EOF && std::exchange(broken_off_, 0) > 0) damaged_ = true;
  if (status == AVERROR_EOF && (std::exchange(unfinished_, false) || gif_has_more())) damaged_ = true;
  if (status < 0 || packet.stream_index != stream_->index) return status;
  note_break(packet);
  if (stream_->codecpar->codec_id == AV_CODEC_ID_GIF) note_gif(packet);
  if (pictures_read_) ++*pictures_read_;
  return status;
}

}  // namespace convoscope
