// OpenEXR by its own library. Of several parts and layers the one that is most of a picture is shown: R, G and B
// without a layer's name, else those of a layer, else a grey one. Its values are linear light, which is shown as sRGB.
#include <Iex.h>
#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfIO.h>
#include <ImfInputPart.h>
#include <ImfMultiPartInputFile.h>
#include <ImfPartType.h>
#include <ImfRgbaFile.h>
#include <ImfTileDescription.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <map>
#include <mutex>
#include <optional>
#include <vector>

#include "app/media/stills/light.h"
#include "app/media/stills/still.h"
#include "app/media/stills/still_bytes.h"

namespace convoscope {
namespace {

constexpr int largest_exr_side = 1 << 16;             // of what a header may say
constexpr std::uint64_t largest_exr_block = 1 << 30;  // bytes that are decoded at once

class ExrBytes final : public Imf::IStream {
 public:
  explicit ExrBytes(std::span<const std::uint8_t> bytes) : Imf::IStream("picture"), bytes_(bytes) {}
  bool read(char to[], int count) override {
    if (count < 0 || at_ > bytes_.size() || bytes_.size() - at_ < static_cast<std::size_t>(count))
      throw Iex::InputExc("The file ends early.");
    std::memcpy(to, bytes_.data() + at_, static_cast<std::size_t>(count));
    at_ += static_cast<std::size_t>(count);
    return at_ < bytes_.size();
  }
#if OPENEXR_VERSION_MAJOR >= 3
  std::uint64_t tellg() override { return at_; }
  void seekg(std::uint64_t at) override { at_ = at; }
#else
  Imf::Int64 tellg() override { return at_; }
  void seekg(Imf::Int64 at) override { at_ = at; }
#endif

 private:
  std::span<const std::uint8_t> bytes_;
  std::uint64_t at_ = 0;
};

// Channels that make a picture, by their whole names; empty: none of that sort.
struct ExrPicture {
  int part = 0, rank = 0;  // the least is shown
  std::string title, red, green, blue;
  bool by_chroma = false;  // Y, RY and BY
};

class ExrStill final : public Still {
 public:
  explicit ExrStill(const StillInput& input) : Still(input), stream_(input.bytes) {
    kind_ = StillKind::exr;
    info_.codec = AV_CODEC_ID_EXR;
    static std::once_flag once;
    std::call_once(once, [] {
      Imf::Header::setMaxImageSize(largest_exr_side, largest_exr_side);
      Imf::Header::setMaxTileSize(largest_exr_side, largest_exr_side);
    });
    guarded([&] { open(); });
  }

  bool read(AVFrame& frame) override {
    if (std::exchange(given_, true)) return false;
    make_picture(frame);
    std::int64_t bands = 0;
    if (shown_.by_chroma)
      read_chroma(frame, bands);
    else
      read_channels(frame, bands);
    return bands > 0 && !input_.stopped();
  }

 private:
  template <class Work>
  void guarded(const Work& work) const {
    try {
      work();
    } catch (const Error&) {
      throw;
    } catch (const std::bad_alloc&) {
      throw;
    } catch (const std::exception&) {  // the library's own
      refuse_damaged();
    }
  }

  // The library takes as much memory for an attribute as the attribute says, before it looks how much there is.
  void check_attributes() const {
    StillBytes bytes(input_.bytes);
    const auto word = [&] {
      std::size_t length = 0;
      while (bytes.byte() != 0) ++length;
      return length;
    };
    const auto little = [&] {
      std::uint32_t value = 0;
      for (int shift = 0; shift < 32; shift += 8) value |= std::uint32_t{bytes.byte()} << shift;
      return value;
    };
    try {
      bytes.skip(4);
      constexpr std::uint32_t several_parts = 0x1000;
      const bool several = little() & several_parts;
      for (bool more = true; more;) {  // headers, with an empty one behind several
        std::size_t attributes = 0;
        while (word() > 0) {
          word();
          bytes.skip(little());
          ++attributes;
        }
        more = several && attributes > 0;
      }
    } catch (const EndOfBytes&) {
      refuse_damaged();
    }
  }

