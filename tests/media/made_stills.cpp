#include "tests/media/made_stills.h"

#include <ImfChannelList.h>
#include <ImfFrameBuffer.h>
#include <ImfHeader.h>
#include <ImfMultiPartOutputFile.h>
#include <ImfOutputPart.h>
#include <ImfPartType.h>
#include <libheif/heif.h>
#include <tiffio.h>
#include <webp/encode.h>
#include <webp/mux.h>
#include <zlib.h>

#include <bit>
#include <cmath>
#include <cstring>
#include <fstream>
#include <iterator>
#include <memory>

namespace convoscope::test {
namespace {

std::string big_endian(std::uint64_t value, int bytes) {
  std::string text;
  for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) text += static_cast<char>(value >> shift & 255);
  return text;
}

std::string little_endian(std::uint32_t value) {
  std::string text = big_endian(value, 4);
  return {text.rbegin(), text.rend()};
}

// One sample of the picture, of 8, 16 or 32 bits, in this machine's order.
void append_sample(std::string& out, int code, int bits) {
  if (bits == 8) {
    out += static_cast<char>(code);
  } else if (bits == 16) {
    const auto value = static_cast<std::uint16_t>(code * 257);
    out.append(reinterpret_cast<const char*>(&value), 2);
  } else {
    const float value = static_cast<float>(code) / 255;
    out.append(reinterpret_cast<const char*>(&value), 4);
  }
}

std::string rgba_of(int width, int height, int shift = 0) {
  std::string out;
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (const int code : still_colour(x + shift, y)) out += static_cast<char>(code);
  return out;
}

}  // namespace

Colour still_colour(int x, int y) { return {(x * 7 + 11) % 256, (y * 11 + 5) % 256, (x * 3 + y * 5 + 60) % 256, 255}; }

void write_bytes(const std::string& path, const std::string& bytes) { std::ofstream(path, std::ios::binary) << bytes; }

