// The options of listing.
#include <algorithm>

#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

std::vector<std::string> ids_of_every_kind() {
  std::vector<std::string> ids;
  for (const Kind* const kind : kinds())
    for (std::string& id : strategy_ids(*kind))
      if (std::ranges::find(ids, id) == ids.end()) ids.push_back(std::move(id));
  return ids;
}

// Without --kind, of the first kind in the order of the book that has it.
void read_listed_strategy(Reading& at) {
  std::vector<const Kind*>& named = at.invocation.kinds;
  const std::string id =
      parse_choice("strategy", at.text(), named.empty() ? ids_of_every_kind() : strategy_ids(*named[0]));
  at.invocation.strategies = {id};
  for (const Kind* const kind : kinds())
    if (const std::vector<std::string> ids = strategy_ids(*kind);
        named.empty() && std::ranges::find(ids, id) != ids.end())
      named = {kind};
}

}  // namespace

Command listing_command() {
  return {
      "listing",
      "Prints the source of a strategy, which the program carries with it: the kernel, and how it is launched. "
      "Standard\nerror names the files that it is made with; --part prints one of them.",
      "Examples:\n  convoscope listing tiled-halo\n  convoscope listing tiled-regions --kind signal --numbers\n"
      "  convoscope listing tiled-halo --part output_tile.h",
      joined_blocks(
          {kind_options("What is listed", "Of which ladder (default: the first that has it):"),
           block("What is listed", Turn::usual,
                 {{"STRATEGY", "", "Its id, as in convoscope list strategies", read_listed_strategy, strategy_words},
                  {"--part", "FILE", "A file that the strategy is made with, in place of its own",
                   [](Reading& at) { at.invocation.listed_part = at.text(); }}}),
           block("Output", Turn::usual,
                 {{"--numbers", "", "Line numbers before the lines", sets(&Invocation::numbered)}})})};
}

void parse_listing(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = listing_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("STRATEGY"))
    throw Error("Say of which strategy: convoscope listing tiled-halo. See convoscope list strategies.");
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  if (!invocation.kinds.empty()) only_kind(invocation);
  read_turn(command.options, Turn::usual, at);
}

}  // namespace convoscope
