#include "app/cli/experiment/experiment_page.h"

#include <algorithm>
#include <map>

#include "app/cli/commands/report.h"
#include "app/cli/experiment/experiment_json.h"
#include "app/cli/experiment/plots.h"
#include "app/page/html.h"
#include "app/page/page.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

constexpr std::string_view verdict_style = R"css(
.agree, .disagree, .undecided { font-weight: 600; }
.agree { color: #067647; } .disagree { color: #b42318; } .undecided { color: var(--faint); }
)css";
constexpr std::string_view verdict_style_elsewhere = R"css(
@media (prefers-color-scheme: dark) { .agree { color: #4cc38a; } .disagree { color: #ff9592; } }
@media print { .agree, .disagree { color: #000; } }
)css";

std::string paragraph(const std::string& text, std::string_view css_class = {}) {
  return html_element("p", html_text(text), css_class);
}
std::string section(const std::string& title) { return html_element("h2", html_text(title)); }

const std::string& name_of_entry(const Experiment& experiment, int entry) {
  return experiment.entries[static_cast<std::size_t>(entry)].name;
}

std::string bars_of(const Experiment& experiment, const ExperimentResults& results, int problem) {
  std::vector<PlotBar> bars;
  for (std::size_t e = 0; e < experiment.entries.size(); ++e) {
    const MeasuredCell& cell = results.at(problem, static_cast<int>(e));
    if (!cell.measured) continue;
    bars.push_back({.label = experiment.entries[e].name,
                    .value = estimate_text(cell),
                    .at = cell.time.ms,
                    .low = cell.time.low,
                    .high = cell.time.high,
                    .colour = experiment.entries[e].backend == Backend::cpu ? 0 : 1,
                    .doubtful = cell.doubtful});
  }
  const std::string& name = experiment.problems[static_cast<std::size_t>(problem)].name;
  const std::string plot = bar_plot(bars, "milliseconds, logarithmic: compare the bars' ends", "Times, " + name);
  return plot.empty() ? "" : html_figure(plot, name);
}

std::string plots_of(const Experiment& experiment, const ExperimentResults& results) {
  std::string figures;
  for (std::size_t p = 0; p < experiment.problems.size(); ++p)
    figures += bars_of(experiment, results, static_cast<int>(p));
  if (figures.empty()) return "";
  return section("Times") +
         paragraph("A bar ends at the " + statistic_text(experiment) +
                       ". Blue: the CPU, orange: a GPU; hollow: the "
                       "time cannot be believed.",
                   "note") +
         "<div class=\"plots\">\n" + figures + "</div>\n";
}

std::string percent_of_roofline(double share) {
  return share > 0 ? (share < 0.1 ? significant(100 * share, 2) : decimals(100 * share, 0)) + " %" : "–";
}

std::string table_of(const Experiment& experiment, const ExperimentResults& results, std::size_t problem) {
  HtmlTable table({"place", "strategy", "on", std::string(to_string(experiment.statistic)), "interval, ms", "× copy",
                   "of roofline"},
                  "rllrrrr");
  const std::vector<std::optional<int>> places = places_of(results.cells[problem]);
  bool any = false;
  for (std::size_t e = 0; e < experiment.entries.size(); ++e) {
    const MeasuredCell& cell = results.cells[problem][e];
    if (!cell.measured) continue;
    const double copies = field_number(cell.row, "times_copy"),
                 roofline = field_number(cell.row, "fraction_of_roofline");
    table.add({places[e] ? std::to_string(*places[e]) : "–", experiment.entries[e].name,
               experiment.entries[e].backend == Backend::cpu ? "CPU" : "GPU", estimate_text(cell), interval_text(cell),
               copies > 0 ? decimals(copies, 2) : "–", percent_of_roofline(roofline)});
    any = true;
  }
  return any ? table.html(experiment.problems[problem].name) : "";
}

std::string tables_of(const Experiment& experiment, const ExperimentResults& results) {
  std::string tables;
  for (std::size_t p = 0; p < experiment.problems.size(); ++p) tables += table_of(experiment, results, p);
  if (tables.empty()) return "";
  return section("Figures") +
         paragraph("Strategies whose intervals overlap share a place: these runs do not tell which one is faster.") +
         tables;
}

std::string ladder_of(const Experiment& experiment, const ExperimentResults& results) {
  if (experiment.steps.empty()) return "";
  const bool published = !experiment.published_by.empty();
  std::string out = section("Step by step");
  out += paragraph(
      "Each step against the one that it follows, and against the first. (≈): the intervals overlap, so "
      "neither is the faster one. ?: a time in it cannot be believed." +
      (published ? " Beside them, as published: " + experiment.published_by + "." : std::string()));
  for (std::size_t p = 0; p < experiment.problems.size(); ++p) {
    const int problem = static_cast<int>(p);
    if (!has_ladder(experiment, problem)) continue;
    std::vector<std::string> header{"step", "follows", "factor", "in all"};
    if (published) header.insert(header.end(), {"factor, published", "in all, published"});
    HtmlTable table(header, published ? "llrrrr" : "llrr");
    for (std::size_t s = 0; s < experiment.steps.size(); ++s) {
      const Experiment::Step& step = experiment.steps[s];
      const StepResult result = step_result(experiment, results, problem, s);
      std::vector<std::string> row{
          name_of_entry(experiment, step.entry),
          step.after < 0 ? "–"
                         : name_of_entry(experiment, experiment.steps[static_cast<std::size_t>(step.after)].entry),
          factor_text(result.factor), factor_text(result.total)};
      if (published) row.insert(row.end(), {published_text(step.factor), published_text(step.total)});
      table.add(row);
    }
    out += table.html(experiment.problems[p].name);
  }
  return out;
}

std::string reads_of(const Experiment& experiment) {
  HtmlTable table({"strategy", "reads, counted", "published"}, "lrr");
  bool any = false;
  for (const Experiment::Step& step : experiment.steps) {
    const std::optional<int> reads = region_reads_of(experiment, 0, step.entry);
    if (!reads) continue;
    table.add({name_of_entry(experiment, step.entry), std::to_string(*reads),
               step.region_reads ? decimals(*step.region_reads, 0) : "–"});
    any = true;
  }
  if (!any) return "";
  return section("How often a region is read") +
         paragraph(
             "How many blocks read from the region that one block's outputs lie in, in all kernels of a strategy. "
             "This is counted, not measured: it follows from blocks, tiles and the filter's radius.") +
         table.html();
}

std::string case_text(const Experiment& experiment, const ClaimCase& one) {
  std::string text = experiment.problems[static_cast<std::size_t>(one.problem)].name + ": ";
  if (one.factor)
    text += name_of_entry(experiment, one.faster) + " is " + factor_text(one.factor) + " as fast as " +
            name_of_entry(experiment, one.than) + "; ";
  return text + std::string(to_string(one.verdict)) + (one.why.empty() ? "" : ", " + one.why);
}

// Those that were not measured for the same reason are told together.
std::vector<std::string> case_texts(const Experiment& experiment, const ClaimResult& result) {
  std::vector<std::string> texts;
  std::vector<std::pair<std::string, std::string>> unmeasured;  // why, and the problems
  for (const ClaimCase& one : result.cases) {
    if (one.factor) {
      texts.push_back(case_text(experiment, one));
      continue;
    }
    const std::string& problem = experiment.problems[static_cast<std::size_t>(one.problem)].name;
    const auto told = std::ranges::find(unmeasured, one.why, &std::pair<std::string, std::string>::first);
    if (told == unmeasured.end())
      unmeasured.emplace_back(one.why, problem);
    else
      told->second += "; " + problem;
  }
  for (const auto& [why, problems] : unmeasured) texts.push_back(problems + ": undecided, " + why);
  return texts;
}

std::string sum_of_claims(const Experiment& experiment, const ExperimentResults& results) {
  std::map<Verdict, int> count;
  for (const Experiment::Claim& claim : experiment.claims) ++count[judged(experiment, claim, results).verdict];
  return counted(std::ssize(experiment.claims), "sentence") + ": agree " + std::to_string(count[Verdict::agrees]) +
         ", disagree " + std::to_string(count[Verdict::disagrees]) + ", undecided " +
         std::to_string(count[Verdict::undecided]) + ".";
}

std::string claims_of(const Experiment& experiment, const ExperimentResults& results) {
  if (experiment.claims.empty()) return "";
  std::string out = section("What is said, and what was measured") + paragraph(sum_of_claims(experiment, results));
  for (const Experiment::Claim& claim : experiment.claims) {
    const ClaimResult result = judged(experiment, claim, results);
    std::string cases;
    for (const std::string& text : case_texts(experiment, result)) cases += html_element("li", html_text(text));
    const std::string verdict = "<span class=\"" + std::string(to_string(result.verdict)) + "\">" +
                                std::string(to_string(result.verdict)) + "</span>";
    out += "<div class=\"together\">\n" + html_element("h3", html_text(claim.says));
    out += html_element(
        "p", verdict + html_text((claim.source.empty() ? "" : " · " + claim.source) + " · agree in " +
                                 std::to_string(result.agree) + ", disagree in " + std::to_string(result.disagree) +
                                 " of " + counted(std::ssize(result.cases), "case")));
    out += html_element("ul", "\n" + cases) + "</div>\n";
  }
  return out;
}

std::string left_out(const Experiment& experiment, const ExperimentResults& results) {
  HtmlTable table({"problem", "strategy", "why it was not measured"}, "lll");
  bool any = false;
  for (std::size_t p = 0; p < results.cells.size(); ++p)
    for (std::size_t e = 0; e < results.cells[p].size(); ++e) {
      const MeasuredCell& cell = results.cells[p][e];
      // What a whole backend lacks is said once, above.
      if (cell.measured || cell.reason.empty() || cell.row.is_null()) continue;
      table.add({experiment.problems[p].name, experiment.entries[e].name, cell.reason});
      any = true;
    }
  return any ? section("Not measured") + table.html() : "";
}

std::string how_of(const Experiment& experiment) {
  HtmlTable table({"name", "strategy", "tuning", ""}, "llll");
  for (const Experiment::Entry& entry : experiment.entries) {
    std::string tuning;
    for (const auto& [id, value] : entry.tuning)
      tuning += (tuning.empty() ? "" : " ") + id + "=" + std::to_string(value);
    table.add({entry.name, entry.strategy, tuning, entry.note});
  }
  return section("What was run") + table.html() +
         html_details("The experiment's file", html_element("pre", html_text(experiment.text)));
}

}  // namespace

std::string experiment_page(const Experiment& experiment, const ExperimentResults& results) {
  std::string body = experiment.about.empty() ? "" : paragraph(experiment.about);
  std::string devices;
  for (const auto& [backend, on] : results.measured_on) devices += html_element("li", html_text(measured_on_text(on)));
  if (!devices.empty()) body += paragraph("Measured on:") + html_element("ul", "\n" + devices);
  body += paragraph("Every time is the " + statistic_text(experiment) + ". Only what was right within its tolerance " +
                    "has one.");
  for (const std::string& remark : remarks_on(experiment, results)) body += paragraph(remark, "note");
  body += claims_of(experiment, results) + ladder_of(experiment, results) + reads_of(experiment) +
          plots_of(experiment, results) + tables_of(experiment, results) + left_out(experiment, results) +
          how_of(experiment);
  return html_page(
      experiment.title, body,
      "Made by Convoscope " CONVOSCOPE_VERSION " on " + now_text().substr(0, 10) + ", from its own measurements.",
      std::string(plots_style()) + std::string(verdict_style) + std::string(verdict_style_elsewhere));
}

}  // namespace convoscope