std::string read_bytes(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void make_tiff(const std::string& path, const TiffChoice& choice) {
  const std::unique_ptr<TIFF, decltype(&TIFFClose)> tiff(TIFFOpen(path.c_str(), choice.mode()), TIFFClose);
  const int samples = choice.bilevel ? 1 : choice.alpha ? 4 : 3;
  constexpr int tile = 16;
  for (int page = 0; page < choice.pages; ++page) {
    const auto set = [&](std::uint32_t tag, int value) { TIFFSetField(tiff.get(), tag, value); };
    set(TIFFTAG_IMAGEWIDTH, choice.width), set(TIFFTAG_IMAGELENGTH, choice.height);
    set(TIFFTAG_BITSPERSAMPLE, choice.bilevel ? 1 : choice.bits), set(TIFFTAG_SAMPLESPERPIXEL, samples);
    set(TIFFTAG_PLANARCONFIG, choice.separate ? PLANARCONFIG_SEPARATE : PLANARCONFIG_CONTIG);
    set(TIFFTAG_PHOTOMETRIC, choice.bilevel ? PHOTOMETRIC_MINISBLACK
                             : choice.jpeg  ? PHOTOMETRIC_YCBCR
                                            : PHOTOMETRIC_RGB);
    set(TIFFTAG_COMPRESSION, choice.bilevel ? COMPRESSION_CCITTFAX4 : choice.jpeg ? COMPRESSION_JPEG : COMPRESSION_LZW);
    if (choice.jpeg) {
      TIFFSetField(tiff.get(), TIFFTAG_YCBCRSUBSAMPLING, 1, 1);
      set(TIFFTAG_JPEGQUALITY, 100), set(TIFFTAG_JPEGCOLORMODE, JPEGCOLORMODE_RGB);
    }
    if (choice.bits == 32) set(TIFFTAG_SAMPLEFORMAT, SAMPLEFORMAT_IEEEFP);
    if (choice.reversed_bits) set(TIFFTAG_FILLORDER, FILLORDER_LSB2MSB);
    if (choice.orientation != 1) set(TIFFTAG_ORIENTATION, choice.orientation);
    if (const std::uint16_t straight = EXTRASAMPLE_UNASSALPHA; choice.alpha)
      TIFFSetField(tiff.get(), TIFFTAG_EXTRASAMPLES, 1, &straight);
    if (choice.tiled)
      set(TIFFTAG_TILEWIDTH, tile), set(TIFFTAG_TILELENGTH, tile);
    else
      set(TIFFTAG_ROWSPERSTRIP, 8);
    const auto append = [&](std::string& out, int x, int y, int from, int to) {
      Colour colour = still_colour(x + page, y);
      if (choice.alpha) colour[3] = 40 + x;
      for (int k = from; k < to; ++k) append_sample(out, colour[static_cast<std::size_t>(k)], choice.bits);
    };
    if (choice.bilevel) {
      for (int y = 0; y < choice.height; ++y) {
        std::string row(static_cast<std::size_t>(choice.width + 7) / 8, '\0');
        for (int x = 0; x < choice.width; ++x)
          if (still_colour(x, y)[0] >= 128) row[static_cast<std::size_t>(x) / 8] |= static_cast<char>(128 >> x % 8);
        TIFFWriteScanline(tiff.get(), row.data(), static_cast<std::uint32_t>(y), 0);
      }
    } else if (choice.tiled) {
      for (int y = 0; y < choice.height; y += tile)
        for (int x = 0; x < choice.width; x += tile) {
          std::string part;
          for (int j = 0; j < tile; ++j)
            for (int i = 0; i < tile; ++i) append(part, x + i, y + j, 0, samples);
          TIFFWriteTile(tiff.get(), part.data(), static_cast<std::uint32_t>(x), static_cast<std::uint32_t>(y), 0, 0);
        }
    } else {
      for (int plane = 0; plane < (choice.separate ? samples : 1); ++plane)
        for (int y = 0; y < choice.height; ++y) {
          std::string row;
          for (int x = 0; x < choice.width; ++x)
            append(row, x, y, choice.separate ? plane : 0, choice.separate ? plane + 1 : samples);
          TIFFWriteScanline(tiff.get(), row.data(), static_cast<std::uint32_t>(y), static_cast<std::uint16_t>(plane));
        }
    }
    TIFFWriteDirectory(tiff.get());
  }
}

bool make_heif(const std::string& path, bool av1, int width, int height) {
  const auto context =
      std::unique_ptr<heif_context, decltype(&heif_context_free)>(heif_context_alloc(), heif_context_free);
  heif_encoder* encoder = nullptr;
  if (heif_context_get_encoder_for_format(context.get(), av1 ? heif_compression_AV1 : heif_compression_HEVC, &encoder)
          .code)
    return false;
  heif_image* image = nullptr;
  heif_image_create(width, height, heif_colorspace_RGB, heif_chroma_interleaved_RGB, &image);
  heif_image_add_plane(image, heif_channel_interleaved, width, height, 8);
  int stride = 0;
  std::uint8_t* const data = heif_image_get_plane(image, heif_channel_interleaved, &stride);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x)
      for (int k = 0; k < 3; ++k)
        data[y * stride + 3 * x + k] = static_cast<std::uint8_t>(still_colour(x, y)[static_cast<std::size_t>(k)]);
  heif_encoder_set_lossy_quality(encoder, 100);
  heif_encoder_set_parameter_string(encoder, "chroma", "444");
  const bool done = heif_context_encode_image(context.get(), image, encoder, nullptr, nullptr).code == heif_error_Ok &&
                    heif_context_write_to_file(context.get(), path.c_str()).code == heif_error_Ok;
  heif_image_release(image);
  heif_encoder_release(encoder);
  return done;
}

std::string exif_block(int orientation) {
  return std::string("MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0", 19) + static_cast<char>(orientation) +
         std::string(6, '\0');
}

