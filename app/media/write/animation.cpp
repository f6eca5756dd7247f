#include "app/media/write/animation.h"

#include <cmath>
#include <cstdio>
#include <cstring>

extern "C" {
#include <libavfilter/buffersink.h>
#include <libavfilter/buffersrc.h>
}

#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/filter_graph.h"
#include "app/media/write/file_output.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr AVRational gif_tick{1, 100}, webp_tick{1, 1000};

struct OutputDeleter {
  void operator()(AVFormatContext* p) const {
    if (p->pb) avio_closep(&p->pb);
    avformat_free_context(p);
  }
};

class AnimationFile {
 public:
  AnimationFile(const std::string& path, int width, int height)
      : path_(path), gif_(!ends_in(path, "webp")), file_(path, OutputFile::Use::whole_or_nothing) {
    prepare_ffmpeg();
    const char* name = gif_ ? "gif" : "libwebp_anim";
    const AVCodec* codec = avcodec_find_encoder_by_name(name);
    if (!codec)
      throw Error(std::string("The FFmpeg on this machine cannot write ") + (gif_ ? "GIF" : "WebP") + " (it has no '" +
                  name + "'). Choose " + (gif_ ? "WebP." : "GIF."));
    encoder_.reset(avcodec_alloc_context3(codec));
    if (!encoder_) throw std::bad_alloc();
    encoder_->width = width;
    encoder_->height = height;
    encoder_->time_base = gif_ ? gif_tick : webp_tick;
    encoder_->pix_fmt = gif_ ? AV_PIX_FMT_PAL8 : AV_PIX_FMT_BGRA;
    AVFormatContext* raw = nullptr;
    check(avformat_alloc_output_context2(&raw, nullptr, gif_ ? "gif" : "webp", path.c_str()));
    output_.reset(raw);
    if (raw->oformat->flags & AVFMT_GLOBALHEADER) encoder_->flags |= AV_CODEC_FLAG_GLOBAL_HEADER;
    AVDictionary* options = nullptr;
    if (!gif_) av_dict_set(&options, "quality", "80", 0), av_dict_set(&options, "compression_level", "3", 0);
    const int opened = avcodec_open2(encoder_.get(), codec, &options);
    av_dict_free(&options);
    check(opened);
    stream_ = avformat_new_stream(raw, nullptr);
    if (!stream_) throw std::bad_alloc();
    check(avcodec_parameters_from_context(stream_->codecpar, encoder_.get()));
    stream_->time_base = encoder_->time_base;
    check(avio_open(&raw->pb, ("file:" + file_.draft()).c_str(), AVIO_FLAG_WRITE));
    av_dict_set(&options, "loop", "0", 0);
    const int begun = avformat_write_header(raw, &options);
    av_dict_free(&options);
    check(begun);
  }

  AVRational tick() const { return encoder_->time_base; }
  bool gif() const { return gif_; }

  void add(AVFrame* frame) {  // null: no more
    check(avcodec_send_frame(encoder_.get(), frame));
    while (true) {
      const int status = avcodec_receive_packet(encoder_.get(), packet_.get());
      if (status == AVERROR(EAGAIN) || status == AVERROR_EOF) return;
      check(status);
      av_packet_rescale_ts(packet_.get(), encoder_->time_base, stream_->time_base);
      check(av_interleaved_write_frame(output_.get(), packet_.get()));
    }
  }
  void finish() {
    add(nullptr);
    check(av_write_trailer(output_.get()));
    avio_flush(output_->pb);
    check(output_->pb->error);
    check(avio_closep(&output_->pb));
    file_.keep();
  }

  void check(int status) const {
    if (status >= 0) return;
    throw Error("The animation '" + path_ + "' cannot be written: " + ffmpeg_text(status) + ". " +
                what_to_do_about(AVUNERROR(status)));
  }

 private:
  const std::string path_;
  const bool gif_;
  OutputFile file_;
  Owned<AVCodecContext> encoder_;
  std::unique_ptr<AVFormatContext, OutputDeleter> output_;
  AVStream* stream_ = nullptr;
  Owned<AVPacket> packet_ = make_packet();
};

Owned<AVFrame> frame_of(const Animation& animation, const AnimationFrame& from, AVRational tick) {
  Owned<AVFrame> frame = make_picture(animation.width, animation.height, AV_PIX_FMT_BGRA);
  const auto row = static_cast<std::size_t>(animation.width) * 4;
  for (int y = 0; y < animation.height; ++y)
    std::memcpy(frame->data[0] + static_cast<std::ptrdiff_t>(y) * frame->linesize[0],
                from.bgra.data() + static_cast<std::size_t>(y) * row, row);
  frame->pts = std::llround((from.seconds - animation.frames.front().seconds) / av_q2d(tick));
  return frame;
}

// One palette of 256 colours for all pictures, found first, then used with an ordered dither that does not flicker.
void write_with_palette(const Animation& animation, AnimationFile& file) {
  char format[160];
  std::snprintf(format, sizeof format, "video_size=%dx%d:pix_fmt=%d:time_base=%d/%d:pixel_aspect=1/1", animation.width,
                animation.height, AV_PIX_FMT_BGRA, file.tick().num, file.tick().den);
  const FilterGraph graph(FilterGraph::Of::pictures, format,
                          "[in]split[a][b];[a]palettegen=stats_mode=full[palette];"
                          "[b][palette]paletteuse=dither=bayer:bayer_scale=3[out]",
                          [&](int status) { file.check(status); });
  for (const AnimationFrame& frame : animation.frames)
    file.check(av_buffersrc_add_frame(graph.source(), frame_of(animation, frame, file.tick()).get()));
  file.check(av_buffersrc_add_frame(graph.source(), nullptr));
  const Owned<AVFrame> coloured = make_frame();
  while (true) {
    const int status = av_buffersink_get_frame(graph.sink(), coloured.get());
    if (status == AVERROR_EOF || status == AVERROR(EAGAIN)) return;
    file.check(status);
    file.add(coloured.get());
    av_frame_unref(coloured.get());
  }
}

}  // namespace

void write_animation(const std::string& path, const Animation& animation) {
  if (animation.frames.empty()) throw Error("There are no pictures for an animation yet.");
  AnimationFile file(path, animation.width, animation.height);
  if (file.gif()) {
    write_with_palette(animation, file);
  } else {
    for (const AnimationFrame& frame : animation.frames) file.add(frame_of(animation, frame, file.tick()).get());
  }
  file.finish();
}

}  // namespace convoscope