  void open() {
    check_attributes();
    file_.emplace(stream_, 0);
    std::vector<ExrPicture> pictures;
    bool deep = false;
    for (int part = 0; part < file_->parts(); ++part) {
      const Imf::Header& header = file_->header(part);
      if (header.hasType() && !Imf::isImage(header.type()))
        deep = true;
      else
        add_pictures(part, header, pictures);
    }
    if (pictures.empty())
      refuse(deep ? "with deep samples only, which are not read. Flatten it first." : "without a channel to be shown.");
    shown_ = *std::ranges::min_element(pictures, {}, &ExrPicture::rank);
    const Imf::Header& header = file_->header(shown_.part);
    const Imath::Box2i shown = header.displayWindow(), data = header.dataWindow();
    const auto length = [](int from, int to) { return static_cast<std::int64_t>(to) - from + 1; };
    set_size(length(data.min.x, data.max.x), length(data.min.y, data.max.y));  // what is decoded
    data_width_ = info_.width;
    set_size(length(shown.min.x, shown.max.x), length(shown.min.y, shown.max.y));
    check_block(header);
    // Colours are stored multiplied by alpha: without it, which 16 bits have no place for, they lie on black.
    const bool grey = shown_.green.empty() && !shown_.by_chroma;
    info_.format = grey ? AV_PIX_FMT_GRAY16LE : AV_PIX_FMT_GBRP16LE;
    info_.note =
        "'" + input_.name + "' holds linear light; it is shown as sRGB, and what lies beyond 0 to 1 is clamped.";
    if (pictures.size() > 1)
      info_.note += " It has " + std::to_string(pictures.size()) + " pictures in parts and layers; " + shown_.title +
                    " is shown.";
  }

  static void add_pictures(int part, const Imf::Header& header, std::vector<ExrPicture>& out) {
    struct Layer {
      std::map<std::string, std::string> channels;  // "r" → "beauty.R"
      std::string first;
    };
    std::map<std::string, Layer> layers;
    for (auto at = header.channels().begin(); at != header.channels().end(); ++at) {
      const std::string name = at.name();
      const std::size_t dot = name.rfind('.');
      Layer& layer = layers[dot == std::string::npos ? "" : name.substr(0, dot)];
      std::string own = dot == std::string::npos ? name : name.substr(dot + 1);
      std::ranges::transform(own, own.begin(), [](unsigned char c) { return std::tolower(c); });
      const bool whole = at.channel().xSampling == 1 && at.channel().ySampling == 1;
      if (own == "red" || own == "green" || own == "blue" || own == "alpha") own.resize(1);
      if (!whole && own != "ry" && own != "by") continue;
      if (layer.first.empty()) layer.first = name;
      layer.channels[own] = name;
    }
    for (auto& [name, layer] : layers) {
      const auto channel = [&, &channels = layer.channels](const char* own) {
        const auto found = channels.find(own);
        return found == channels.end() ? std::string() : found->second;
      };
      ExrPicture picture;
      picture.part = part;
      picture.title = name.empty()
                          ? header.hasName() ? "part '" + header.name() + "'" : "the one without a layer's name"
                          : "layer '" + name + "'";
      const int of_layer = name.empty() ? 0 : 1;
      if (!channel("r").empty() && !channel("g").empty() && !channel("b").empty()) {
        picture.red = channel("r"), picture.green = channel("g"), picture.blue = channel("b");
        picture.rank = of_layer;
      } else if (name.empty() && part == 0 && !channel("y").empty() && !channel("ry").empty() &&
                 !channel("by").empty()) {
        picture.by_chroma = true;
      } else if (!channel("y").empty()) {
        picture.red = channel("y");
        picture.rank = 2 + of_layer;
      } else if (!layer.first.empty()) {
        picture.red = channel("r").empty() ? layer.first : channel("r");
        picture.rank = 4 + of_layer;
      } else {
        continue;
      }
      out.push_back(picture);
    }
  }

  // A header may ask for more memory than there is, for channels that nobody looks at too.
  void check_block(const Imf::Header& header) const {
    std::uint64_t bytes = 0;
    for (auto at = header.channels().begin(); at != header.channels().end(); ++at)
      bytes += at.channel().type == Imf::HALF ? 2 : 4;
    if (header.hasTileDescription()) {
      const Imf::TileDescription& tile = header.tileDescription();
      bytes *= static_cast<std::uint64_t>(tile.xSize) * tile.ySize;
    } else {
      constexpr std::uint64_t most_lines = 256;  // that a scheme compresses as one
      bytes *= static_cast<std::uint64_t>(data_width_) * most_lines;
    }
    if (bytes > largest_exr_block)
      refuse("with blocks of " + std::to_string(bytes >> 20) + " MB, more than is read at once (1024).");
  }

  // Calls work(first, last) for bands of rows that are in both windows, until one fails or it is asked to stop.
  template <class Work>
  void in_bands(std::int64_t& done, const Work& work) {
    const Imf::Header& header = file_->header(shown_.part);
    const Imath::Box2i shown = header.displayWindow(), data = header.dataWindow();
    constexpr int rows = 64;
    const std::int64_t end = std::min(data.max.y, shown.max.y);
    if (std::max(data.min.y, shown.min.y) > end) done = 1;  // nothing of it is to be seen
    for (std::int64_t y = std::max(data.min.y, shown.min.y); y <= end; y += rows) {
      if (input_.stopped()) return;
      try {
        guarded([&] { work(static_cast<int>(y), static_cast<int>(std::min(y + rows - 1, end))); });
        ++done;
      } catch (const StillDamaged&) {
        damaged_ = true;
      }
    }
  }