std::string made_webp(int width, int height, int orientation, int frames) {
  if (frames > 1) {
    const auto encoder = std::unique_ptr<WebPAnimEncoder, decltype(&WebPAnimEncoderDelete)>(
        WebPAnimEncoderNew(width, height, nullptr), WebPAnimEncoderDelete);
    WebPConfig config;
    WebPConfigPreset(&config, WEBP_PRESET_DEFAULT, 100);
    config.lossless = 1;
    for (int frame = 0; frame < frames; ++frame) {
      WebPPicture picture;
      WebPPictureInit(&picture);
      picture.use_argb = 1, picture.width = width, picture.height = height;
      const std::string pixels = rgba_of(width, height, frame);
      WebPPictureImportRGBA(&picture, reinterpret_cast<const std::uint8_t*>(pixels.data()), 4 * width);
      WebPAnimEncoderAdd(encoder.get(), &picture, 80 * frame, &config);
      WebPPictureFree(&picture);
    }
    WebPAnimEncoderAdd(encoder.get(), nullptr, 80 * frames, nullptr);
    WebPData data{};
    WebPAnimEncoderAssemble(encoder.get(), &data);
    std::string out(reinterpret_cast<const char*>(data.bytes), data.size);
    WebPDataClear(&data);
    return out;
  }
  const std::string pixels = rgba_of(width, height);
  std::uint8_t* encoded = nullptr;
  const std::size_t size =
      WebPEncodeLosslessRGBA(reinterpret_cast<const std::uint8_t*>(pixels.data()), width, height, 4 * width, &encoded);
  std::string plain(reinterpret_cast<const char*>(encoded), size);
  WebPFree(encoded);
  if (orientation == 0) return plain;
  const std::string exif = exif_block(orientation);
  const auto size_of = [](int side) { return little_endian(static_cast<std::uint32_t>(side - 1)).substr(0, 3); };
  const std::string chunks = "VP8X" + little_endian(10) + little_endian(8) + size_of(width) + size_of(height) +
                             plain.substr(12) + "EXIF" + little_endian(static_cast<std::uint32_t>(exif.size())) + exif;
  return "RIFF" + little_endian(static_cast<std::uint32_t>(chunks.size() + 4)) + "WEBP" + chunks;
}

float light_of(int code) {
  const double value = code / 255.0;
  return static_cast<float>(value <= 0.04045 ? value / 12.92 : std::pow((value + 0.055) / 1.055, 2.4));
}

void make_exr(const std::string& path, const std::vector<ExrPart>& parts, int width, int height) {
  std::vector<Imf::Header> headers;
  for (const ExrPart& part : parts) {
    Imf::Header header(width, height);
    header.setName(part.name.empty() ? "part" + std::to_string(headers.size()) : part.name);
    header.setType(Imf::SCANLINEIMAGE);
    const std::string prefix = part.layer.empty() ? "" : part.layer + ".";
    for (const char* const channel : {"R", "G", "B"})
      if (!part.depth_only) header.channels().insert(prefix + channel, Imf::Channel(Imf::FLOAT));
    if (part.depth_only) header.channels().insert("Z", Imf::Channel(Imf::FLOAT));
    headers.push_back(header);
  }
  Imf::MultiPartOutputFile file(path.c_str(), headers.data(), static_cast<int>(headers.size()));
  std::vector<float> values[4];
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      for (std::size_t k = 0; k < 3; ++k) values[k].push_back(light_of(still_colour(x, y)[k]));
      values[3].push_back(0.5f);
    }
  for (std::size_t i = 0; i < parts.size(); ++i) {
    Imf::FrameBuffer buffer;
    const auto insert = [&](const std::string& name, std::size_t k) {
      buffer.insert(name, Imf::Slice(Imf::FLOAT, reinterpret_cast<char*>(values[k].data()), sizeof(float),
                                     sizeof(float) * static_cast<std::size_t>(width)));
    };
    const std::string prefix = parts[i].layer.empty() ? "" : parts[i].layer + ".";
    if (parts[i].depth_only)
      insert("Z", 3);
    else
      insert(prefix + "R", 0), insert(prefix + "G", 1), insert(prefix + "B", 2);
    Imf::OutputPart part(file, static_cast<int>(i));
    part.setFrameBuffer(buffer);
    part.writePixels(height);
  }
}

