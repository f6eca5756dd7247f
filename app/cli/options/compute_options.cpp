// The options of compute.
#include <array>

#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "kernels/contract/kind.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

ComputationTexts& asked(Reading& at) { return at.invocation.computation; }

// One that is for layers alone.
void check_layer(const Reading& at) {
  const Kind& kind = only_kind(at.invocation);
  if (!kind.problem)
    throw Error(at.option + " is for layers, not for " + std::string(kind.id) + "s. Add --kind layer.");
}

Option layer_number(const char* name, const char* help, int ComputationTexts::*number, int least, int most) {
  return {name, "N", help, [number, least, most](Reading& at) {
            check_layer(at);
            asked(at).*number = at.whole(least, most);
          }};
}

void read_pass(Reading& at) {
  check_layer(at);
  asked(at).pass = parse_named("pass", at.text(), all_passes);
}

void read_place(Reading& at) {
  const std::vector<std::string> words = split_list(at.text(), ',');
  if (words.size() < 2 || words.size() > 3)
    throw Error("--at " + in_quotes(at.text()) + " is no place: write it like 3,2, or 3,2,1 for map or frame 1.");
  std::array<int, 3> place{};
  for (std::size_t i = 0; i < words.size(); ++i) place[i] = parse_whole("--at", words[i], 0, 1 << 20);
  asked(at).at = place;
}

}  // namespace

Command compute_command() {
  constexpr const char *what = "What is computed", *layer = "Of a layer", *how = "How";
  return {
      "compute",
      "Computes on a few numbers that you type or have in a file, by any strategy, and prints what comes out. It is\n"
      "compared with the reference; ends with 1 if it is wrong.",
      "Examples:\n  convoscope compute --kind signal --input \"8 2 5 4 1 7 3\" --filter \"1 3 5 3 1\" --border zero\n"
      "  convoscope compute --input \"1 2 3; 4 5 6; 7 8 9\" --filter sobel-x --at 1,1\n"
      "  convoscope compute --kind layer --input \"1 2; 3 4;; 5 6; 7 8\" --filter \"1 0; 0 1;; 2 1; 1 2\"",
      joined_blocks(
          {kind_options(what, "What is filtered (default image):"),
           block(
               what, Turn::usual,
               {{"--input", "NUMBERS",
                 "Rows end with a semicolon, planes (frames, channels)\nwith two; or a file: .csv, .txt, .npy; or "
                 "ones:16x16,\nramp:16x16",
                 [](Reading& at) { asked(at).input = at.text(); }},
                {"--filter", "SPEC",
                 "Weights, written so, or a filter of the catalogue; of a\nlayer also a file of a bank",
                 [](Reading& at) { asked(at).filter = at.text(); }, filter_words},
                {"--border", "NAME", "zero, replicate, mirror or wrap (default replicate)",
                 [](Reading& at) { asked(at).border = parse_border(at.text()); }, border_words},
                {"--steps", "N",
                 "Applies the filter so often, each time to what came out:\nheat that spreads, a wave (default 1)",
                 [](Reading& at) { asked(at).steps = at.whole(1, 100000); }},
                {"--format", "NAME", "gray32f, whose numbers may be any (default), or rgba8,\nwhich rounds to 0 … 255",
                 [](Reading& at) { asked(at).format = parse_format(at.text()); }, format_words}}),
           block(layer, Turn::usual,
                 {{"--pass", "NAME", "forward (default), to-input or to-weights", read_pass},
                  {"--gradient", "NUMBERS", "dY, for the gradients: a plane for each map",
                   [](Reading& at) {
                     check_layer(at);
                     asked(at).gradient = at.text();
                   }},
                  {"--biases", "NUMBERS", "Added to each map",
                   [](Reading& at) {
                     check_layer(at);
                     asked(at).biases = at.text();
                   }},
                  {"--relu", "", "Negative outputs become 0",
                   [](Reading& at) {
                     check_layer(at);
                     asked(at).relu = true;
                   }},
                  layer_number("--stride", "Distance of the windows (default 1)", &ComputationTexts::stride, 1, 1024),
                  layer_number("--padding", "Zeros around the input (default 0)", &ComputationTexts::padding, 0, 1024),
                  layer_number("--dilation", "Distance of the taps (default 1)", &ComputationTexts::dilation, 1, 1024),
                  layer_number("--groups", "Groups of channels (default 1)", &ComputationTexts::groups, 1, 1024)}),
           block(how, Turn::late,
                 {{"--strategy", "ID", "By which way (default auto)", read_strategies, strategy_words},
                  {"--tune", "NAME=NUMBER", "A tunable, like block_width=16; repeatable", read_tuning}}),
           backend_options(how),
           block(
               "Output", Turn::usual,
               {{"--at", "X,Y[,N]",
                 "Also how this output comes about: its terms, its ghost\ncells, what its block loads; N: map or frame",
                 read_place},
                {"--json", "", "JSON instead of numbers", sets(&Invocation::json)}})})};
}

void parse_compute(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = compute_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  Reading at{texts, invocation};
  read_turn(command.options, Turn::first, at);
  invocation.computation.kind = &only_kind(invocation);
  read_turn(command.options, Turn::usual, at);
  read_turn(command.options, Turn::late, at);
  if (invocation.strategies.size() > 1)
    throw Error("--strategy takes one here, not " + std::to_string(invocation.strategies.size()) + ".");
}

}  // namespace convoscope
