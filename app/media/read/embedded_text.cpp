#include "app/media/read/embedded_text.h"

#include <png.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/ffmpeg_error.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

constexpr png_alloc_size_t longest_text = 8 << 20;

struct Closer {
  void operator()(std::FILE* file) const { std::fclose(file); }
};

// Reading a FIFO or a device would wait for somebody to write.
void check_ordinary(const std::string& path) {
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error))
    throw Error("'" + path + "' cannot be read: " + (error ? error.message() : "it is not an ordinary file") + ".");
}

[[noreturn]] void png_fail_reading(png_structp png, png_const_charp) { png_longjmp(png, 1); }
void png_ignore_reading(png_structp, png_const_charp) {}

// Only C types between setjmp and what may jump back to it.
bool read_texts(png_structp png, png_infop info, std::FILE* file, png_textp* texts, int* count) {
  if (setjmp(png_jmpbuf(png))) return false;
  png_init_io(png, file);
  png_set_user_limits(png, PNG_UINT_31_MAX, PNG_UINT_31_MAX);
  png_set_chunk_malloc_max(png, longest_text);
  png_read_info(png, info);
  png_get_text(png, info, texts, count);
  return true;
}

}  // namespace

std::optional<std::string> text_of_png(const std::string& path, const std::string& key) {
  check_ordinary(path);
  const std::unique_ptr<std::FILE, Closer> file(std::fopen(path.c_str(), "rb"));
  if (!file) throw Error("'" + path + "' cannot be read. Check that you may read it.");
  png_structp png = png_create_read_struct(PNG_LIBPNG_VER_STRING, nullptr, png_fail_reading, png_ignore_reading);
  png_infop info = png ? png_create_info_struct(png) : nullptr;
  if (!info) throw std::bad_alloc();
  png_textp texts = nullptr;
  int count = 0;
  std::optional<std::string> found;
  if (read_texts(png, info, file.get(), &texts, &count))
    for (int i = 0; i < count && !found; ++i)
      if (key == texts[i].key && texts[i].text) found = texts[i].text;
  png_destroy_read_struct(&png, &info, nullptr);
  return found;
}

std::optional<std::string> container_text(const std::string& path, const std::string& key) {
  check_ordinary(path);
  prepare_ffmpeg();
  AVDictionary* options = nullptr;  // a playlist by such a name is not followed anywhere
  av_dict_set(&options, "protocol_whitelist", "file", 0);
  av_dict_set(&options, "format_whitelist", "matroska,webm,mov,mp4,m4a,3gp,3g2,mj2", 0);
  AVFormatContext* raw = nullptr;
  const int status = avformat_open_input(&raw, ("file:" + path).c_str(), nullptr, &options);
  av_dict_free(&options);
  if (status < 0) return {};  // whoever plays it says why it cannot be played
  const Owned<AVFormatContext> format(raw);
  const AVDictionaryEntry* entry = av_dict_get(format->metadata, key.c_str(), nullptr, 0);
  return entry ? std::optional<std::string>(entry->value) : std::nullopt;
}

}  // namespace convoscope
