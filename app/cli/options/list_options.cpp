// The options of list, verify and doctor.
#include <algorithm>
#include <map>

#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "app/media/sources/source.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

void read_listing(Reading& at) {
  using Listing = Invocation::Listing;
  const std::string what = parse_choice("list of", at.text(), listing_words());
  const std::map<std::string, Listing> listings{{"strategies", Listing::strategies},
                                                {"filters", Listing::filters},
                                                {"banks", Listing::banks},
                                                {"workbenches", Listing::benches},
                                                {"sources", Listing::sources},
                                                {"devices", Listing::devices},
                                                {"tiles", Listing::tiles}};
  const auto known = listings.find(what);
  at.invocation.listing = known == listings.end() ? Listing::choices : known->second;
  if (known != listings.end()) return;
  for (const Source* const source : sources())
    if (listing_word(source->kind.id) == what) at.invocation.listed_source = source->kind.id;
}

// Of list tiles: what its tables go over.
void read_tile_numbers(Reading& at) {
  constexpr int most = 4096;
  if (at.invocation.listing != Invocation::Listing::tiles)
    throw Error("--over " + in_quotes(at.text()) + " is for list tiles. What is measured is varied by bench --over.");
  for (const std::string& text : at.texts.options.at("--over")) {
    const std::size_t equals = std::min(text.find('='), text.size());
    const std::string id = parse_choice("number of a tile", text.substr(0, equals), tile_numbers());
    if (equals == text.size()) throw Error("--over " + in_quotes(text) + " has no values. Write it like T=8,16,32.");
    Invocation::OverTunable over{id, {}};
    for (const std::string& word : split_list(text.substr(equals + 1), ',')) {
      over.values.push_back(parse_whole("--over " + id, word, 1, most));
      if (id == "M" && over.values.back() % 2 == 0)
        throw Error("--over M=" + word + " is even; it must be odd so that the filter has a centre.");
    }
    at.invocation.over_tunables.push_back(std::move(over));
  }
}

}  // namespace

std::vector<std::string> tile_numbers() { return {"T", "M", "B", "n"}; }

Command list_command() {
  constexpr const char* problem = "The problem that strategies are asked about";
  return {
      "list",
      "Lists what there is: the strategies of the ladder with what theory says about one problem, the filters,\nthe "
      "banks of filters, the workbenches, the devices and the sources. It also lists what each source offers, such\nas "
      "cameras with their modes; and what tiles save, by their size and the filter's.",
      "Example:\n  convoscope list strategies --json --filter gaussian:radius=8 --size 3840x2160",
      joined_blocks(
          {block("Options", Turn::first, {{"WHAT", "", joined(listing_words()), read_listing, listing_words}}),
           block("Output", Turn::usual, {{"--json", "", "JSON instead of a table", sets(&Invocation::json)}}),
           kind_options(problem, "What is filtered (default image):"),
           block(problem, Turn::usual,
                 {{"--filter", "SPEC", "The filter (default gaussian:radius=2)", read_filters, filter_words},
                  {"--size", "WxH", "The size (default 1920x1080)", read_sizes},
                  {"--format", "NAME", "rgba8 or gray32f", read_formats, format_words},
                  {"--border", "NAME", "zero, replicate, mirror or wrap", read_borders, border_words}}),
           shape_options(problem),
           block(problem, Turn::usual,
                 {{"--tune", "NAME=NUMBER", "A tunable, like block_width=16; repeatable", read_tuning}}),
           block("Tiles", Turn::usual,
                 {{"--over", "NAME=N,N,...",
                   "Of list tiles. T: outputs along a tile's sides, M: the filter's width.\n"
                   "B: outputs of a block of one row, n: the filter's radius",
                   read_tile_numbers}}),
           backend_options("Machine")})};
}

void parse_list(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = list_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("WHAT")) throw Error("Say what to list: " + joined(listing_words()) + ".");
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  check_problem(texts, only_kind(invocation));
  read_turn(command.options, Turn::usual, at);
}

Command verify_command() {
  constexpr const char* what = "What is checked (default: everything that can run here)";
  return {
      "verify",
      "Runs strategies on images, signals, volumes and layers of odd sizes and compares every output with the "
      "reference,\ncomputed in double precision. Ends with 1 if one is outside its tolerance.",
      "Examples:\n  convoscope verify --strategy constant --border mirror\n  convoscope verify --backend emulated "
      "--small --json",
      joined_blocks({kind_options(what, "Only these, separated by commas:"),
                     block(what, Turn::late,
                           {{"--strategy", "ID", "Only this one; repeatable, or separated by commas", read_strategies,
                             strategy_words}}),
                     block(what, Turn::usual,
                           {{"--filter", "SPEC", "Only this filter, of images unless --kind says otherwise; repeatable",
                             read_filters, filter_words},
                            {"--border", "NAME", "Only this border; repeatable", read_borders, border_words},
                            {"--format", "NAME", "Only rgba8 or gray32f", read_formats, format_words}}),
                     shape_options(what),
                     block(what, Turn::usual, {{"--small", "", "Fewer filters and sizes", sets(&Invocation::small)}}),
                     backend_options("Machine"),
                     block("Output", Turn::usual,
                           {{"--json", "", "JSON instead of a table", sets(&Invocation::json)},
                            {"--verbose", "", "Every row, not only those that failed", sets(&Invocation::verbose)}})})};
}

void parse_verify(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = verify_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  read_turn(command.options, Turn::usual, at);
  if (invocation.kinds.empty()) invocation.kinds.assign(kinds().begin(), kinds().end());
  read_turn(command.options, Turn::late, at);
}

Command doctor_command() {
  return {"doctor", "Tries what this machine can do, and says what each missing thing would bring. It changes nothing.",
          "Example:\n  convoscope doctor --json > this-machine.json",
          block("Output", Turn::usual, {{"--json", "", "JSON instead of sentences", sets(&Invocation::json)}})};
}

void parse_doctor(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = doctor_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  Reading at{texts, invocation};
  read_all(command.options, at);
}

}  // namespace convoscope
