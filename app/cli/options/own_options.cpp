// The options of grade and new-kernel.
#include <array>
#include <limits>

#include "app/cli/options/options.h"
#include "app/cli/options/problem_options.h"
#include "app/cli/options/values.h"
#include "app/files/paths.h"
#include "kernels/contract/kind.h"
#include "kernels/own/new_kernel.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

std::filesystem::path result_file(const Reading& at, const char* extension) {
  const std::filesystem::path path = expand_home(at.text());
  const std::array<std::string, 1> extensions{extension};
  check_output(at.option, path, extensions);
  return path;
}

std::vector<std::string> fork_words() {
  std::vector<std::string> words;
  for (const Kind* kind : kinds())
    for (std::string& id : own::forkable(*kind))
      if (std::ranges::find(words, id) == words.end()) words.push_back(std::move(id));
  return words;
}

}  // namespace

Command grade_command() {
  constexpr const char *how = "How", *output = "Output";
  return {
      "grade",
      "Compiles kernel files of your own for the emulated device, which looks at every load and store, and compares\n"
      "what comes out with the reference. Says what is wrong and where; of right ones, why they may be slow. Needs no\n"
      "GPU, and gives no times. Ends with 1 if one is wrong, with 2 if one cannot be compiled or run.",
      "Examples:\n  convoscope grade my.cu\n  convoscope grade *.cu --table --csv results.csv",
      joined_blocks({block("Options", Turn::usual,
                           {{.name = "KERNEL",
                             .value = {},
                             .help = "A file that `convoscope new-kernel` has begun; several at once",
                             .read = [](Reading& at) { at.invocation.own.files = at.texts.options.at("KERNEL"); },
                             .required = true,
                             .many = true}}),
                     kind_options(how, "Only files of this kind are taken:"),
                     block(how, Turn::usual,
                           {{"--deadline", "SECONDS", "How long a launch may take (default 10)",
                             [](Reading& at) { at.invocation.own.deadline = at.real(0.1, 3600); }},
                            {"--seed", "N", "Of inputs and secret cases, to repeat a run (default: another\neach time)",
                             [](Reading& at) {
                               at.invocation.own.seed =
                                   static_cast<unsigned>(at.whole(0, std::numeric_limits<int>::max()));
                             }}}),
                     block(output, Turn::output,
                           {{"--table", "", "A line for each file instead of sentences, the right ones first",
                             [](Reading& at) { at.invocation.own.table = true; }},
                            {"--json", "FILE", "Everything that was found, as JSON",
                             [](Reading& at) { at.invocation.json_file = result_file(at, ".json"); }},
                            {"--csv", "FILE", "A line for each file, for a table",
                             [](Reading& at) { at.invocation.own.csv_file = result_file(at, ".csv"); }}})})};
}

void parse_grade(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = grade_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("KERNEL"))
    throw Error("Name a kernel file: convoscope grade my.cu. To begin one: convoscope new-kernel my.cu.");
  Reading at{texts, invocation};
  read_all(command.options, at);
}

Command new_kernel_command() {
  constexpr const char *what = "What is written", *options = "Options";
  return {
      "new-kernel",
      "Writes a CUDA kernel that works, to be changed: a plain one, or a copy of a strategy of the ladder. Beside it\n"
      "convoscope_kernel.h, which explains the file, and compile_commands.json, so that an editor knows both.",
      "Examples:\n  convoscope new-kernel my.cu\n  convoscope new-kernel tile.cu --fork tiled-halo\n"
      "Then: convoscope grade my.cu",
      joined_blocks({block(options, Turn::usual,
                           {{.name = "KERNEL",
                             .value = {},
                             .help = "The file; its name ends in .cu",
                             .read = [](Reading& at) { at.invocation.output = at.text(); },
                             .required = true}}),
                     kind_options(what, "image (default) or signal, of"),
                     block(what, Turn::usual,
                           {{"--format", "NAME", "For this format alone (default: all of the kind)",
                             [](Reading& at) { at.invocation.formats = {parse_format(at.text())}; }, format_words},
                            {"--fork", "ID", "A copy of this strategy",
                             [](Reading& at) { at.invocation.own.fork = at.text(); }, fork_words},
                            {"--force", "", "Replace files that are there",
                             [](Reading& at) { at.invocation.own.force = true; }}})})};
}

void parse_new_kernel(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = new_kernel_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("KERNEL")) throw Error("Name the file: convoscope new-kernel my.cu.");
  Reading at{texts, invocation};
  read_all(command.options, at);
  invocation.output = expand_home(invocation.output);
  if (!invocation.output.ends_with(".cu"))
    throw Error("A kernel file's name ends in .cu: " + in_quotes(invocation.output) + " does not.");
}

}  // namespace convoscope
