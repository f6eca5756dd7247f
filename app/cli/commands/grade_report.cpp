#include "app/cli/commands/grade_report.h"

#include <nlohmann/json.hpp>

#include "app/cli/commands/text_table.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;
using own::Grade;

std::string counts_text(const own::Counts& c) {
  const auto share = [](double part) { return rounded_text(100 * part, 2) + " %"; };
  return "  Counted by the emulator for " + c.problem + ": " + rounded_text(c.loads_per_output, 3) +
         " loads of global memory for each output, " + share(c.loads_again) +
         " of them not the first of their block; " + rounded_text(c.shared_per_output, 3) +
         " accesses of shared memory. Loads touch " + rounded_text(c.sectors_per_least, 3) +
         " times the sectors that their bytes fill. " + share(c.idle_threads) +
         " of the threads write no output. The nearest rung is " + c.nearest + ", with " +
         rounded_text(c.nearest_loads, 3) + " loads by the model. There are no times without a GPU.";
}

std::string trust_text(const Grade& grade) {
  std::string text = "  Checked: ";
  for (std::size_t i = 0; i < grade.trust.size(); ++i) text += (i ? "; " : "") + grade.trust[i];
  return text + ".";
}

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char c : text) made += c == '"' ? std::string("\"\"") : std::string(1, c);
  return made + "\"";
}

ordered_json counts_json(const own::Counts& c) {
  ordered_json lines = ordered_json::array();
  for (const own::LineTally& line : c.lines)
    lines.push_back({{"line", line.line},
                     {"loads", line.tally.loads},
                     {"stores", line.tally.stores},
                     {"shared", line.tally.shared},
                     {"warp_instructions", line.tally.warps},
                     {"lanes", line.tally.lanes},
                     {"sectors", line.tally.sectors},
                     {"least_sectors", line.tally.least},
                     {"bank_conflicts", line.tally.conflicts}});
  return {{"problem", c.problem},
          {"loads_per_output", c.loads_per_output},
          {"shared_per_output", c.shared_per_output},
          {"loaded_again", c.loads_again},
          {"sectors_per_least", c.sectors_per_least},
          {"conflicts_per_access", c.conflicts_per_access},
          {"idle_threads", c.idle_threads},
          {"lanes", c.lanes},
          {"nearest", c.nearest},
          {"nearest_loads_by_model", c.nearest_loads},
          {"lines", lines}};
}

ordered_json grade_json(const Grade& g) {
  ordered_json errors = ordered_json::array(), reasons = ordered_json::array(), faults = ordered_json::array();
  for (const own::SourceError& error : g.errors)
    errors.push_back({{"line", error.place.line}, {"column", error.place.column}, {"text", error.what()}});
  for (const auto& [why, count] : g.why_not_asked) reasons.push_back({{"why", why}, {"cases", count}});
  for (const own::Fault& fault : g.faults)
    faults.push_back({{"text", fault.words},
                      {"line", fault.line},
                      {"other_line", fault.other_line},
                      {"thread", fault.thread},
                      {"times", fault.count}});
  ordered_json out{{"file", g.file},
                   {"kind", g.kind},
                   {"verdict", to_string(g.verdict)},
                   {"errors", errors},
                   {"asked", g.asked},
                   {"not_asked", g.not_asked},
                   {"why_not_asked", reasons},
                   {"first_wrong", g.first_wrong},
                   {"worst", g.worst},
                   {"findings", g.findings},
                   {"faults", faults},
                   {"checked", g.trust},
                   {"compile_seconds", g.compile_seconds},
                   {"run_seconds", g.run_seconds}};
  if (g.counts.counted) out.update({{"counted_by_emulator", counts_json(g.counts)}, {"why_slower", g.why_slower}});
  return out;
}

}  // namespace

std::string first_finding(const Grade& g) {
  if (!g.errors.empty())
    return (g.errors[0].place.line > 0 ? "line " + std::to_string(g.errors[0].place.line) + ": " : std::string()) +
           g.errors[0].what();
  if (!g.findings.empty()) return g.findings[0];
  return g.why_slower.empty() ? std::string() : g.why_slower[0];
}

std::string grade_text(const Grade& g, const own::GradeOptions& options) {
  const std::size_t columns = output_columns();
  std::string text;
  const auto add = [&](const std::string& line) { text += in_lines(line, columns) + "\n"; };
  if (g.verdict == Grade::Verdict::unusable) {
    for (const own::SourceError& error : g.errors) text += own::with_caret(g.file, g.source, error.place, error.what());
    add(g.file + ": cannot be compiled or run.");
    return text;
  }
  const bool right = g.verdict == Grade::Verdict::right;
  add(g.file + ": " + (right ? "right" : "WRONG") + " (" + counted(g.asked, "case") + ", seed " +
      std::to_string(options.seed) + ")");
  for (const std::string& finding : g.findings) add("  " + finding);
  if (!g.first_wrong.empty()) add("  First wrong: " + g.first_wrong + (g.worst.empty() ? "." : ": " + g.worst + "."));
  for (const auto& [why, count] : g.why_not_asked) add("  Not asked in " + counted(count, "case") + ": " + why + ".");
  if (g.counts.counted) {
    for (const std::string& sentence : g.why_slower) add("  Why it may be slow: " + sentence);
    add(counts_text(g.counts));
  }
  add(trust_text(g));
  return text;
}

std::string grades_json(std::span<const Grade> grades, const own::GradeOptions& options) {
  ordered_json kernels = ordered_json::array();
  for (const Grade& one : grades) kernels.push_back(grade_json(one));
  const ordered_json out{{"version", 1}, {"judge", "emulator"}, {"seed", options.seed}, {"kernels", kernels}};
  return out.dump(2, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
}

std::string grades_csv(std::span<const Grade> grades) {
  std::string text = "file,kind,verdict,cases,not_asked,loads_per_output,shared_per_output,nearest,finding\n";
  for (const Grade& g : grades)
    text += quoted(g.file) + "," + g.kind + "," + to_string(g.verdict) + "," + std::to_string(g.asked) + "," +
            std::to_string(g.not_asked) + "," +
            (g.counts.counted ? rounded_text(g.counts.loads_per_output, 6) + "," +
                                    rounded_text(g.counts.shared_per_output, 6) + "," + g.counts.nearest
                              : ",,") +
            "," + quoted(first_finding(g)) + "\n";
  return text;
}

}  // namespace convoscope