  void read_channels(AVFrame& frame, std::int64_t& bands) {
    std::optional<Imf::InputPart> part;
    try {
      guarded([&] { part.emplace(*file_, shown_.part); });
    } catch (const StillDamaged&) {
      damaged_ = true;
      return;
    }
    const Imath::Box2i data = file_->header(shown_.part).dataWindow();
    const std::string* const names[] = {&shown_.red, &shown_.green, &shown_.blue};
    std::array<std::vector<float>, 3> rows;
    in_bands(bands, [&](int first, int last) {
      const Imath::Box2i band(Imath::V2i(data.min.x, first), Imath::V2i(data.max.x, last));
      const std::size_t count = static_cast<std::size_t>(data_width_) * static_cast<std::size_t>(last - first + 1);
      Imf::FrameBuffer buffer;
      for (std::size_t k = 0; k < 3; ++k) {
        if (names[k]->empty()) continue;
        rows[k].assign(count, 0);
        buffer.insert(*names[k], Imf::Slice::Make(Imf::FLOAT, rows[k].data(), band));
      }
      part->setFrameBuffer(buffer);
      part->readPixels(first, last);
      for (int y = first; y <= last; ++y) {
        const std::size_t from = static_cast<std::size_t>(y - first) * static_cast<std::size_t>(data_width_);
        give_row(frame, y, [&](int x, std::size_t k) {
          const std::vector<float>& row = names[k]->empty() ? rows[0] : rows[k];
          return row[from + static_cast<std::size_t>(x)];
        });
      }
    });
  }

  void read_chroma(AVFrame& frame, std::int64_t& bands) {
    ExrBytes stream(input_.bytes);
    std::optional<Imf::RgbaInputFile> file;
    try {
      guarded([&] { file.emplace(stream, 0); });
    } catch (const StillDamaged&) {
      damaged_ = true;
      return;
    }
    const Imath::Box2i data = file->dataWindow();
    // The library wants where (0, 0) would be.
    std::vector<Imf::Rgba> all(static_cast<std::size_t>(data_width_) *
                               (static_cast<std::size_t>(static_cast<std::int64_t>(data.max.y) - data.min.y) + 1));
    file->setFrameBuffer(
        reinterpret_cast<Imf::Rgba*>(reinterpret_cast<std::intptr_t>(all.data()) -
                                     static_cast<std::intptr_t>(sizeof(Imf::Rgba)) *
                                         (data.min.x + static_cast<std::intptr_t>(data.min.y) * data_width_)),
        1, static_cast<std::size_t>(data_width_));
    in_bands(bands, [&](int first, int last) {
      file->readPixels(first, last);
      for (int y = first; y <= last; ++y) {
        const std::size_t from = static_cast<std::size_t>(y - data.min.y) * static_cast<std::size_t>(data_width_);
        give_row(frame, y, [&](int x, std::size_t k) -> float {
          const Imf::Rgba& pixel = all[from + static_cast<std::size_t>(x)];
          return k == 0 ? pixel.r : k == 1 ? pixel.g : pixel.b;
        });
      }
    });
  }

  // value(x, k): of channel k at x of the data window.
  template <class Value>
  void give_row(AVFrame& frame, int y, const Value& value) const {
    const Imf::Header& header = file_->header(shown_.part);
    const Imath::Box2i shown = header.displayWindow(), data = header.dataWindow();
    const auto row_of = [&](int plane) {
      return reinterpret_cast<std::uint16_t*>(frame.data[plane] +
                                              (static_cast<std::ptrdiff_t>(y) - shown.min.y) * frame.linesize[plane]);
    };
    const std::int64_t begin = std::max(data.min.x, shown.min.x), end = std::min(data.max.x, shown.max.x);
    for (std::int64_t x = begin; x <= end; ++x) {
      const int from = static_cast<int>(x - data.min.x);
      const std::size_t to = static_cast<std::size_t>(x - shown.min.x);
      if (info_.format == AV_PIX_FMT_GRAY16LE) {
        row_of(0)[to] = srgb_code(value(from, 0));
        continue;
      }
      constexpr int plane_of[] = {2, 0, 1};  // G, B, R
      for (std::size_t k = 0; k < 3; ++k) row_of(plane_of[k])[to] = srgb_code(value(from, k));
    }
  }

  ExrBytes stream_;
  std::optional<Imf::MultiPartInputFile> file_;
  ExrPicture shown_;
  int data_width_ = 0;
  bool given_ = false;
};

}  // namespace

std::unique_ptr<Still> open_exr(const StillInput& input) { return std::make_unique<ExrStill>(input); }

}  // namespace convoscope
