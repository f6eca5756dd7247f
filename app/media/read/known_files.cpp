#include "app/media/read/known_files.h"

#include <algorithm>
#include <array>
#include <fstream>
#include <string_view>

#include "kernels/text/error.h"

namespace convoscope {
namespace {

using std::string_view_literals::operator""sv;

struct KnownFile {
  std::size_t at;
  std::string_view begin;  // the bytes there
  const char* what;
  const char* advice;
};

constexpr const char* as_picture = "Export it as PNG, TIFF or JPEG first.";
constexpr const char* with_arrays = "If it holds weights, it is opened as a filter, with --filter.";
constexpr const char* unpack_first = "Unpack it first.";
constexpr const char* not_for_eyes = "Choose a video or a picture.";

constexpr KnownFile known_files[] = {
    {0, "gimp xcf"sv, "a GIMP file (XCF)", as_picture},
    {0, "%PDF-"sv, "a PDF document", as_picture},
    {0, "%!PS"sv, "a PostScript file", as_picture},
    {0, "\xC5\xD0\xD3\xC6"sv, "a PostScript file (EPS)", as_picture},
    {0, "\0\0\0\x0CJXL \r\n\x87\n"sv, "a JPEG XL picture", as_picture},
    {0, "\xFF\x0A"sv, "a JPEG XL picture", as_picture},
    {0, "BPG\xFB"sv, "a BPG picture", as_picture},
    {0, "FLIF"sv, "a FLIF picture", as_picture},
    {0, "AT&TFORM"sv, "a DjVu document", as_picture},
    {0, "II\xBC\x01"sv, "a JPEG XR picture", as_picture},
    {0, "IIRO"sv, "a camera's raw file (Olympus)", as_picture},
    {0, "IIU\0"sv, "a camera's raw file (Panasonic)", as_picture},
    {0, "FUJIFILMCCD-RAW"sv, "a camera's raw file (Fujifilm)", as_picture},
    {4, "ftypcrx "sv, "a camera's raw file (Canon CR3)", as_picture},
    {128, "DICM"sv, "a DICOM file", as_picture},
    {0, "DDS "sv, "a DirectDraw surface (DDS)", as_picture},
    {0, "\xABKTX"sv, "a texture (KTX)", as_picture},
    {0, "\x89HDF\r\n\x1A\n"sv, "an HDF5 file", not_for_eyes},
    {0, "\x93NUMPY"sv, "a NumPy array (.npy)", with_arrays},
    {0, "PK\x03\x04"sv, "a ZIP archive", unpack_first},
    {0, "\x1F\x8B"sv, "compressed by gzip", unpack_first},
    {0, "BZh"sv, "compressed by bzip2", unpack_first},
    {0, "\xFD\x37zXZ\0"sv, "compressed by xz", unpack_first},
    {0, "\x28\xB5\x2F\xFD"sv, "compressed by zstd", unpack_first},
    {0, "7z\xBC\xAF\x27\x1C"sv, "a 7z archive", unpack_first},
    {0, "Rar!"sv, "a RAR archive", unpack_first},
    {257, "ustar"sv, "a tar archive", unpack_first},
    {0,
     "\x7F"
     "ELF"sv,
     "a program", not_for_eyes},
    {0, "SQLite format 3"sv, "a database", not_for_eyes},
    {0, "<svg"sv, "an SVG drawing", as_picture},
    {0, "<!DOCTYPE html"sv, "a web page", not_for_eyes},
    {0, "<html"sv, "a web page", not_for_eyes},
};

// An archive is known by the name of the first file in it, behind its header.
KnownFile archive_of(std::string_view begin, KnownFile archive) {
  constexpr std::size_t name_length_at = 26, name_at = 30;
  if (begin.size() < name_at) return archive;
  const std::size_t length = static_cast<unsigned char>(begin[name_length_at]);
  const std::string_view first = begin.substr(name_at, length);
  if (first.ends_with(".npy")) return {0, {}, "a NumPy archive (.npz)", with_arrays};
  if (first == "[Content_Types].xml") return {0, {}, "an office document", as_picture};
  if (first == "mimetype" && begin.substr(name_at + length).starts_with("application/x-krita"))
    return {0, {}, "a Krita file", as_picture};
  if (first == "mimetype" && begin.substr(name_at + length).starts_with("image/openraster"))
    return {0, {}, "an OpenRaster file", as_picture};
  return archive;
}

}  // namespace

void refuse_known_file(const std::string& path, const std::string& name) {
  std::array<char, 512> bytes{};
  std::ifstream file(path, std::ios::binary);
  file.read(bytes.data(), bytes.size());
  const std::string_view begin(bytes.data(), static_cast<std::size_t>(file.gcount()));
  const KnownFile* found = std::ranges::find_if(known_files, [&](const KnownFile& each) {
    return begin.size() >= each.at && begin.substr(each.at).starts_with(each.begin);
  });
  KnownFile known{0, {}, nullptr, nullptr};
  if (found != std::end(known_files)) known = *found;
  // Weights begin with the length of a header in JSON.
  if (!known.what && begin.size() > 10 && begin[8] == '{' && begin.substr(2, 6) == "\0\0\0\0\0\0"sv)
    known = {0, {}, "a safetensors file", with_arrays};
  if (!known.what && begin.starts_with("<?xml") && begin.find("<svg") != std::string_view::npos)
    known = {0, {}, "an SVG drawing", as_picture};
  if (!known.what) return;
  if (known.begin.starts_with("PK")) known = archive_of(begin, known);
  throw Error("'" + name + "' is " + known.what +
              ". This program plays what FFmpeg reads, and TIFF, WebP, HEIC, AVIF, OpenEXR, Photoshop and Radiance "
              "pictures. " +
              known.advice);
}

}  // namespace convoscope
