#include "app/media/ffmpeg/decoder.h"

#include <unistd.h>

#include <algorithm>

#include "app/files/picture_limit.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "app/media/ffmpeg/nvdec.h"
#include "app/media/ffmpeg/picture_colours.h"
#include "app/media/stills/exif.h"
#include "app/media/stills/still_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr int largest_block = 128;       // of AV1, in pixels on a side
constexpr int most_errors_at_end = 100;  // in a row; more than pictures are under way

// A decoder that can use NVDEC through a device context; the separate "_cuvid" decoders are not meant.
const AVCodec* find_nvdec(AVCodecID id) {
  void* position = nullptr;
  while (const AVCodec* codec = av_codec_iterate(&position)) {
    if (codec->id != id || !av_codec_is_decoder(codec) || std::string(codec->name).ends_with("_cuvid")) continue;
    for (int i = 0; const AVCodecHWConfig* config = avcodec_get_hw_config(codec, i); ++i)
      if (config->pix_fmt == AV_PIX_FMT_CUDA && config->methods & AV_CODEC_HW_CONFIG_METHOD_HW_DEVICE_CTX) return codec;
  }
  return nullptr;
}

// dav1d decodes codes that are damaged to some picture, unless it is asked to be strict, which FFmpeg 5.1 cannot do.
const AVCodec* find_software(AVCodecID id, bool checks_av1) {
  const AVCodec* const strict =
      checks_av1 && id == AV_CODEC_ID_AV1 ? avcodec_find_decoder_by_name("libaom-av1") : nullptr;
  return strict ? strict : avcodec_find_decoder(id);
}

// FFmpeg 5.1 does not read a PNG's eXIf: what is at the packet comes to the frame. Null where there is nothing to add.
Owned<AVPacket> turned_png(const AVPacket& packet) {
  const int orientation = png_orientation({packet.data, static_cast<std::size_t>(packet.size)});
  if (orientation == 1 || av_packet_get_side_data(&packet, AV_PKT_DATA_DISPLAYMATRIX, nullptr)) return {};
  Owned<AVPacket> turned(av_packet_clone(&packet));
  constexpr std::size_t matrix_bytes = 9 * sizeof(std::int32_t);
  std::uint8_t* const data =
      turned ? av_packet_new_side_data(turned.get(), AV_PKT_DATA_DISPLAYMATRIX, matrix_bytes) : nullptr;
  if (!data) throw std::bad_alloc();
  set_display_matrix(orientation, reinterpret_cast<std::int32_t*>(data));
  return turned;
}

// What packets of these hold is a file for the door to still pictures, wherever it comes from: FFmpeg 5.1 decodes tiles
// of TIFF to black, and calls abort() for a WebP that is damaged behind its picture.
bool holds_whole_stills(AVCodecID codec) {
  return codec == AV_CODEC_ID_TIFF || codec == AV_CODEC_ID_WEBP || codec == AV_CODEC_ID_EXR || codec == AV_CODEC_ID_PSD;
}

// Width and height, 12 bits each; nothing where the packet begins no sequence.
std::optional<std::uint32_t> size_of_sequence(const AVPacket& packet) {
  constexpr std::uint8_t header[] = {0, 0, 1, 0xB3};
  if (packet.size < 7 || !std::equal(header, header + 4, packet.data)) return {};
  return packet.data[4] << 16 | packet.data[5] << 8 | packet.data[6];
}

}  // namespace

void check_picture_size(const std::string& name, int width, int height, std::int64_t max_pixels) {
  const std::string size = std::to_string(width) + " × " + std::to_string(height);
  if (width < 0 || height < 0 || width > largest_side || height > largest_side)
    throw Error("'" + name + "' has pictures of " + size + " pixels; the largest that can be shown is " +
                std::to_string(largest_side) + " on a side. Scale it down first.");
  if (const std::int64_t pixels = std::int64_t{width} * height; pixels > max_pixels)
    throw Error("'" + name + "' has pictures of " + size + " pixels. The limit is " + format_count(max_pixels) +
                " pixels, so that no file takes all the memory; " + how_to_allow(pixels));
  const double needed = 16.0 * width * height;  // decoded, converted and waiting: at least this many bytes
  const double present = static_cast<double>(sysconf(_SC_PHYS_PAGES)) * static_cast<double>(sysconf(_SC_PAGESIZE));
  if (needed > present / 2)
    throw Error("'" + name + "' has pictures of " + size +
                " pixels, more than this machine's memory can hold. Scale it down first.");
}

bool is_damaged(const AVFrame& frame) { return frame.decode_error_flags != 0 || frame.flags & AV_FRAME_FLAG_CORRUPT; }

