#include "app/cli/commands/list_data.h"

#include <cstdio>
#include <span>
#include <string_view>

#include "app/cli/commands/report.h"
#include "app/cli/options/workbench_option.h"
#include "app/state/sound_kind.h"
#include "app/state/workbench.h"
#include "kernels/filter/banks/bank_catalogue.h"
#include "kernels/filter/signal_catalogue.h"

namespace convoscope {

void print(const std::string& text) { std::fwrite(text.data(), 1, text.size(), stdout); }
void print(const TextTable& table, const std::string& below) {
  print(table.text(output_columns()) + in_lines(below, output_columns()));
}

namespace {

using nlohmann::ordered_json;

// With the backend and availability of the contract's rows: what is data, every backend takes.
ordered_json data_row(std::string_view id, std::string_view title, std::string_view idea) {
  return {{"id", id}, {"title", title}, {"backend", "any"}, {"available", true}, {"reason", ""}, {"idea", idea}};
}

template <class Kind>
ordered_json filter_json(const Kind& kind) {
  ordered_json parameters = ordered_json::array();
  for (const FilterParameter& p : kind.parameters)
    parameters.push_back({{"id", p.id},
                          {"title", p.title},
                          {"unit", p.unit},
                          {"minimum", p.minimum},
                          {"maximum", p.maximum},
                          {"initial", p.initial},
                          {"step", p.step}});
  for (std::size_t i = 0; i < kind.parameters.size(); ++i)
    if (!kind.parameters[i].word.empty()) parameters[i]["word"] = kind.parameters[i].word;
  ordered_json row = data_row(kind.id, kind.title, kind.idea);
  row["parameters"] = parameters;
  return row;
}

// "radius=4 (0…63)", "neighbours=4 (4 or 8)", "sigma=0 (auto: radius / 2; up to 64; or opencv)"
std::string parameter_text(const FilterParameter& p) {
  const std::string most = significant(p.maximum, 6), few = few_values(p);
  return std::string(p.id) + "=" + significant(p.initial, 6) + " (" +
         (is_automatic(p, p.initial) ? "auto: " + std::string(automatic_rule(p)) + "; up to " + most
          : !few.empty()             ? few
                                     : significant(p.minimum, 6) + "…" + most) +
         (p.word.empty() ? std::string() : "; or " + std::string(p.word)) + ")";
}

template <class Kind>
void list_filters(std::span<const Kind> kinds, const char* footnote, bool json) {
  ordered_json out = ordered_json::array();
  TextTable table({"Filter", "Parameters", "What it does"}, "llw");
  for (const Kind& kind : kinds) {
    out.push_back(filter_json(kind));
    std::string parameters;
    for (const FilterParameter& p : kind.parameters) parameters += (parameters.empty() ? "" : "\n") + parameter_text(p);
    table.add({std::string(kind.id), parameters, std::string(kind.idea)});
  }
  json ? print(json_text(out)) : print(table, footnote);
}

}  // namespace

void list_filters(const Invocation& invocation) {
  if (!invocation.kinds.empty() && invocation.kinds.front() == &sound_kind)
    return list_filters(
        signal_filter_kinds(),
        "\nFor sound (--sound SPEC) and signals. An odd number of taps (\"0.25 0.5 0.25\") is a filter as "
        "well; verify and bench take all filters for pictures, too, by their sums over the columns.\n",
        invocation.json);
  list_filters(
      filter_kinds(),
      "\nEvery filter also takes gain=, bias= and absolute=. A matrix (\"0 -1 0; -1 5 -1; 0 -1 0\") and a JSON "
      "file with name, width, height, weights, gain, bias are filters as well. Those for sound: convoscope list "
      "filters --kind signal.\n",
      invocation.json);
}

void list_banks(bool json) {
  ordered_json out = ordered_json::array();
  TextTable table({"Bank", "Title", "What its maps show"}, "llw");
  for (const BankKind& kind : bank_kinds()) {
    out.push_back(data_row(kind.id, kind.title, kind.idea));
    table.add({std::string(kind.id), std::string(kind.title), std::string(kind.idea)});
  }
  for (const NetworkKind& kind : network_kinds()) {
    out.push_back(data_row(kind.id, kind.title, kind.idea));
    table.add({std::string(kind.id), std::string(kind.title), std::string(kind.idea)});
  }
  if (json) return print(json_text(out));
  print(
      table,
      "\nA file can be a bank as well: .json with name, maps, channels, width, height, weights and, if wanted, biases "
      "and relu; .npy of shape [maps, channels, K, K]. A network of up to 8 layers is a folder of .npy files, or a "
      ".npz "
      "or .safetensors file, whose names order the layers.\n");
}

void list_workbenches(bool json) {
  ordered_json out = ordered_json::array();
  TextTable table({"Workbench", "Kind", "What it is"}, "llw");
  for (const Workbench& bench : workbenches) {
    out.push_back(data_row(word_of(bench), bench.title, bench.idea));
    out.back()["kind"] = bench.id;
    table.add({word_of(bench), std::string(bench.id), bench.idea});
  }
  json ? print(json_text(out)) : print(table);
}

}  // namespace convoscope
