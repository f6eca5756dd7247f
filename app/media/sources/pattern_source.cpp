// The test pattern that the program draws: pattern, or one of its parts as pattern:NAME.
#include <algorithm>
#include <cmath>
#include <cstdio>
#include <iterator>
#include <utility>

#include "app/media/ffmpeg/decoder.h"
#include "app/media/pattern/pattern.h"
#include "app/media/play/host_pool.h"
#include "app/media/sources/source.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

class PatternReader : public FrameReader {
 public:
  PatternReader(const std::string& name, int width, int height, double rate, const ReaderOptions& options)
      : pattern_(name, width, height, rate), pool_(options.target.cuda ? options.target.allocate_host : nullptr) {
    char text[64];
    std::snprintf(text, sizeof text, ", %d × %d, rgba, %.4g fps", width, height, rate);
    stats_.description = "test pattern " + name + text;
    stats_.decoder = "generated";
    stats_.width = width;
    stats_.height = height;
    stats_.rate = rate;
    stats_.frames = pattern_.frames();
    stats_.duration = static_cast<double>(stats_.frames) / rate;
    stats_.seekable = true;
  }

  bool read(Frame& frame) override {
    if (next_ >= stats_.frames) return false;
    VideoFrame& picture = frame.picture;
    picture = {};
    picture.format.width = stats_.width;
    picture.format.height = stats_.height;
    picture.format.full_range = true;
    const std::size_t pitch = static_cast<std::size_t>(stats_.width) * 4;
    const std::shared_ptr<void> memory = pool_.take_block(pitch * static_cast<std::size_t>(stats_.height));
    pattern_.draw(next_, {memory.get(), stats_.width, stats_.height, pitch, PixelFormat::rgba8});
    picture.planes[0] = memory.get();
    picture.pitch[0] = pitch;
    picture.owner = memory;
    picture.number = next_;
    picture.seconds = static_cast<double>(next_) / stats_.rate;
    frame.duration = 1 / stats_.rate;
    ++next_;
    return true;
  }
  bool seek_seconds(double seconds) override {
    // A hair more, so that a time computed as number / rate names that number.
    return seek_frame(static_cast<std::int64_t>(std::floor(seconds * stats_.rate + 1e-6)));
  }
  bool seek_frame(std::int64_t number) override {
    next_ = std::max<std::int64_t>(0, number);
    return true;
  }
  SourceStats describe() const override { return stats_; }

 private:
  Pattern pattern_;
  HostPool pool_;
  SourceStats stats_;
  std::int64_t next_ = 0;
};

constexpr std::string_view pattern_prefix = "pattern:";

bool names_pattern(const std::string& input) { return input == "pattern" || input.starts_with(pattern_prefix); }

constexpr std::pair<std::string_view, std::string_view> former_names[] = {{"siemens", "siemens-star"},
                                                                          {"shapes", "motion"}};

std::string pattern_name(const std::string& input) {
  if (input == "pattern") return "all";
  const std::string name = input.substr(pattern_prefix.size());
  const auto former = std::ranges::find(former_names, name, [](const auto& each) { return each.first; });
  return former == std::end(former_names) ? name : std::string(former->second);
}

std::string pattern_input(const std::string& name) {
  return name == "all" ? "pattern" : std::string(pattern_prefix) + name;
}

std::string why_no_pattern(const SourceSettings& settings) {
  const std::string name = pattern_name(settings.input);
  try {
    if (std::ranges::find(Pattern::names(), name) == Pattern::names().end()) Pattern(name, 1, 1, 1);  // says so
    if (settings.width > 0) check_picture_size(settings.input, settings.width, settings.height, settings.max_pixels);
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

std::vector<SourceChoice> offered_patterns() {
  std::vector<SourceChoice> choices;
  for (const std::string& name : Pattern::names()) choices.push_back({.input = pattern_input(name), .title = name});
  choices.front().tip = "The pattern that the program draws";
  choices.front().place = "Test pattern";
  return choices;
}

std::unique_ptr<FrameReader> open_pattern(const ReaderOptions& options, Interrupt&) {
  const SourceSettings& source = options.source;
  return std::make_unique<PatternReader>(pattern_name(source.input), source.width > 0 ? source.width : 1280,
                                         source.height > 0 ? source.height : 720, source.rate > 0 ? source.rate : 60,
                                         options);
}

}  // namespace

extern const Source pattern_source{
    .kind = {.id = "pattern",
             .title = "Pattern",
             .form = "pattern or pattern:NAME",
             .help = "Drawn by the program, always the same for a frame number. It shows what a filter does at every "
                     "frequency.",
             .named = names_pattern,
             .as_chosen = [](const std::string& input) { return pattern_input(pattern_name(input)); }},
    .takes = [](const std::string& input) { return names_pattern(input) && !is_on_disk(input); },
    .check = why_no_pattern,
    .choices = offered_patterns,
    .open = open_pattern,
    .endless = true,
    .takes_size = true,
};

}  // namespace convoscope
