#include "app/cli/command_tables.h"

#include <algorithm>
#include <map>
#include <set>

#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "app/cli/options/workbench_option.h"
#include "kernels/contract/kind.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope {
namespace {

// Without the empty lines around it.
std::string trimmed(const std::string& text) {
  const std::size_t begin = text.find_first_not_of('\n');
  return begin == std::string::npos ? "" : text.substr(begin, text.find_last_not_of('\n') + 1 - begin);
}

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text.substr(0, text.find_last_not_of(' ') + 1);
}

CommandTable table_of(const std::string& name, void (*describe)(CLI::App&, Texts&)) {
  CLI::App app;
  Texts texts;
  describe(app, texts);
  CommandTable table{name, one_line(app.get_description()), trimmed(app.get_footer()), {}};
  for (const CLI::Option* option : app.get_options()) {
    OptionRow row{.value = option->get_type_name(),
                  .group = option->get_group(),
                  .help = one_line(option->get_description()),
                  .argument = option->get_positional(),
                  .required = option->get_items_expected_min() > 0};
    if (row.argument) row.names.push_back(option->get_name());
    for (const std::string& letter : option->get_snames()) row.names.push_back("-" + letter);
    for (const std::string& word : option->get_lnames()) row.names.push_back("--" + word);
    if (row.argument || option->get_items_expected() == 0) row.value.clear();
    table.rows.push_back(std::move(row));
  }
  std::ranges::stable_partition(table.rows, &OptionRow::argument);
  return table;
}

template <class Enum>
std::vector<std::string> words(std::initializer_list<Enum> values) {
  std::vector<std::string> out;
  for (const Enum value : values) out.emplace_back(to_string(value));
  return out;
}

// What libraries do, of any kind. The emulated lists have every row, also where there is no nvcc.
std::vector<std::string> peer_words() {
  std::set<std::string> words;
  for (const Kind* kind : kinds())
    for (const Strategy* strategy : strategies(Backend::emulated, *kind))
      if (strategy->peer) words.emplace(strategy->id);
  return {words.begin(), words.end()};
}

std::vector<std::string> filter_words() {
  std::vector<std::string> out;
  for (const FilterKind& kind : filter_kinds()) out.emplace_back(kind.id);
  return out;
}

}  // namespace

std::vector<CommandTable> command_tables() {
  return {
      table_of("", describe_window),     table_of("list", describe_list),          table_of("verify", describe_verify),
      table_of("bench", describe_bench), table_of("filter", describe_filter_file), table_of("doctor", describe_doctor)};
}

std::vector<std::string> values_of(const OptionRow& row) {
  static const std::map<std::string, std::vector<std::string>> known{
      {"--filter", filter_words()},
      {"--strategy", strategy_ids()},
      {"--compare", strategy_ids()},
      {"--workbench", workbench_words()},
      {"--bank", bank_words()},
      {"--border", names_of(all_borders)},
      {"--format", words({PixelFormat::rgba8, PixelFormat::gray32f})},
      {"--view", words({View::single, View::grid, View::split, View::difference, View::blink})},
      {"--backend",
       words({BackendChoice::automatic, BackendChoice::cuda, BackendChoice::cpu, BackendChoice::emulated})},
      {"--record-codec",
       words({RecordingCodec::automatic, RecordingCodec::h264, RecordingCodec::hevc, RecordingCodec::ffv1})},
      {"--record-quality", words({RecordingQuality::small, RecordingQuality::good, RecordingQuality::best})},
      {"--record-size", {"window", "source"}},
      {"--theme", {"dark", "light"}},
      {"--show", {"help", "palette"}},
      {"--against", peer_words()},
      {"--type", names_of(all_precisions)},
      {"--layout", names_of(all_layouts)},
      {"WHAT", listing_words()}};
  if (row.value == "on|off") return {"on", "off"};
  const auto found = known.find(row.name());
  return found == known.end() ? std::vector<std::string>() : found->second;
}

}  // namespace convoscope
