// Which parser a command line is for.
#include "app/cli/arguments.h"

#include <string_view>

#include "app/cli/command_tables.h"
#include "app/cli/options/options.h"
#include "app/cli/options/values.h"
#include "kernels/text/error.h"

namespace convoscope {

Invocation parse_arguments(int argc, const char* const* argv, const Settings& defaults) {
  return parse_arguments(
      argc, argv, [&](const Beginning& beginning) { return beginning.offscreen ? default_settings() : defaults; });
}

Invocation parse_arguments(int argc, const char* const* argv, const FirstSettings& first) {
  Invocation invocation;
  const std::string_view command = argc > 1 ? argv[1] : "";
  // Apps of their own instead of CLI11's subcommands, so that options are known exactly where they mean something.
  if (command == "list") {
    invocation.command = Invocation::Command::list;
    parse_list(argc - 1, argv + 1, invocation);
  } else if (command == "doctor") {
    invocation.command = Invocation::Command::doctor;
    parse_doctor(argc - 1, argv + 1, invocation);
  } else if (command == "help" && argc == 3 && argv[2] == std::string_view("--man")) {
    invocation.command = Invocation::Command::manual;
  } else if (command == "help" && argc == 3 && argv[2] == std::string_view("--completion")) {
    throw Error("--completion needs a shell: bash, zsh or fish.");
  } else if (command == "help" && argc == 4 && argv[2] == std::string_view("--completion")) {
    invocation.text = completion_script(argv[3]);
  } else if (command == "help") {
    if (argc > 3) throw Error("help takes only one command. See --help.");
    const std::string about = argc > 2 ? parse_choice("command", argv[2], command_names()) : std::string();
    const bool whole = about.empty() || about == "help";
    const char* const words[] = {argv[0], whole ? "--help" : about.c_str(), "--help"};
    return parse_arguments(whole ? 2 : 3, words, first);
  } else if (command == "verify") {
    invocation.command = Invocation::Command::verify;
    parse_verify(argc - 1, argv + 1, invocation);
  } else if (command == "compute") {
    invocation.command = Invocation::Command::compute;
    parse_compute(argc - 1, argv + 1, invocation);
  } else if (command == "listing") {
    invocation.command = Invocation::Command::listing;
    parse_listing(argc - 1, argv + 1, invocation);
  } else if (command == "bench") {
    invocation.command = Invocation::Command::bench;
    parse_bench(argc - 1, argv + 1, invocation);
  } else if (command == "experiment") {
    invocation.command = Invocation::Command::experiment;
    parse_experiment(argc - 1, argv + 1, invocation);
  } else if (command == "report") {
    invocation.command = Invocation::Command::report;
    parse_report(argc - 1, argv + 1, invocation);
  } else if (command == "filter") {
    invocation.command = Invocation::Command::filter;
    parse_filter_file(argc - 1, argv + 1, invocation);
  } else if (command == "lesson") {
    invocation.command = Invocation::Command::lesson;
    parse_lesson_command(argc - 1, argv + 1, first, invocation);
  } else if (command == "grade") {
    invocation.command = Invocation::Command::grade;
    parse_grade(argc - 1, argv + 1, invocation);
  } else if (command == "new-kernel") {
    invocation.command = Invocation::Command::new_kernel;
    parse_new_kernel(argc - 1, argv + 1, invocation);
  } else {
    parse_window(argc, argv, first, invocation);
  }
  return invocation;
}

}  // namespace convoscope
