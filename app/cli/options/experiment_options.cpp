// The options of experiment and report.
#include <algorithm>

#include "app/cli/experiment/experiment.h"
#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

std::vector<std::string> experiment_words() {
  std::vector<std::string> words{"list"};
  for (const ShippedExperiment& shipped : shipped_experiments()) words.emplace_back(shipped.name);
  return words;
}

void read_experiment_name(Reading& at) {
  if (at.text() == "list") return;
  if (at.text().empty()) throw Error("The experiment's FILE is empty. See convoscope experiment list.");
  at.invocation.experiment = at.text();
  at.names.reads(at.text());
}

using OptionalPath = std::optional<std::filesystem::path>;

std::function<void(Reading&)> writes(OptionalPath Invocation::*where, std::vector<std::string> endings) {
  return [where, endings = std::move(endings)](Reading& at) {
    at.invocation.*where = at.text();
    check_output(at.option, at.text(), endings);
    at.names.writes(at.option, at.text());
  };
}

Options report_outputs() {
  return block("Output", Turn::output,
               {{"--html", "FILE", "A page with plots and tables, in one file",
                 writes(&Invocation::html_file, {".html", ".htm"})},
                {"--json", "FILE", "All of it, for programs", writes(&Invocation::json_file, {})}});
}

void check_measures(const Texts& texts) {
  const bool listed = texts.has("FILE") && texts.last("FILE") == "list";
  for (const char* name : {"--html", "--json", "--csv", "--resume", "--backend", "--device", "--print"})
    if (listed && texts.has(name))
      throw Error(std::string(name) + " does not go with list, which only says what there is.");
}

}  // namespace

Command experiment_command() {
  return {"experiment",
          "Measures what a file says: problems, strategies with their tunings, on the CPU and on a GPU in one run. It "
          "reports\nfactors from step to step, and how sentences stand against what was measured.",
          "Examples:\n  convoscope experiment list\n  convoscope experiment 2010-ladder --html ladder.html --resume "
          "ladder.jsonl\n  convoscope experiment choosing --print > my.json",
          joined_blocks(
              {block("Options", Turn::first,
                     {{"FILE", "", "list, an experiment of the program's own, or a file", read_experiment_name,
                       experiment_words}}),
               block("Options", Turn::usual,
                     {{"--print", "", "Only print its text, to begin one of your own with", sets(&Invocation::print)}}),
               backend_options("Machine", false), report_outputs(),
               block("Output", Turn::output,
                     {{"--csv", "FILE", "A line for each time", writes(&Invocation::csv_file, {".csv"})},
                      {"--resume", "FILE", "Keeps each part in it as it is done, and goes on with what it has",
                       writes(&Invocation::resume_file, {})}})})};
}

Command report_command() {
  return {"report",
          "Merges what bench and experiment have written into one page: which strategy is fastest from which radius "
          "on,\nand what has changed since the last time. It names what a file leaves open, such as the driver.",
          "Example:\n  convoscope report here.json there.json --html machines.html",
          joined_blocks({block("Options", Turn::first,
                               {{.name = "FILE",
                                 .value = "",
                                 .help = "What bench --json or experiment --json has written; several",
                                 .read =
                                     [](Reading& at) {
                                       at.invocation.reports = at.texts.options.at("FILE");
                                       for (const std::string& file : at.invocation.reports) at.names.reads(file);
                                     },
                                 .many = true}}),
                         report_outputs()})};
}

void parse_experiment(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = experiment_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("FILE"))
    throw Error("Say which experiment: a file, or one of these: " + joined(experiment_words()) + ".");
  check_measures(texts);
  Reading at{texts, invocation};
  read_all(command.options, at);
  if (invocation.settings.backend == BackendChoice::emulated)
    throw Error("--backend 'emulated' is never timed: its times say nothing about a GPU. Use cuda or cpu.");
  at.names.check();
}

void parse_report(int argc, const char* const* argv, Invocation& invocation) {
  const Command command = report_command();
  Texts texts;
  if ((invocation.text = collect(command, argc, argv, texts))) return;
  if (!texts.has("FILE")) throw Error("Say which files: convoscope report here.json there.json --html page.html.");
  Reading at{texts, invocation};
  read_all(command.options, at);
  at.names.check();
}

}  // namespace convoscope
