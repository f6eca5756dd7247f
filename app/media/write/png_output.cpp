// A file of its own for each picture, or one for the only one.
#include <filesystem>
#include <map>

#include "app/files/numbered_names.h"
#include "app/media/sources/source.h"
#include "app/media/write/file_output.h"
#include "app/media/write/picture_file.h"
#include "app/media/write/png.h"
#include "kernels/convert/alpha_step.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

namespace fs = std::filesystem;

class PictureOutput : public FileOutput {
 public:
  explicit PictureOutput(const RecordingSettings& settings)
      : path_(settings.path),
        kind_(picture_kind(path_)),
        is_numbered_(names_pictures(path_)),
        square_(settings.pixel_aspect_width == settings.pixel_aspect_height) {
    text_["Software"] = "Convoscope";
    for (const auto& [key, value] : settings.metadata) text_["Description"] += value;
  }

  void add(const Image& rgba, std::int64_t, std::int64_t) override {
    if (kind_ == PictureKind::jpeg && !is_opaque(rgba)) transparent_ = true;
    ++pictures_;
    if (is_numbered_)
      return write_file(numbered(path_, pictures_), picture_file(kind_, rgba, text_),
                        OutputFile::Use::part_until_whole);
    if (pictures_ > 1)
      throw Error("OUTPUT '" + path_ +
                  "' takes one picture, but the input has more. Leave a place for their numbers, " + "as in frame%04d" +
                  fs::path(path_).extension().string() + ", or choose a name that ends in .mp4, .mov, .mkv or .y4m.");
    only_ = picture_file(kind_, rgba, text_);
  }
  bool finish(bool whole) override {
    if (only_.empty()) return true;
    if (whole)
      write_file(path_, only_, OutputFile::Use::part_until_whole);
    else
      left_ = write_part(path_, only_);
    only_.clear();
    return left_.empty();
  }
  void check_is_there() const override {}
  bool takes_any_size() const override { return true; }  // one alone takes no second, and add() says so
  std::string where_left() const override { return left_; }
  std::string encoder() const override {
    const std::string name = name_of(kind_);
    return name + (kind_ == PictureKind::jpeg   ? " of the finest quality, 4:4:4"
                   : kind_ == PictureKind::webp ? " without loss"
                                                : "");
  }
  std::string note() const override {
    const std::string name = name_of(kind_);
    return (square_ ? "" : "; its pixels are not square, which " + name + " does not keep") +
           std::string(transparent_ ? "; " + name + " has no transparency, so it was laid over black" : "");
  }

 private:
  const std::string path_;
  const PictureKind kind_;
  const bool is_numbered_, square_;
  bool transparent_ = false;  // any picture so far, in a kind that does not keep it
  std::map<std::string, std::string> text_;
  int pictures_ = 0;
  std::string only_;  // its file, not written yet
  std::string left_;  // where it is, when it is no whole result
};

}  // namespace

bool names_pictures(const std::string& path) { return number_place(path) && !is_on_disk(path); }

std::unique_ptr<FileOutput> open_picture_output(const RecordingSettings& settings) {
  return std::make_unique<PictureOutput>(settings);
}

}  // namespace convoscope