Decoder::Decoder(const AVStream& stream, const std::string& name, const Options& options)
    : source_(name), max_pixels_(options.max_pixels), pool_(options.pool), why_software_(options.without_nvdec) {
  const AVCodecParameters& parameters = *stream.codecpar;
  check_picture_size(name, parameters.width, parameters.height, max_pixels_);
  if (is_still_stream(stream) || holds_whole_stills(parameters.codec_id)) {
    still_ = std::make_unique<StillDecoder>(name, max_pixels_, options.interrupt);
    return;
  }
  const AVCodec* codec = nullptr;
  if (options.nvdec) {
    codec = find_nvdec(parameters.codec_id);
    if (codec)
      device_ = make_cuda_device(options.device, why_software_);
    else
      why_software_ = "no NVDEC for " + std::string(avcodec_get_name(parameters.codec_id));
  }
  if (!device_) codec = find_software(parameters.codec_id, options.checks_av1);
  if (!codec)
    throw Error("'" + name + "' is encoded as " + avcodec_get_name(parameters.codec_id) +
                ", which the FFmpeg on this machine cannot decode. Convert it, for example to H.264.");

  context_.reset(avcodec_alloc_context3(codec));
  if (!context_) throw std::bad_alloc();
  int status = avcodec_parameters_to_context(context_.get(), &parameters);
  if (status < 0) throw Error(why_not_readable(name, status));
  context_->opaque = static_cast<HearsErrors*>(this);
  lost_.begin(parameters.codec_id);
  context_->pkt_timebase = stream.time_base;
  context_->flags |= AV_CODEC_FLAG_UNALIGNED;  // else what is cut off on the left is cut to 32 bytes or so
  context_->max_pixels = static_cast<std::int64_t>(largest_side) * largest_side;
  if (device_) {
    context_->hw_device_ctx = av_buffer_ref(device_.get());
    context_->extra_hw_frames = options.frames_in_flight;
    context_->get_format = choose_format;
    context_->thread_count = 1;
  } else {
    context_->thread_count = ffmpeg_threads(16);
    context_->thread_type = options.low_delay ? FF_THREAD_SLICE : FF_THREAD_FRAME | FF_THREAD_SLICE;
    context_->get_buffer2 = give_buffer;
#if LIBAVCODEC_VERSION_MAJOR < 60
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wdeprecated-declarations"
    context_->thread_safe_callbacks = 1;
#pragma GCC diagnostic pop
#endif
  }
  if (options.low_delay) context_->flags |= AV_CODEC_FLAG_LOW_DELAY;
  status = avcodec_open2(context_.get(), codec, nullptr);
  check_threads(status);
  if (status < 0)
    throw Error("'" + name + "' cannot be decoded as " + avcodec_get_name(parameters.codec_id) + ": " +
                ffmpeg_text(status) + ". Choose another file.");
}

Decoder& Decoder::of(const AVCodecContext& context) {
  return static_cast<Decoder&>(*static_cast<HearsErrors*>(context.opaque));
}

AVPixelFormat Decoder::choose_format(AVCodecContext* context, const AVPixelFormat* offered) {
  const AVPixelFormat* format = offered;
  // Colours without a matrix are made of planes in host memory.
  const bool solved = !has_matrix(number_of(context->colorspace));
  for (; *format != AV_PIX_FMT_NONE; ++format)
    if (*format == AV_PIX_FMT_CUDA && !solved) return *format;
  // FFmpeg asks again without CUDA when NVDEC has refused the profile, the size or the chroma.
  of(*context).refused_ = true;
  return avcodec_default_get_format(context, offered);
}

int Decoder::give_buffer(AVCodecContext* context, AVFrame* frame, int flags) {
  Decoder& self = of(*context);
  // Filled up to whole blocks, a picture is still one of the size that is shown.
  const auto meant = [](int coded, int shown) { return coded - shown < largest_block ? shown : coded; };
  const int wide = meant(frame->width, context->width), high = meant(frame->height, context->height);
  if (std::int64_t{wide} * high > self.max_pixels_) {
    self.too_large_ = std::int64_t{wide} << 32 | high;
    return AVERROR(EINVAL);
  }
  const auto format = static_cast<AVPixelFormat>(frame->format);
  const AVPixFmtDescriptor* kind = av_pix_fmt_desc_get(format);
  if (!self.pool_ || !kind || kind->flags & (AV_PIX_FMT_FLAG_HWACCEL | AV_PIX_FMT_FLAG_PAL) ||
      !(context->codec->capabilities & AV_CODEC_CAP_DR1)) {
    const int status = avcodec_default_get_buffer2(context, frame, flags);
    if (status == AVERROR(ENOMEM)) self.out_of_memory_ = true;
    return status;
  }
  int width = frame->width, height = frame->height, alignment[AV_NUM_DATA_POINTERS];
  avcodec_align_dimensions2(context, &width, &height, alignment);
  width = (width + 127) / 128 * 128;  // rows start aligned to 64 bytes, subsampled ones too
  int linesize[4];
  ptrdiff_t linesizes[4];
  std::size_t sizes[4];
  int status = av_image_fill_linesizes(linesize, format, width);
  std::copy_n(linesize, 4, linesizes);
  if (status >= 0) status = av_image_fill_plane_sizes(sizes, format, height, linesizes);
  if (status < 0) return status;
  constexpr std::size_t slack = 128;  // decoders read and write a little beyond a plane
  std::size_t total = 0;
  for (const std::size_t size : sizes) total += size ? (size + slack + 63) / 64 * 64 : 0;
  try {
    frame->buf[0] = make_buffer(self.pool_->take_block(total), total);
    std::uint8_t* memory = frame->buf[0]->data;
    for (int plane = 0; plane < 4; ++plane) {
      frame->data[plane] = sizes[plane] ? memory : nullptr;
      frame->linesize[plane] = sizes[plane] ? linesize[plane] : 0;
      memory += sizes[plane] ? (sizes[plane] + slack + 63) / 64 * 64 : 0;
    }
    frame->extended_data = frame->data;
    return 0;
  } catch (...) {  // must not travel through FFmpeg's C
    self.out_of_memory_ = true;
    return AVERROR(ENOMEM);
  }
}

