#include "app/media/write/png.h"

#include <png.h>

#include <algorithm>
#include <cstring>
#include <string>
#include <vector>

#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

void png_append(png_structp png, png_bytep bytes, png_size_t size) {
  try {
    static_cast<std::string*>(png_get_io_ptr(png))->append(reinterpret_cast<const char*>(bytes), size);
  } catch (const std::bad_alloc&) {
    png_error(png, "out of memory");
  }
}
void png_flush_nothing(png_structp) {}
[[noreturn]] void png_fail_writing(png_structp png, png_const_charp text) {
  *static_cast<std::string*>(png_get_error_ptr(png)) = text;
  png_longjmp(png, 1);
}
void png_ignore_writing(png_structp, png_const_charp) {}

// Only C types are made between setjmp and what may jump back to it; everything else lives in the caller.
bool encode(const Image& rgba, std::vector<png_text>& texts, std::string& file, std::string& problem) {
  png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, &problem, png_fail_writing, png_ignore_writing);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info || setjmp(png_jmpbuf(png))) {
    png_destroy_write_struct(&png, &info);
    return false;
  }
  png_set_write_fn(png, &file, png_append, png_flush_nothing);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_compression_level(png, 4);
  png_set_IHDR(png, info, static_cast<png_uint_32>(rgba.width), static_cast<png_uint_32>(rgba.height), 8,
               PNG_COLOR_TYPE_RGBA, PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
  png_set_sRGB(png, info, PNG_sRGB_INTENT_PERCEPTUAL);
  if (!texts.empty()) png_set_text(png, info, texts.data(), static_cast<int>(texts.size()));
  png_write_info(png, info);
  for (int y = 0; y < rgba.height; ++y)
    png_write_row(png, static_cast<png_const_bytep>(rgba.data) + static_cast<std::size_t>(y) * rgba.pitch);
  png_write_end(png, info);
  png_destroy_write_struct(&png, &info);
  return true;
}

}  // namespace

std::string png_of(const Image& rgba, const std::map<std::string, std::string>& text) {
  if (rgba.format != PixelFormat::rgba8 || !rgba.data || rgba.width < 1 || rgba.height < 1)
    throw Error("A picture of " + std::to_string(rgba.width) + " × " + std::to_string(rgba.height) +
                " pixels cannot be written as PNG; it needs rgba8 pixels.");
  std::vector<std::string> keys, values;
  for (const auto& [key, value] : text)
    if (!key.empty()) keys.push_back(key.substr(0, 79)), values.push_back(value);
  std::vector<png_text> texts(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    const bool ascii = std::all_of(values[i].begin(), values[i].end(), [](char c) { return c >= 0; });
    texts[i].compression = ascii ? PNG_TEXT_COMPRESSION_NONE : PNG_ITXT_COMPRESSION_NONE;
    texts[i].key = keys[i].data();
    texts[i].text = values[i].data();
    texts[i].text_length = ascii ? values[i].size() : 0;
    texts[i].itxt_length = ascii ? 0 : values[i].size();
  }
  std::string bytes, problem;
  if (!encode(rgba, texts, bytes, problem)) throw Error("The picture cannot be encoded as PNG: " + problem + ".");
  return bytes;
}

void write_png(const std::string& path, const Image& rgba, const std::map<std::string, std::string>& text) {
  write_file(path, png_of(rgba, text));
}

}  // namespace convoscope
