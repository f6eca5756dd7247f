// Reads an experiment's file.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <set>

#include "app/cli/experiment/experiment.h"
#include "app/cli/experiment/json_place.h"
#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/files/json_parts.h"
#include "kernels/filter/filter_catalogue.h"
#include "kernels/filter/signal_catalogue.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::size_t most_problems = 100, most_entries = 100, most_claims = 100;
constexpr std::size_t most_experiment_bytes = 1 << 20;
constexpr std::size_t longest_filter = 20'000;
constexpr int most_experiment_runs = 10'000, longest_signal = 1 << 26;

std::vector<std::string> kind_names() {
  std::vector<std::string> names;
  for (const Kind* kind : kinds()) names.emplace_back(kind->id);
  return names;
}

const Kind& kind_of(const JsonPlace& place) {
  const auto named = place.find("kind");
  if (!named) return *Problem().kind;
  return *named->checked([&] { return find_kind(parse_choice("kind", named->text(), kind_names())); });
}

// A file of somebody else's opens no other: it is a name of the catalogue, or numbers.
Filter filter_of(const JsonPlace& place, const Kind& kind) {
  const std::string text = place.text(longest_filter);
  if (text.find_first_not_of("0123456789+-.eE/,; \t\n") == std::string::npos)
    return place.checked([&] { return parse_matrix(text); });
  std::vector<std::string> known = filter_words();
  const std::string name = text.substr(0, text.find(':'));
  const bool of_signals = kind.width_name == "samples" && find_signal_filter_kind(name);
  if (!of_signals) place.checked([&] { return parse_choice("filter", name, known); });
  return place.checked([&] { return kind.has_catalogue ? parse_filter(text).filter : kind.parse(text); });
}

template <class Value, std::size_t Count>
Value named_or(const JsonPlace& place, std::string_view key, const std::array<Value, Count>& all, Value otherwise) {
  const auto found = place.find(key);
  return found ? found->checked([&] { return parse_named(key, found->text(), all); }) : otherwise;
}

// What is asked for by a slip of the pen would fill the memory.
void check_size_of_layer(const Problem& problem) {
  constexpr double most = 1 << 30;
  double elements = 0;
  for (const auto& shapes : {problem.kind->inputs(problem), problem.kind->outputs(problem)})
    for (const Shape& each : shapes) elements += static_cast<double>(each.elements());
  const Filter& bank = problem.filter;
  elements += static_cast<double>(bank.maps) * bank.channels * bank.width * bank.height;
  if (elements > most) throw Error("This layer has more numbers than an experiment may: 1,073,741,824.");
}

void read_layer(const JsonPlace& place, const Kind& kind, Experiment::Problem& out) {
  const JsonPlace shape = place.at("shape");
  out.problem = shape.checked([&] {
    const Pass pass = named_or(place, "pass", all_passes, Pass::forward);
    const Filter no_weights;
    check_size_of_layer(kind.problem(shape.text(), pass, &no_weights));  // before its weights are made
    Problem made = kind.problem(shape.text(), pass, nullptr);
    made.layer.precision = named_or(place, "type", all_precisions, Precision::f32);
    made.layer.layout = named_or(place, "layout", all_layouts, Layout::nchw);
    return made;
  });
  out.filter = out.problem.filter.name;
}

void read_frame(const JsonPlace& place, const Kind& kind, Experiment::Problem& out) {
  const JsonPlace filter = place.at("filter");
  out.problem.filter = filter_of(filter, kind);
  out.filter = filter.text(longest_filter);
  if (kind.width_name == "samples") {
    out.problem.width = place.at("samples").whole(1, longest_signal);
    out.problem.height = place.has("channels") ? place.at("channels").whole(1, 64) : 1;
  } else {
    const JsonPlace size = place.at("size");
    const Size pixels = size.checked([&] { return parse_size("size", size.text(), 1, max_side); });
    out.problem.width = pixels.width, out.problem.height = pixels.height;
  }
  out.problem.border = named_or(place, "border", all_borders, Border::replicate);
  out.problem.format = kind.formats[0];
  if (const auto format = place.find("format"))
    out.problem.format = format->checked([&] { return parse_format(format->text()); });
  if (std::ranges::find(kind.formats, out.problem.format) == kind.formats.end())
    place.refuse("There is no " + std::string(kind.id) + " of that format.");
}

Experiment::Problem read_problem(const JsonPlace& place) {
  place.only(
      {"name", "kind", "filter", "size", "samples", "channels", "format", "border", "shape", "pass", "type", "layout"});
  Experiment::Problem out;
  const Kind& kind = kind_of(place);
  if (kind.problem)
    read_layer(place, kind, out);
  else
    read_frame(place, kind, out);
  out.problem.kind = &kind;
  if (const std::string why = kind.invalid(out.problem); !why.empty()) place.refuse(why + ".");
  out.name = place.has("name") ? place.at("name").text() : out.filter + ", " + kind.describe(out.problem);
  return out;
}

