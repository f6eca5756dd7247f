#include "app/cli/options/problem_options.h"

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

// The kind of a row that is for layers alone, whose problems are shapes with a pass.
const Kind& kind_with_shapes(const Reading& at) {
  const Kind& kind = only_kind(at.invocation);
  if (!kind.problem)
    throw Error(at.option + " '" + at.text() + "' is for layers, not for " + std::string(kind.id) +
                "s. Add --kind layer.");
  return kind;
}

// The named ones of all that there are.
template <class Value, std::size_t Count>
std::vector<Value> read_choices(const Reading& at, const char* what, const std::array<Value, Count>& all) {
  kind_with_shapes(at);
  std::vector<Value> chosen;
  for (const std::string& word : at.texts.list(at.option)) chosen.push_back(parse_named(what, word, all));
  return chosen;
}

std::string first_shape(const Kind& kind) { return kind.shape(kind.benchmarks()[0]); }

void read_shapes(Reading& at) {
  const Kind& kind = kind_with_shapes(at);
  at.invocation.shapes = at.texts.options.at("--shape");
  if (std::ranges::find(at.invocation.shapes, "") != at.invocation.shapes.end())
    throw Error("--shape is empty. Give numbers, like --shape " + first_shape(kind) + ".");
}

int parse_value(const SweepParameter& parameter, const std::string& word) {
  if (parameter.words.empty())
    return parse_whole("--over " + std::string(parameter.id) + " (" + std::string(parameter.unit) + ")", word,
                       parameter.least, parameter.most);
  const std::vector<std::string> words(parameter.words.begin(), parameter.words.end());
  parse_choice(parameter.id, word, words);
  return static_cast<int>(std::ranges::find(words, word) - words.begin());
}

void read_kinds(Reading& at) {
  std::vector<std::string> known;
  for (const Kind* kind : kinds()) known.emplace_back(kind->id);
  std::vector<const Kind*>& named = at.invocation.kinds;
  for (const std::string& id : at.texts.list("--kind")) {
    const Kind* kind = find_kind(parse_choice("kind", id, known));
    if (std::ranges::find(named, kind) == named.end()) named.push_back(kind);
  }
}

std::vector<std::string> named_or_all(const Reading& at) {
  const Invocation& named = at.invocation;
  std::vector<std::string> ids = named.strategies.empty() ? strategy_ids(*named.kinds[0]) : named.strategies;
  ids.insert(ids.end(), named.against.begin(), named.against.end());
  return ids;
}

bool is_tunable(const Reading& at, const std::string& id) {
  for (const std::string& strategy : named_or_all(at))
    for (const Backend backend : {Backend::cpu, Backend::emulated})
      if (const Strategy* const found = find_strategy(backend, strategy, *at.invocation.kinds[0]))
        if (std::ranges::find(found->tunables, id, &Tunable::id) != found->tunables.end()) return true;
  return id == tile_side;
}

void read_over_tunable(Reading& at, const std::string& id, const std::string& values) {
  constexpr int widest_tile = 1024;
  Invocation& invocation = at.invocation;
  if (std::ranges::find(invocation.over_tunables, id, &Invocation::OverTunable::id) != invocation.over_tunables.end())
    throw Error("--over " + id + " is given twice. Give all of its values at once.");
  Invocation::OverTunable over{id, {}};
  for (const std::string& word : split_list(values, ',')) {
    if (id != tile_side) parse_tuning({id + "=" + word}, named_or_all(at), *invocation.kinds[0]);
    over.values.push_back(parse_whole("--over " + id, word, 0, widest_tile));
  }
  invocation.over_tunables.push_back(std::move(over));
}

void read_over(Reading& at) {
  Invocation& invocation = at.invocation;
  const Kind& kind = only_kind(invocation);
  if (kind.parameters.empty()) throw Error("--over: nothing of the kind " + std::string(kind.id) + " can be varied.");
  std::vector<std::string> ids;
  for (const SweepParameter& parameter : kind.parameters) ids.emplace_back(parameter.id);
  for (const std::string& text : at.texts.options.at("--over")) {
    const std::size_t equals = text.find('=');
    if (equals == std::string::npos)
      throw Error("--over '" + text + "' has no values. Write it like " + ids.front() + "=1,2,4.");
    if (const std::string id = text.substr(0, equals); !find_parameter(kind, id) && is_tunable(at, id)) {
      read_over_tunable(at, id, text.substr(equals + 1));
      continue;
    }
    const SweepParameter& parameter =
        *find_parameter(kind, parse_choice("number of the " + std::string(kind.id), text.substr(0, equals), ids));
    if (std::ranges::find(invocation.over, &parameter, &Invocation::Over::parameter) != invocation.over.end())
      throw Error("--over " + std::string(parameter.id) + " is given twice. Give all of its values at once.");
    Invocation::Over& over = invocation.over.emplace_back(Invocation::Over{&parameter, {}});
    for (const std::string& word : split_list(text.substr(equals + 1), ','))
      over.values.push_back(parse_value(parameter, word));
  }
}

