// The options that say which problems of which kind are meant.
#include "app/cli/options/problem_arguments.h"

#include <algorithm>

#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/contract/sweep.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::vector<std::string> strategy_ids_of(const std::vector<const Kind*>& kinds) {
  std::vector<std::string> ids;
  for (const Kind* kind : kinds)
    for (const std::string& id : strategy_ids(*kind))
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(id);
  return ids;
}

// The named ones of all that there are.
template <class Value, std::size_t Count>
std::vector<Value> read_choices(const Texts& texts, const char* option, const char* what,
                                const std::array<Value, Count>& all) {
  std::vector<Value> chosen;
  for (const std::string& word : texts.list(option)) chosen.push_back(parse_named(what, word, all));
  return chosen;
}

// Of kinds whose problems are shapes with a pass; refused with the others, as their options are with these.
void read_shapes(const Texts& texts, Invocation& invocation) {
  const auto given = [&](std::initializer_list<const char*> names) {
    return std::ranges::find_if(names, [&](const char* name) { return texts.has(name); });
  };
  const std::initializer_list<const char*> of_shapes{"--shape", "--pass", "--type", "--layout"},
      of_sizes{"--size", "--radius", "--taps"};
  if (const auto name = given(of_shapes); name != of_shapes.end())
    if (const Kind& kind = only_kind(invocation); !kind.problem)
      throw Error(std::string(*name) + " '" + texts.last(*name) + "' is for layers, not for " + std::string(kind.id) +
                  "s. Add --kind layer.");
  if (invocation.kinds.size() != 1 || !invocation.kinds[0]->problem) return;
  if (const auto name = given(of_sizes); name != of_sizes.end())
    throw Error(std::string(*name) + " '" + texts.last(*name) + "' is for images. Give --shape instead, like --shape " +
                invocation.kinds[0]->shape(invocation.kinds[0]->benchmarks()[0]) + ".");
  invocation.passes = read_choices(texts, "--pass", "pass", all_passes);
  invocation.precisions = read_choices(texts, "--type", "type", all_precisions);
  invocation.layouts = read_choices(texts, "--layout", "layout", all_layouts);
  if (!texts.has("--shape")) return;
  invocation.shapes = texts.options.at("--shape");
  if (std::ranges::find(invocation.shapes, "") != invocation.shapes.end())
    throw Error("--shape is empty. Give numbers, like --shape " +
                invocation.kinds[0]->shape(invocation.kinds[0]->benchmarks()[0]) + ".");
}

int parse_value(const SweepParameter& parameter, const std::string& word) {
  if (parameter.words.empty())
    return parse_whole("--over " + std::string(parameter.id) + " (" + std::string(parameter.unit) + ")", word,
                       parameter.least, parameter.most);
  const std::vector<std::string> words(parameter.words.begin(), parameter.words.end());
  parse_choice(parameter.id, word, words);
  return static_cast<int>(std::ranges::find(words, word) - words.begin());
}

}  // namespace

void add_kind(CLI::App& app, Texts& texts, const char* group, const std::string& what) {
  std::string names;
  for (const Kind* kind : kinds()) names += (names.empty() ? "" : ", ") + std::string(kind->id);
  option(app, texts, "--kind", "NAME", group, what + " " + names);
}

void add_shape(CLI::App& app, Texts& texts, const char* group) {
  option(app, texts, "--shape", "SHAPE", group,
         "For a layer: N,C,H,W,M,K, and if wanted ,stride= ,padding=\n,dilation= ,groups=; repeatable");
  option(app, texts, "--pass", "NAME,...", group, "For a layer: forward, to-input, to-weights (default all)");
  option(app, texts, "--type", "NAME,...", group, "For a layer: f32, tf32, f16; sums are float32 always");
  option(app, texts, "--layout", "NAME,...", group, "For a layer: nchw (planes) or nhwc (channels side by side)");
}

void add_over(CLI::App& app, Texts& texts, const char* group) {
  std::string help = "Varies one of these numbers over the values given; repeatable";
  for (const Kind* const kind : kinds()) {
    help += "\n" + std::string(kind->id) + ":";
    for (const SweepParameter& parameter : kind->parameters) help += " " + std::string(parameter.id);
  }
  option(app, texts, "--over", "NAME=N,N,...", group, help);
}

