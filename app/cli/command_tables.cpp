#include "app/cli/command_tables.h"

#include <algorithm>
#include <sstream>

#include "app/cli/options/options.h"

namespace convoscope {
namespace {

std::string one_line(std::string text) {
  std::ranges::replace(text, '\n', ' ');
  return text;
}

CommandTable table_of(const Command& command) {
  CommandTable table{command.name, one_line(command.description), command.footer, {}};
  table.rows.push_back({.names = {"-h", "--help"}, .value = {}, .group = "Options", .help = "This text", .words = {}});
  for (const Option& option : command.options) {
    OptionRow row{.names = {},
                  .value = option.value,
                  .group = option.group,
                  .help = one_line(option.help),
                  .words = option.words ? option.words() : std::vector<std::string>(),
                  .argument = option.is_argument(),
                  .required = option.required};
    std::istringstream names(option.name);
    for (std::string name; std::getline(names, name, ',');) row.names.push_back(name);
    table.rows.push_back(std::move(row));
  }
  std::ranges::stable_partition(table.rows, &OptionRow::argument);
  return table;
}

}  // namespace

std::vector<CommandTable> command_tables() {
  std::vector<CommandTable> tables;
  for (const auto command : {window_command, list_command, verify_command, compute_command, listing_command,
                             bench_command, experiment_command, report_command, filter_command, lesson_command,
                             grade_command, new_kernel_command, doctor_command})
    tables.push_back(table_of(command()));
  return tables;
}

}  // namespace convoscope
