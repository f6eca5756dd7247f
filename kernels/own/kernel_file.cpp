#include "kernels/own/kernel_file.h"

#include <fcntl.h>

#include <algorithm>
#include <memory>
#include <optional>

#include "kernels/files/descriptor.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {

std::string read_kernel_text(const std::string& path) {
  const Descriptor file(open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK));
  std::string why = "it is not there, or may not be read";
  if (file.get() >= 0)
    if (std::optional<std::string> text = read_whole(file, most_file_bytes, why)) {
      if (text->find('\0') == std::string::npos) return std::move(*text);
      why = "it is no text";
    }
  const std::string said = why.starts_with("cannot be read") ? why : "cannot be read: " + why;
  throw UnreadableKernel("The kernel " + in_quotes(path) + " " + said + ".");
}

int KernelFile::tuned(std::string_view tunable, const Tuning& tuning) const {
  if (const auto chosen = tuning.find(tunable); chosen != tuning.end()) return chosen->second;
  return std::ranges::find(tunables, tunable, &OwnTunable::id)->initial;
}

std::optional<long long> KernelFile::number(std::string_view name, std::size_t lets_before, const Problem& problem,
                                            const Tuning& tuning, Known& known) const {
  const Filter& filter = problem.filter;
  if (name == "width") return problem.width;
  if (name == "height") return problem.height;
  if (name == "rx" || name == "radius") return filter.rx();
  if (name == "ry") return filter.ry();
  if (name == "sets") return filter.is_magnitude() ? 2 : 1;
  if (name == "pixel_bytes") return static_cast<long long>(bytes_per_pixel(problem.format));
  if (name == "wide_bytes") return problem.format == PixelFormat::rgba8 ? 16 : 4;
  if (std::ranges::find(tunables, name, &OwnTunable::id) != tunables.end()) return tuned(name, tuning);
  const auto let = std::ranges::find(lets, name, [](const auto& one) { return std::string_view(one.first); });
  const auto place = static_cast<std::size_t>(let - lets.begin());
  if (place >= lets_before) return std::nullopt;
  if (const auto found = known.find(name); found != known.end()) return found->second;
  // Made of those before it, and only once, so that this comes to an end soon.
  const long long value =
      let->second.value([&](std::string_view other) { return number(other, place, problem, tuning, known); });
  known.emplace(name, value);
  return value;
}

Names KernelFile::names(const Problem& problem, const Tuning& tuning) const {
  return [this, &problem, tuning, known = std::make_shared<Known>()](std::string_view name) {
    return number(name, lets.size(), problem, tuning, *known);
  };
}

std::vector<SourceError> not_emulated(const KernelFile& file) {
  static constexpr std::pair<std::string_view, std::string_view> words[] = {
      {"asm", "PTX text"},
      {"__asm__", "PTX text"},
      {"<<<", "a launch from the device"},
      {"cudaLaunchDevice", "a launch from the device"},
      {"clock", "the clock"},
      {"clock64", "the clock"},
      {"__nanosleep", "the clock"},
      {"__globaltimer", "the clock"},
      {"__tile_global__", "a tile kernel"},
      {"wmma", "a matrix instruction"},
      {"wgmma", "a matrix instruction"},
      {"nvcuda", "a matrix instruction"},
      {"cooperative_groups", "cooperative groups"},
      {"__pipeline_memcpy_async", "an asynchronous copy"},
      {"cudaTextureObject_t", "a texture"},
      {"tex2D", "a texture"},
      {"malloc", "memory from a heap"},
      {"printf", "output of text"}};
  constexpr std::string_view includes[] = {"include", "include_next", "import"};
  std::vector<SourceError> found;
  const std::vector<Token> tokens = tokens_of(file.text);
  for (std::size_t i = 0; i < tokens.size(); ++i) {
    for (const auto& [word, what] : words)
      if (tokens[i].is(word))
        found.emplace_back(tokens[i].place, "'" + std::string(word) + "' is " + std::string(what) +
                                                ", which the emulator cannot run: judging it takes a GPU");
    if (tokens[i].is("%") && tokens[i + 1].is(":")) found.emplace_back(tokens[i].place, "write # instead of %:");
    const bool include =
        tokens[i].is("#") && std::ranges::any_of(includes, [&](auto w) { return tokens[i + 1].is(w); });
    if (include && !(tokens[i + 2].kind == Token::Kind::text && tokens[i + 2].word == "convoscope_kernel.h"))
      found.emplace_back(tokens[i].place,
                         "only \"convoscope_kernel.h\" can be included: the emulator has no other header");
    if (include) i += 2;
  }
  return found;
}

}  // namespace convoscope::own