void Decoder::check_buffers() const {
  if (const std::int64_t size = too_large_)
    check_picture_size(source_, static_cast<int>(size >> 32), static_cast<int>(size & 0x7fffffff), max_pixels_);
  if (out_of_memory_) throw Error(why_not_readable(source_, AVERROR(ENOMEM)));
}

// FFmpeg's decoder of MPEG-2 throws away the picture that it holds back where another size begins, as it does where
// streams were joined.
bool Decoder::begins_other_size(const AVPacket& packet) {
  if (context_->codec_id != AV_CODEC_ID_MPEG1VIDEO && context_->codec_id != AV_CODEC_ID_MPEG2VIDEO) return false;
  const std::optional<std::uint32_t> size = size_of_sequence(packet);
  return size && std::exchange(sequence_size_, size).value_or(*size) != *size;
}

int Decoder::send(const AVPacket* packet) {
  if (still_) return still_->send(packet);
  if (!packet || !begins_other_size(*packet)) return send_on(packet);
  held_.reset(av_packet_clone(packet));
  if (!held_) throw std::bad_alloc();
  return avcodec_send_packet(context_.get(), nullptr);
}

// All that came before is out.
int Decoder::go_on_with_held() {
  const Owned<AVPacket> packet = std::move(held_);
  avcodec_flush_buffers(context_.get());
  return send_on(packet.get());
}

int Decoder::send_on(const AVPacket* packet) {
  const bool png = packet && packet->size > 0 && context_->codec_id == AV_CODEC_ID_PNG;
  const Owned<AVPacket> turned = png ? turned_png(*packet) : nullptr;
  if (turned) packet = turned.get();
  if (packet)
    set_packet_number(*context_, lost_.sent(*packet));
  else
    draining_ = true;
  const int status = avcodec_send_packet(context_.get(), packet);
  if (status < 0) check_buffers();
  if (status < 0 && status != AVERROR(EAGAIN) && status != AVERROR_EOF) lost_.failed(decodes_ahead());
  return status;
}

bool Decoder::decodes_ahead() const { return context_->active_thread_type & FF_THREAD_FRAME; }

int Decoder::receive(AVFrame& frame) {
  if (still_) return still_->receive(frame);
  int status = avcodec_receive_frame(context_.get(), &frame);
  if (status < 0) check_buffers();
  if (status < 0 && held_) {
    if (status != AVERROR_EOF) lost_.failed(decodes_ahead());
    status = go_on_with_held();
    if (status == 0) status = avcodec_receive_frame(context_.get(), &frame);
  }
  if (status == 0) {
    lacks_ |= lost_.lacks(frame);
    errors_at_end_ = 0;
  } else if (status == AVERROR_EOF) {
    lacks_ |= lost_.lacks_at_end();
  } else if (status != AVERROR(EAGAIN)) {
    lost_.failed(decodes_ahead());
    if (draining_ && ++errors_at_end_ > most_errors_at_end) {
      lacks_ |= lost_.lacks_at_end();
      return AVERROR_EOF;
    }
  }
  if (status == 0 && frame.format == AV_PIX_FMT_CUDA && !wait_for_cuda_device(device_.get())) {
    av_frame_unref(&frame);
    return AVERROR_EXTERNAL;
  }
  return status;
}

void Decoder::flush() {
  if (still_) return still_->flush();
  avcodec_flush_buffers(context_.get());
  held_.reset();
  lost_.forget();
  lacks_ = draining_ = false;
  errors_at_end_ = 0;
}

std::string Decoder::name() const {
  if (device_ && !refused_) return "NVDEC";
  if (still_) return "software, 1 thread";
  const int threads = context_->thread_count;
  return "software, " + std::to_string(threads) + (threads == 1 ? " thread" : " threads") +
         (why_software_.empty() ? "" : " (" + why_software_ + ")");
}

}  // namespace convoscope