void read_kind(const Texts& texts, Invocation& invocation) {
  std::vector<std::string> known;
  for (const Kind* kind : kinds()) known.emplace_back(kind->id);
  for (const std::string& id : texts.list("--kind")) {
    const Kind* kind = find_kind(parse_choice("kind", id, known));
    if (std::ranges::find(invocation.kinds, kind) == invocation.kinds.end()) invocation.kinds.push_back(kind);
  }
}
const Kind& only_kind(Invocation& invocation) {
  if (invocation.kinds.empty()) invocation.kinds = {Problem().kind};
  if (invocation.kinds.size() > 1)
    throw Error("--kind takes one here, not " + std::to_string(invocation.kinds.size()) + ".");
  return *invocation.kinds[0];
}

void read_strategies(const Texts& texts, const std::string& name, const std::vector<const Kind*>& kinds,
                     std::vector<std::string>& into) {
  const std::vector<std::string> known = strategy_ids_of(kinds);
  for (const std::string& id : texts.list(name)) into.push_back(parse_choice("strategy", id, known));
}

void read_problem(const Texts& texts, Invocation& invocation) {
  if (texts.options.contains("--filter"))
    for (const std::string& text : texts.options.at("--filter")) {
      const Kind& kind = only_kind(invocation);
      if (kind.has_catalogue)
        invocation.filters.push_back(named_filter(text));
      else
        invocation.filters.push_back({.kind = "custom", .values = {}, .filter = kind.parse(text)});
    }
  for (const std::string& text : texts.list("--border")) invocation.borders.push_back(parse_border(text));
  for (const std::string& text : texts.list("--format")) invocation.formats.push_back(parse_format(text));
  for (const std::string& text : texts.list("--size"))
    invocation.sizes.push_back(parse_size("--size", text, 1, max_side));
  read_shapes(texts, invocation);
}

void read_rows(const Texts& texts, const Kind& kind, Invocation& invocation) {
  for (const char* other : {"--filter", "--radius"})
    if (texts.has("--taps") && texts.has(other))
      throw Error("--taps '" + texts.last("--taps") + "' and " + other + " '" + texts.last(other) +
                  "' exclude each other: both say what the filter is.");
  for (const std::string& text : texts.list("--taps")) {
    invocation.taps.push_back(parse_whole("--taps", text, 1, max_filter_taps_1d));
    if (invocation.taps.back() % 2 == 0)
      throw Error("--taps '" + text + "' is even; it must be odd so that the filter has a centre.");
  }
  if (texts.has("--samples")) {
    if (kind.width_name != "samples")
      throw Error("--samples '" + texts.last("--samples") + "' is for signals. Add --kind signal, or give --size.");
    invocation.samples = parse_whole("--samples", texts.last("--samples"), 1, 1 << 28);
  }
  if (texts.has("--radius") && !kind.has_catalogue)
    throw Error("--radius '" + texts.last("--radius") + "' is for images. Give --filter instead, like box:radius=1.");
  if (texts.has("--size") && kind.width_name == "samples")
    throw Error("--size '" + texts.last("--size") + "' is for images and volumes. Give --samples instead.");
}

void read_over(const Texts& texts, const Kind& kind, Invocation& invocation) {
  if (!texts.has("--over")) return;
  if (kind.parameters.empty()) throw Error("--over: nothing of the kind " + std::string(kind.id) + " can be varied.");
  std::vector<std::string> ids;
  for (const SweepParameter& parameter : kind.parameters) ids.emplace_back(parameter.id);
  for (const std::string& text : texts.options.at("--over")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw Error("--over '" + text + "' has no values. Write it like " + ids.front() + "=1,2,4.");
    const SweepParameter& parameter =
        *find_parameter(kind, parse_choice("number of the " + std::string(kind.id), text.substr(0, equals), ids));
    if (std::ranges::find(invocation.over, &parameter, &Invocation::Over::parameter) != invocation.over.end())
      throw Error("--over " + std::string(parameter.id) + " is given twice. Give all of its values at once.");
    Invocation::Over& over = invocation.over.emplace_back(Invocation::Over{&parameter, {}});
    for (const std::string& word : split_list(text.substr(equals + 1), ','))
      over.values.push_back(parse_value(parameter, word));
  }
}

}  // namespace convoscope
