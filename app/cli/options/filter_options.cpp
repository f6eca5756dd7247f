// The options of filter, which takes a whole file.
#include <filesystem>

#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "app/cli/options/workbench_option.h"
#include "app/files/file_kinds.h"
#include "app/media/sources/source.h"
#include "app/media/write/file_output.h"
#include "app/media/write/picture_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

void read_filtered_file(Reading& at) {
  if (at.text() != "-") check_input(at.text());
  at.settings().source.input = at.text();
  at.names.reads(at.text());
}

void read_output_name(Reading& at) {
  const std::string& output = at.text();
  at.invocation.output = output;
  at.names.writes("OUTPUT", output);
  if (output == "-") return;
  if (kind_of_file(output) == FileKind::sound)
    throw Error("convoscope filter writes pictures, not sound alone as in '" + output +
                "'. Filtered sound is in a recording: convoscope INPUT --offscreen --sound low-pass:cutoff=800 "
                "--record out.mkv; to get it out: ffmpeg -i out.mkv '" +
                output + "'.");
  const std::vector<std::string> extensions{".mp4", ".mov",  ".mkv",  ".y4m", ".png",
                                            ".jpg", ".jpeg", ".webp", ".tif", ".tiff"};
  check_output("OUTPUT", output, extensions);
  if (names_pictures(output))
    for (const std::filesystem::path& there : source_named("sequence").files(output)) at.names.writes("OUTPUT", there);
}

void read_lossless(Reading& at) {
  at.invocation.lossless = true;
  if (at.invocation.output == "-") return;
  const std::vector<std::string> lossless{".mkv", ".y4m", ".png", ".webp", ".tif", ".tiff"};
  check_output("--lossless: OUTPUT", at.invocation.output, lossless);
}

void read_filter_of_file(Reading& at) {
  at.settings().active().filter = named_filter(at.text());
  for (const std::string& spec : at.texts.options.at("--filter")) at.names.reads_file("--filter", spec);
}

void read_strategy_of_file(Reading& at) {
  at.invocation.strategy_given = true;
  at.settings().active().strategy = parse_choice("strategy", at.text(), strategy_ids());
}

void read_tuning_of_file(Reading& at) {
  if (!at.invocation.strategy_given)
    throw Error("--tune " + in_quotes(at.text()) + " needs the --strategy that it tunes.");
  PaneSettings& pane = at.settings().active();
  pane.tuning = parse_tuning(at.texts.options.at("--tune"), {pane.strategy});
}

Options filtered_options() {
  return block(
      "Picture", Turn::usual,
      {{"--filter", "SPEC",
        "A name with parameters (gaussian:radius=8,sigma=3), a matrix\n(\"0 -1 0; -1 5 -1; 0 -1 0\") or a JSON file",
        read_filter_of_file, filter_words},
       {"--border", "NAME", "What lies outside: zero, replicate (default), mirror or wrap",
        [](Reading& at) { at.settings().active().border = parse_border(at.text()); }, border_words},
       {"--strategy", "ID",
        "How to compute it (default: the one that is likely the fastest);\nsee convoscope list strategies",
        read_strategy_of_file, strategy_words},
       {"--tune", "NAME=NUMBER", "A tunable of the strategy, like block_width=16; repeatable", read_tuning_of_file},
       {"--format", "NAME", "Pixels that are filtered: rgba8 (default) or gray32f",
        [](Reading& at) { at.settings().format = parse_format(at.text()); }, format_words}});
}

}  // namespace

Command filter_command() {
  return {"filter",
          "Filters a whole file: every frame once and by itself, with its time; sound is copied as it is, rotation is\n"
          "applied.",
          "Times are exact in .mp4 and .mov; .mkv keeps milliseconds, and y4m has no times and no sound. 4:2:0 video "
          "needs even\n"
          R"(sides: the last column or row of an odd one is repeated (not in .y4m, not with --lossless). Ctrl+C leaves
what is done beside OUTPUT, with .part in its name.

Examples:
  convoscope filter in.mp4 out.mp4 --filter gaussian:radius=8
  ffmpeg -i in.mov -f yuv4mpegpipe - | convoscope filter - - --filter sobel-x | ffmpeg -i - out.webm

Exit codes: 0 done, 2 bad arguments, input or output, 3 done in part, 128 + n ended properly by signal n (130 by
Ctrl+C). Done in part means that the input was cut off or is damaged, that its pictures change their size, or that who
read standard output stopped reading.)",
          joined_blocks(
              {block("Options", Turn::input,
                     {{"INPUT", "", "A file, or - for y4m on standard input", read_filtered_file, nullptr, true},
                      {"OUTPUT", "",
                       "A file that ends in .mp4, .mov, .mkv or .y4m; a picture's, in .png,\n.jpg, .webp or .tif "
                       "(frame%04d.png: one for each); or - for y4m on\nstandard output. It is overwritten",
                       read_output_name, nullptr, true}}),
               filtered_options(), safety_options("Input"), backend_options("Machine"),
               block("Output", Turn::usual,
                     {{"--lossless", "",
                       "FFV1 of RGB without transparency, in .mkv; y4m is written as\n4:4:4; .png, .webp and .tif are "
                       "lossless always",
                       read_lossless},
                      {"--verbose", "", "Say more on stderr", sets(&Invocation::verbose)}})})};
}

void parse_filter_file(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = filter_command();
  Texts texts;
  refuse_workbench_options(argc, argv);
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("INPUT") || !texts.has("OUTPUT"))
    throw Error("Name an INPUT and an OUTPUT: convoscope filter in.mp4 out.mp4. See convoscope filter --help.");
  invocation.settings = default_settings();
  Reading at{texts, invocation};
  read_all(command.options, at);
  at.names.check();
}

}  // namespace convoscope
