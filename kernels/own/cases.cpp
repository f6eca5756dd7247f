#include "kernels/own/cases.h"

#include <algorithm>
#include <random>

#include "kernels/filter/separability.h"
#include "kernels/text/number_text.h"

namespace convoscope::own {
namespace {

// std::uniform_int_distribution differs from library to library.
int within(std::mt19937& random, int least, int most) {
  return least + static_cast<int>(random() % static_cast<unsigned>(most - least + 1));
}

Filter secret_filter(std::mt19937& random, bool rows_too, bool magnitude) {
  Filter filter{.name = "secret"};
  filter.width = 2 * within(random, 0, 4) + 1;
  filter.height = rows_too ? 2 * within(random, 0, 4) + 1 : 1;
  const auto weight = [&] { return static_cast<float>(within(random, -99, 100)) / 100.0f; };
  const auto weights = [&] {
    std::vector<float> made(static_cast<std::size_t>(filter.taps()));
    for (float& w : made) w = weight();
    return made;
  };
  filter.weights = weights();
  if (magnitude)
    filter.weights_y = weights();
  else if (within(random, 0, 1) == 1)  // a column times a row
    for (int y = 0; y < filter.height; ++y)
      for (int x = 0; x < filter.width; ++x)
        filter.weights[static_cast<std::size_t>(y * filter.width + x)] =
            static_cast<float>((x + 2) * (2 * y + 1)) / static_cast<float>(filter.taps() * filter.taps() + 3);
  normalise(filter);
  if (within(random, 0, 1) == 1) {
    filter.gain = static_cast<float>(within(random, 5, 15)) / 10.0f;
    filter.bias = static_cast<float>(within(random, -4, 4)) / 16.0f;
    filter.absolute = within(random, 0, 3) == 0;
  }
  return filter;
}

Asked secret_case(const KernelFile& file, std::mt19937& random) {
  Asked asked;
  const bool frames = file.kind->has_catalogue && file.kind->formats.size() > 1;
  asked.secret = true;
  asked.seed = random() % 1'000'000;
  Problem& p = asked.problem;
  p.kind = file.kind;
  p.width = frames ? within(random, 1, 75) : within(random, 1, 900);
  p.height = frames ? within(random, 1, 45) : within(random, 1, 3);
  p.format = file.formats[random() % file.formats.size()];
  p.border = file.kind->borders[random() % file.kind->borders.size()];
  p.filter = secret_filter(random, frames, file.two_sets && within(random, 0, 4) == 0);
  for (const OwnTunable& tunable : file.tunables)
    if (within(random, 0, 2) == 0) asked.tuning[tunable.id] = tunable.values[random() % tunable.values.size()];
  return asked;
}

// What its table says that it takes: other formats and sets are nobody's business.
bool is_meant(const KernelFile& file, const Problem& p) {
  return std::ranges::find(file.formats, p.format) != file.formats.end() && (file.two_sets || !p.filter.is_magnitude());
}

}  // namespace

std::vector<Asked> cases_for(const KernelFile& file, unsigned seed, int secret) {
  std::vector<Asked> all;
  for (Case& one : file.kind->cases({.small = true, .filters = {}}))
    if (is_meant(file, one.problem))
      all.push_back({.problem = std::move(one.problem),
                     .tuning = {},
                     .seed = 0,
                     .secret = false,
                     .input = one.inputs.empty() ? std::vector<float>() : std::move(one.inputs[0])});
  std::ranges::stable_sort(all, std::ranges::greater(),
                           [](const Asked& a) { return static_cast<long long>(a.problem.width) * a.problem.height; });
  std::size_t turn = 0;
  for (const OwnTunable& tunable : file.tunables)
    for (const int value : tunable.values)
      for (Problem problem : file.kind->tuning_cases({.small = true, .filters = {}})) {
        if (value == tunable.initial) continue;
        problem.border = file.kind->borders[turn % file.kind->borders.size()];
        problem.format = file.formats[turn++ / 4 % file.formats.size()];
        if (is_meant(file, problem))
          all.push_back({.problem = std::move(problem), .tuning = {{tunable.id, value}}, .input = {}});
      }
  std::mt19937 random(seed);
  for (int i = 0; i < secret; ++i) all.push_back(secret_case(file, random));
  unsigned number = seed % 100'000;
  for (Asked& asked : all)
    if (!asked.secret) asked.seed = ++number;
  return all;
}

std::string case_in_words(const Asked& asked) {
  const Problem& p = asked.problem;
  std::string words = p.kind->describe(p) + ", filter " +
                      (p.filter.name.empty() || p.filter.name == "secret" ? size_text(p.filter) : p.filter.name) +
                      ", border " + std::string(to_string(p.border));
  for (const auto& [id, value] : asked.tuning) words += ", " + id + "=" + std::to_string(value);
  return words + (asked.secret ? " (secret)" : "");
}

}  // namespace convoscope::own