Backend backend_of(const JsonPlace& place) {
  return place.checked([&] {
    return parse_choice("backend", place.text(), std::vector<std::string>{"cpu", "cuda"}) == "cpu" ? Backend::cpu
                                                                                                   : Backend::cuda;
  });
}

// Of CUDA's, which this build may be without, the emulated list tells.
const Strategy* known_strategy(Backend backend, const std::string& id, const Kind& kind) {
  return find_strategy(backend == Backend::cpu ? backend : Backend::emulated, id, kind);
}

// A list of values makes an entry of each: their names say which.
void add_tunings(const JsonPlace& place, const Experiment::Entry& entry, std::vector<Experiment::Entry>& out) {
  std::vector<Experiment::Entry> all{entry};
  const auto members = place.has("tuning") ? place.at("tuning").members() : decltype(place.members())();
  for (const auto& [id, value] : members) {
    std::vector<Experiment::Entry> more;
    const bool several = value.value().is_array();
    const std::vector<JsonPlace> values = several ? value.list(most_entries) : std::vector{value};
    for (const Experiment::Entry& each : all)
      for (const JsonPlace& one : values) {
        const std::string text = id + "=" + std::to_string(one.whole(0, 1 << 20));
        Experiment::Entry& made = more.emplace_back(each);
        made.tuning.merge(one.checked([&] { return parse_tuning({text}, {entry.strategy}, *entry.kind); }));
        if (several) made.name += " " + text;
      }
    if (more.size() > most_entries) value.refuse("These are too many tunings for one experiment.");
    all = std::move(more);
  }
  out.insert(out.end(), all.begin(), all.end());
}

void read_entry(const JsonPlace& place, std::vector<Experiment::Entry>& out) {
  place.only({"name", "strategy", "backend", "kind", "tuning", "note"});
  Experiment::Entry entry;
  entry.kind = &kind_of(place);
  const JsonPlace strategy = place.at("strategy");
  entry.strategy =
      strategy.checked([&] { return parse_choice("strategy", strategy.text(), strategy_ids(*entry.kind)); });
  if (place.has("backend"))
    entry.backend = backend_of(place.at("backend"));
  else
    entry.backend = find_strategy(Backend::cpu, entry.strategy, *entry.kind) ? Backend::cpu : Backend::cuda;
  if (!known_strategy(entry.backend, entry.strategy, *entry.kind))
    strategy.refuse("The strategy " + in_quotes(entry.strategy) + " does not run with the " + to_string(entry.backend) +
                    " backend.");
  entry.name = place.has("name") ? place.at("name").text(80) : entry.strategy;
  if (place.has("note")) entry.note = place.at("note").text();
  add_tunings(place, entry, out);
}

void check_names(const JsonPlace& place, const std::vector<std::string>& names, const char* what) {
  std::set<std::string> seen;
  for (const std::string& name : names)
    if (!seen.insert(name).second)
      place.refuse("Two " + std::string(what) + " are named " + in_quotes(name) + ". Give each a \"name\" of its own.");
}

int place_of(const JsonPlace& place, const char* what, const std::vector<std::string>& names) {
  return place.checked([&] {
    return static_cast<int>(std::ranges::find(names, parse_choice(what, place.text(), names)) - names.begin());
  });
}

std::vector<int> places_of(const JsonPlace& list, const char* what, const std::vector<std::string>& names) {
  std::vector<int> places;
  for (const JsonPlace& each : list.list(most_entries)) places.push_back(place_of(each, what, names));
  return places;
}

std::optional<double> number_at(const JsonPlace& place, std::string_view key) {
  return place.has(key) ? std::optional(place.at(key).positive()) : std::nullopt;
}

std::vector<Experiment::Step> read_steps(const JsonPlace& ladder, const std::vector<std::string>& names) {
  std::vector<Experiment::Step> steps;
  std::vector<std::string> so_far;
  for (const JsonPlace& place : ladder.list(most_entries)) {
    place.only({"strategy", "after", "published"});
    Experiment::Step step{.entry = place_of(place.at("strategy"), "strategy in this file", names),
                          .after = static_cast<int>(steps.size()) - 1};
    if (const auto after = place.find("after")) {
      if (steps.empty()) after->refuse("The first step comes after none.");
      step.after = place_of(*after, "earlier step", so_far);
    }
    if (const auto published = place.find("published")) {
      published->only({"factor", "total", "region_reads"});
      step.factor = number_at(*published, "factor");
      step.total = number_at(*published, "total");
      step.region_reads = number_at(*published, "region_reads");
    }
    so_far.push_back(names[static_cast<std::size_t>(step.entry)]);
    steps.push_back(step);
  }
  check_names(ladder, so_far, "steps");
  return steps;
}