void add_chosen(const Reading& at, std::vector<std::string>& into) {
  const std::vector<std::string> known = strategy_ids_of(at.invocation.kinds);
  for (const std::string& id : at.texts.list(at.option)) into.push_back(parse_choice("strategy", id, known));
}

}  // namespace

Options kind_options(const char* group, const std::string& what) {
  std::string names;
  for (const Kind* kind : kinds()) names += (names.empty() ? "" : ", ") + std::string(kind->id);
  return block(group, Turn::first, {{"--kind", "NAME", what + " " + names, read_kinds}});
}

Options shape_options(const char* group) {
  return block(
      group, Turn::usual,
      {{"--shape", "SHAPE",
        "For a layer: N,C,H,W,M,K, and if wanted ,stride= ,padding=\n,dilation= ,groups=; repeatable", read_shapes},
       {"--pass", "NAME,...", "For a layer: forward, to-input, to-weights (default all)",
        [](Reading& at) { at.invocation.passes = read_choices(at, "pass", all_passes); }},
       {"--type", "NAME,...", "For a layer: f32, tf32, f16; sums are float32 always",
        [](Reading& at) { at.invocation.precisions = read_choices(at, "type", all_precisions); }, precision_words},
       {"--layout", "NAME,...", "For a layer: nchw (planes) or nhwc (channels side by side)",
        [](Reading& at) { at.invocation.layouts = read_choices(at, "layout", all_layouts); }, layout_words}});
}

Options over_options(const char* group) {
  std::string help = "Varies one of these numbers over the values given; repeatable";
  for (const Kind* const kind : kinds()) {
    help += "\n" + std::string(kind->id) + ":";
    for (const SweepParameter& parameter : kind->parameters) help += " " + std::string(parameter.id);
  }
  help += "\nor a tunable of the strategies (block_width), or T, the outputs of a\nblock along each side";
  return block(group, Turn::usual, {{"--over", "NAME=N,N,...", help, read_over}});
}

const Kind& only_kind(Invocation& invocation) {
  if (invocation.kinds.empty()) invocation.kinds = {Problem().kind};
  if (invocation.kinds.size() > 1)
    throw Error("--kind takes one here, not " + std::to_string(invocation.kinds.size()) + ".");
  return *invocation.kinds[0];
}

void read_filters(Reading& at) {
  const Kind& kind = only_kind(at.invocation);
  for (const std::string& text : at.texts.options.at("--filter"))
    at.invocation.filters.push_back(kind.has_catalogue
                                        ? named_filter(text)
                                        : FilterSpec{.kind = "custom", .values = {}, .filter = kind.parse(text)});
}

void read_borders(Reading& at) {
  for (const std::string& text : at.texts.list(at.option)) at.invocation.borders.push_back(parse_border(text));
}

void read_formats(Reading& at) {
  for (const std::string& text : at.texts.list(at.option)) at.invocation.formats.push_back(parse_format(text));
}

void read_sizes(Reading& at) {
  for (const std::string& text : at.texts.list(at.option))
    at.invocation.sizes.push_back(parse_size(at.option, text, 1, max_side));
}

void read_strategies(Reading& at) { add_chosen(at, at.invocation.strategies); }
void read_against(Reading& at) { add_chosen(at, at.invocation.against); }

void read_radii(Reading& at) {
  if (!only_kind(at.invocation).has_catalogue)
    throw Error("--radius '" + at.text() + "' is for images. Give --filter instead, like box:radius=1.");
  if (at.has("--filter"))
    throw Error("--radius '" + at.text() + "' and --filter '" + at.texts.last("--filter") +
                "' exclude each other. Give the radius with the filter, like gaussian:radius=4.");
  for (const std::string& text : at.texts.list(at.option))
    at.invocation.radii.push_back(parse_whole(at.option, text, 1, max_filter_radius));
}

void read_taps(Reading& at) {
  for (const char* other : {"--filter", "--radius"})
    if (at.has(other))
      throw Error("--taps '" + at.text() + "' and " + other + " '" + at.texts.last(other) +
                  "' exclude each other: both say what the filter is.");
  for (const std::string& text : at.texts.list(at.option)) {
    at.invocation.taps.push_back(parse_whole(at.option, text, 1, max_filter_taps_1d));
    if (at.invocation.taps.back() % 2 == 0)
      throw Error("--taps '" + text + "' is even; it must be odd so that the filter has a centre.");
  }
}

void read_samples(Reading& at) {
  if (only_kind(at.invocation).width_name != "samples")
    throw Error("--samples '" + at.text() + "' is for signals. Add --kind signal, or give --size.");
  at.invocation.samples = at.whole(1, 1 << 28);
}

void read_tuning(Reading& at) {
  const Kind& kind = only_kind(at.invocation);
  at.invocation.tuning = parse_tuning(at.texts.options.at("--tune"), named_or_all(at), kind);
}

void check_problem(const Texts& texts, const Kind& kind) {
  for (const char* name : {"--size", "--radius", "--taps"})
    if (kind.problem && texts.has(name))
      throw Error(std::string(name) + " '" + texts.last(name) + "' is for images. Give --shape instead, like --shape " +
                  first_shape(kind) + ".");
}

}  // namespace convoscope
