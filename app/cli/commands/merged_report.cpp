// convoscope report: what bench and experiment have written, merged.
#include <cstdio>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/list_data.h"
#include "app/cli/commands/report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/experiment/merged.h"
#include "kernels/files/output_file.h"
#include "kernels/text/number_text.h"

namespace convoscope {

int run_report(const Invocation& invocation) {
  int left_out = 0;
  std::vector<MergedRun> runs;
  for (const std::string& file : invocation.reports)
    for (MergedRun& run : read_measurements(file, &left_out)) runs.push_back(std::move(run));
  const std::vector<Machine> machines = machines_of(std::move(runs));
  if (invocation.html_file) write_file(*invocation.html_file, merged_page(machines, left_out));
  if (invocation.json_file) write_file(*invocation.json_file, json_text(merged_json(machines, left_out)));
  for (const Machine& machine : machines) {
    print(machine.device.empty() ? "A device that is not recorded\n" : machine.device + "\n");
    for (const Crossings& crossings : crossings_of(machine.newest))
      print("  " + crossings.problem + ": " + crossings_text(crossings) + "\n");
    int told = 0;
    const std::vector<Change> changes = changes_of(machine);
    for (const Change& change : changes) told += change.told_apart;
    if (!changes.empty())
      print("  " + std::to_string(told) + " of " + counted(std::ssize(changes), "time") +
            " changed by more than their intervals since they were last measured\n");
  }
  for (const std::string& remark : remarks_on(machines, left_out)) print(in_lines(remark, output_columns()) + "\n");
  return 0;
}

}  // namespace convoscope