Experiment::Claim read_claim(const JsonPlace& place, const std::vector<std::string>& problems,
                             const std::vector<std::string>& entries) {
  place.only({"says", "source", "faster", "than", "on"});
  Experiment::Claim claim{.says = place.at("says").text(),
                          .source = place.has("source") ? place.at("source").text() : "",
                          .faster = places_of(place.at("faster"), "strategy in this file", entries),
                          .than = places_of(place.at("than"), "strategy in this file", entries),
                          .problems = {}};
  if (const auto on = place.find("on")) {
    claim.problems = places_of(*on, "problem in this file", problems);
  } else {
    for (std::size_t i = 0; i < problems.size(); ++i) claim.problems.push_back(static_cast<int>(i));
  }
  return claim;
}

void read_statistic(const JsonPlace& place, Experiment& out) {
  place.only({"of", "runs"});
  const std::vector<std::string> words{"median", "mean"};
  if (const auto of = place.find("of"))
    out.statistic = of->checked([&] { return parse_choice("statistic", of->text(), words); }) == "mean"
                        ? Statistic::mean
                        : Statistic::median;
  if (const auto runs = place.find("runs")) out.runs = runs->whole(1, most_experiment_runs);
  if (out.statistic == Statistic::mean && !out.runs) place.refuse("A mean is of a fixed number of \"runs\".");
}

}  // namespace

Experiment read_experiment(const std::string& text, const std::string& whose) {
  const JsonDocument document(text, whose);
  const JsonPlace root(document);
  root.only({"convoscope_experiment", "title", "about", "published_by", "statistic", "problems", "strategies", "ladder",
             "claims"});
  const JsonPlace version = root.at("convoscope_experiment");
  if (version.whole(1, 1 << 20) > experiment_version)
    version.refuse("This version of the program reads experiments up to " + std::to_string(experiment_version) +
                   ". Update the program.");
  Experiment out{.title = root.at("title").text(), .text = text};
  if (root.has("about")) out.about = root.at("about").text(2000);
  if (root.has("published_by")) out.published_by = root.at("published_by").text();
  if (const auto statistic = root.find("statistic")) read_statistic(*statistic, out);
  std::vector<std::string> problems, entries;
  for (const JsonPlace& place : root.at("problems").list(most_problems))
    problems.push_back(out.problems.emplace_back(read_problem(place)).name);
  for (const JsonPlace& place : root.at("strategies").list(most_entries)) read_entry(place, out.entries);
  for (const Experiment::Entry& entry : out.entries) entries.push_back(entry.name);
  check_names(root.at("problems"), problems, "problems");
  check_names(root.at("strategies"), entries, "strategies");
  if (const auto ladder = root.find("ladder")) out.steps = read_steps(*ladder, entries);
  if (const auto claims = root.find("claims"))
    for (const JsonPlace& place : claims->list(most_claims)) out.claims.push_back(read_claim(place, problems, entries));
  if (parts_of(out).empty()) root.at("strategies").refuse("No strategy is of the kind of any problem.");
  return out;
}

Experiment open_experiment(const std::string& file_or_name) {
  std::error_code error;
  if (!std::filesystem::exists(file_or_name, error))
    for (const ShippedExperiment& shipped : shipped_experiments())
      if (shipped.name == file_or_name)
        return read_experiment(std::string(shipped.text), "The experiment " + in_quotes(file_or_name));
  std::vector<std::string> names;
  for (const ShippedExperiment& shipped : shipped_experiments()) names.emplace_back(shipped.name);
  if (!std::filesystem::exists(file_or_name, error))
    throw Error("There is no experiment file " + in_quotes(file_or_name) +
                ". Give a file, or one of these: " + joined(names) + ".");
  return read_experiment(json_parts::read_file(file_or_name, "experiment file", most_experiment_bytes),
                         "The experiment file " + in_quotes(file_or_name));
}

std::vector<ExperimentPart> parts_of(const Experiment& experiment) {
  std::vector<ExperimentPart> parts;
  for (std::size_t p = 0; p < experiment.problems.size(); ++p)
    for (const Backend backend : {Backend::cpu, Backend::cuda}) {
      ExperimentPart part{.problem = static_cast<int>(p), .backend = backend, .entries = {}};
      for (std::size_t e = 0; e < experiment.entries.size(); ++e)
        if (experiment.entries[e].backend == backend &&
            experiment.entries[e].kind == experiment.problems[p].problem.kind)
          part.entries.push_back(static_cast<int>(e));
      if (!part.entries.empty()) parts.push_back(std::move(part));
    }
  return parts;
}

std::string text_mark(std::string_view text) {
  std::uint64_t hash = 14695981039346656037u;
  for (const char c : text) hash = (hash ^ static_cast<unsigned char>(c)) * 1099511628211u;
  char mark[17];
  std::snprintf(mark, sizeof mark, "%016llx", static_cast<unsigned long long>(hash));
  return mark;
}

}  // namespace convoscope
