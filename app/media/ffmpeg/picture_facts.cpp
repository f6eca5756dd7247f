#include "app/media/ffmpeg/picture_facts.h"

#include <cmath>

namespace convoscope {
namespace {

const std::int32_t* display_matrix(const AVStream& stream) {
  const std::uint8_t* matrix = nullptr;
#if LIBAVCODEC_VERSION_INT >= AV_VERSION_INT(60, 31, 102)
  if (const AVPacketSideData* data = av_packet_side_data_get(
          stream.codecpar->coded_side_data, stream.codecpar->nb_coded_side_data, AV_PKT_DATA_DISPLAYMATRIX))
    matrix = data->data;
#else
  matrix = av_stream_get_side_data(&stream, AV_PKT_DATA_DISPLAYMATRIX, nullptr);
#endif
  return reinterpret_cast<const std::int32_t*>(matrix);
}

SampleDepth depth_of(int format, int transfer) {
  SampleDepth depth;
  if (const AVPixFmtDescriptor* const kind = av_pix_fmt_desc_get(static_cast<AVPixelFormat>(format))) {
    // An index into a palette is no sample of a colour, and those have 8 bits.
    depth.bits = kind->flags & AV_PIX_FMT_FLAG_PAL ? 8 : kind->comp[0].depth;
    depth.is_float = kind->flags & AV_PIX_FMT_FLAG_FLOAT;
  }
  if (transfer == AVCOL_TRC_SMPTE2084) depth.range = DynamicRange::pq;
  if (transfer == AVCOL_TRC_ARIB_STD_B67) depth.range = DynamicRange::hlg;
  return depth;
}

}  // namespace

Orientation orientation_of(const std::int32_t* matrix) {
  // (x, y) is shown at (a x + c y, b x + d y); y grows downwards.
  const double a = matrix[0], b = matrix[1], c = matrix[3], d = matrix[4];
  if (a * d == b * c) return {};
  Orientation out;
  // Without what it scales by, so that a turn of less than 45 degrees is none.
  out.exchanges_sides = std::abs(b) / std::hypot(a, b) + std::abs(c) / std::hypot(c, d) >
                        std::abs(a) / std::hypot(a, b) + std::abs(d) / std::hypot(c, d);
  out.mirrors_x = (out.exchanges_sides ? b : a) < 0;
  out.mirrors_y = (out.exchanges_sides ? c : d) < 0;
  return out;
}

PictureFacts facts_of(const AVStream& stream) {
  PictureFacts facts;
  if (const std::int32_t* const matrix = display_matrix(stream)) facts.orientation = orientation_of(matrix);
  facts.depth = depth_of(stream.codecpar->format, number_of(stream.codecpar->color_trc));
  return facts;
}

PictureFacts facts_of(const AVFrame& frame, const AVStream& stream) {
  PictureFacts facts = facts_of(stream);
  if (const AVFrameSideData* const own = av_frame_get_side_data(&frame, AV_FRAME_DATA_DISPLAYMATRIX))
    facts.orientation = orientation_of(reinterpret_cast<const std::int32_t*>(own->data));
  const bool on_device = frame.format == AV_PIX_FMT_CUDA && frame.hw_frames_ctx;
  const int format =
      on_device ? reinterpret_cast<const AVHWFramesContext*>(frame.hw_frames_ctx->data)->sw_format : frame.format;
  const int transfer = number_of(frame.color_trc);
  const DynamicRange declared = facts.depth.range;
  facts.depth = depth_of(format, transfer);
  if (transfer == AVCOL_TRC_UNSPECIFIED) facts.depth.range = declared;
  return facts;
}

}  // namespace convoscope