std::string made_psd(const PsdChoice& choice) {
  const int channels = choice.alpha ? 4 : 3;
  std::string out = "8BPS" + big_endian(1, 2) + std::string(6, '\0') + big_endian(static_cast<unsigned>(channels), 2) +
                    big_endian(static_cast<unsigned>(choice.height), 4) +
                    big_endian(static_cast<unsigned>(choice.width), 4) +
                    big_endian(static_cast<unsigned>(choice.bits), 2) + big_endian(3, 2) + big_endian(0, 4);
  const std::string version = "8BIM" + big_endian(1057, 2) + big_endian(0, 2) + big_endian(6, 4) + big_endian(1, 4) +
                              std::string(1, choice.without_merged ? '\0' : '\1') + std::string(1, '\0');
  out += big_endian(version.size(), 4) + version;
  const std::string layers = choice.alpha ? big_endian(2, 4) + "\xff\xff" : "";
  out += big_endian(layers.size(), 4) + layers + big_endian(choice.packed ? 1 : 0, 2);
  std::string counts, rows;
  for (int k = 0; k < channels; ++k)
    for (int y = 0; y < choice.height; ++y) {
      std::string row;
      for (int x = 0; x < choice.width; ++x) {
        const int opaque = choice.alpha ? 55 + x : 255;
        const int colour = still_colour(x, y)[static_cast<std::size_t>(k)];
        // On white, as Photoshop stores it.
        const int code = k == 3 ? opaque : (colour * opaque + 255 * (255 - opaque) + 127) / 255;
        row += choice.bits == 8 ? big_endian(static_cast<unsigned>(code), 1)
                                : big_endian(static_cast<unsigned>(code) * 257u, 2);
      }
      if (choice.packed) row = static_cast<char>(row.size() - 1) + row;
      counts += big_endian(row.size(), 2);
      rows += row;
    }
  return out + (choice.packed ? counts : "") + rows;
}

std::string made_radiance(int width, int height, const std::string& size_line) {
  std::string out = "#?RADIANCE\nFORMAT=32-bit_rle_rgbe\n\n";
  out += (size_line.empty() ? "-Y " + std::to_string(height) + " +X " + std::to_string(width) : size_line) + "\n";
  for (int y = 0; y < height; ++y) {
    std::string planes[4];
    for (int x = 0; x < width; ++x) {
      const Colour colour = still_colour(x, y);
      int exponent = 0;
      const float most = std::max({light_of(colour[0]), light_of(colour[1]), light_of(colour[2])});
      std::frexp(most, &exponent);
      for (std::size_t k = 0; k < 3; ++k)
        planes[k] += static_cast<char>(std::min(255.0f, std::round(std::ldexp(light_of(colour[k]), 8 - exponent))));
      planes[3] += static_cast<char>(exponent + 128);
    }
    out += std::string("\2\2") + big_endian(static_cast<unsigned>(width), 2);
    for (const std::string& plane : planes)
      for (std::size_t x = 0; x < plane.size(); x += 100)
        out += static_cast<char>(std::min<std::size_t>(100, plane.size() - x)) + plane.substr(x, 100);
  }
  return out;
}

std::string with_exif(std::string png, int orientation) {
  const std::string data = "eXIf" + exif_block(orientation);
  const auto sum = ::crc32(0, reinterpret_cast<const Bytef*>(data.data()), static_cast<uInt>(data.size()));
  return png.insert(33, big_endian(data.size() - 4, 4) + data + big_endian(sum, 4));
}

}  // namespace convoscope::test
