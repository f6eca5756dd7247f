// convoscope grade: whether kernels of the user's own are right, and why not.
#include "kernels/own/grade.h"

#include <algorithm>
#include <cstdio>
#include <random>

#include "app/cli/commands/commands.h"
#include "app/cli/commands/grade_report.h"
#include "app/cli/commands/text_table.h"
#include "app/cli/exit_codes.h"
#include "kernels/files/output_file.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

// The right ones first, then those with few loads.
void print_table(std::vector<const own::Grade*> grades) {
  std::ranges::stable_sort(grades, {},
                           [](const own::Grade* g) { return std::pair(g->verdict, g->counts.loads_per_output); });
  TextTable table({"File", "Verdict", "Loads an output", "Loads by the model of", "What was found"}, "llrlw");
  for (const own::Grade* g : grades)
    table.add({g->file, to_string(g->verdict), g->counts.counted ? rounded_text(g->counts.loads_per_output, 3) : "",
               g->counts.counted ? g->counts.nearest + " " + rounded_text(g->counts.nearest_loads, 3) : "",
               first_finding(*g)});
  std::fputs(table.text(output_columns()).c_str(), stdout);
  std::fputs("\nLoads are counted by the emulator; there are no times without a GPU.\n", stdout);
}

}  // namespace

int run_grade(const Invocation& invocation, const StopSignal& stop) {
  own::GradeOptions options{.deadline = invocation.own.deadline};
  options.seed = invocation.own.seed ? *invocation.own.seed : std::random_device()() % 1'000'000;
  std::vector<own::Grade> grades;
  int worst = exit_done;
  const ComputesUntilSignal until(stop);
  for (const std::string& file : invocation.own.files) {
    own::Grade made = own::grade(file, options);
    if (stop) return stop.exit_code();
    if (!invocation.kinds.empty() && !made.kind.empty() && made.kind != invocation.kinds.front()->id)
      throw Error("The file " + in_quotes(file) + " is of the kind " + made.kind + ", not " +
                  std::string(invocation.kinds.front()->id) + ".");
    worst = std::max(worst, own::exit_code_of(made.verdict));
    if (!invocation.own.table) std::fputs(grade_text(made, options).c_str(), stdout);
    grades.push_back(std::move(made));
  }
  if (invocation.own.table) {
    std::vector<const own::Grade*> all;
    for (const own::Grade& one : grades) all.push_back(&one);
    print_table(std::move(all));
  }
  if (invocation.json_file) write_file(invocation.json_file->string(), grades_json(grades, options));
  if (invocation.own.csv_file) write_file(invocation.own.csv_file->string(), grades_csv(grades));
  return worst;
}

}  // namespace convoscope
