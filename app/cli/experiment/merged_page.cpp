// The page and the JSON of what several machines have measured.
#include <algorithm>

#include "app/cli/commands/report.h"
#include "app/cli/experiment/merged.h"
#include "app/cli/experiment/plots.h"
#include "app/page/html.h"
#include "app/page/page.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t most_lines = 8, most_changes = 60;

std::string known_or_not(const std::string& text) { return text.empty() ? "not recorded" : text; }
std::string machine_name(const Machine& machine) {
  return known_or_not(machine.device) + (machine.backend == "cpu" ? " (CPU)" : "");
}
std::string driver_text(const MergedRun& run) {
  return run.backend == "cpu" ? "none needed" : known_or_not(run.driver);
}
std::string time_text(const MergedRow& row) { return (row.doubtful ? "? " : "") + rounded_text(row.time.ms, 4); }
std::string strategies_text(const CrossingPoint& point) {
  std::string text;
  for (const MergedRow* row : point.fastest) text += (text.empty() ? "" : " or ") + row->strategy;
  return text;
}
std::string percent_text(const std::optional<double>& share) { return share ? decimals(100 * *share, 0) + " %" : "–"; }

std::string machines_table(const std::vector<Machine>& machines) {
  HtmlTable table({"device", "driver", "CUDA", "program", "date", "times", "file"}, "lllllrl");
  for (const Machine& machine : machines)
    for (const MergedRun& run : machine.runs)
      table.add({known_or_not(run.device), driver_text(run), run.cuda.empty() ? "–" : run.cuda,
                 known_or_not(run.program), known_or_not(run.date.substr(0, 10)), std::to_string(run.rows.size()),
                 run.file});
  return table.html();
}

std::string table_of_points(const Crossings& crossings) {
  const bool radius = crossings.points[0].radius.has_value();
  HtmlTable table({radius ? "radius" : "shape", "fastest", "ms", "× copy", "of roofline", "the next one takes"},
                  radius ? "rlrrrl" : "llrrrl");
  for (const CrossingPoint& point : crossings.points) {
    const MergedRow& row = *point.fastest[0];
    table.add(
        {point.point, strategies_text(point), time_text(row), row.times_copy ? decimals(*row.times_copy, 2) : "–",
         percent_text(row.of_roofline),
         point.next ? decimals(point.next->time.ms / row.time.ms, 2) + " × as long: " + point.next->strategy : "–"});
  }
  return table.html(crossings.problem);
}

// The strategies that come nearest to the fastest anywhere: others would hide them.
std::string plot_of_lines(const Crossings& crossings) {
  if (crossings.points.size() < 2 || !crossings.points[0].radius) return "";
  std::map<std::string, PlotLine> lines;
  std::map<std::string, double> nearest;
  for (const CrossingPoint& point : crossings.points)
    for (const MergedRow* row : crossings.rows) {
      if (row->point != point.point) continue;
      const double factor = row->time.ms / point.fastest[0]->time.ms;
      const auto [known, is_new] = nearest.try_emplace(row->strategy, factor);
      if (!is_new) known->second = std::min(known->second, factor);
      PlotLine& line = lines[row->strategy];
      line.label = row->strategy;
      line.points.push_back(
          {static_cast<double>(std::max(*row->radius, 1)), row->time.ms, row->time.low, row->time.high});
    }
  std::vector<PlotLine> shown;
  for (auto& [id, line] : lines) shown.push_back(std::move(line));
  std::ranges::stable_sort(shown, {}, [&](const PlotLine& line) { return nearest[line.label]; });
  if (shown.size() > most_lines) shown.resize(most_lines);
  return html_figure(line_plot(shown, "radius", "milliseconds", "Times over the radius, " + crossings.problem),
                     crossings.problem);
}

std::string machine_section(const Machine& machine) {
  std::string out = html_element("h2", html_text(machine_name(machine)));
  std::string plots, tables, words;
  for (const Crossings& crossings : crossings_of(machine.newest)) {
    words += html_element("li", html_text(crossings.problem + ": " + crossings_text(crossings)));
    plots += plot_of_lines(crossings);
    tables += table_of_points(crossings);
  }
  out += html_element("p",
                      "Which strategy is fastest, and from which radius on. Where intervals overlap, both are named.");
  out += html_element("ul", "\n" + words);
  if (!plots.empty()) out += "<div class=\"plots\">\n" + plots + "</div>\n";
  return out + tables;
}

std::string changes_section(const std::vector<Machine>& machines) {
  std::string out;
  for (const Machine& machine : machines) {
    const std::vector<Change> changes = changes_of(machine);
    if (changes.empty()) continue;
    const auto told = std::ranges::count_if(changes, &Change::told_apart);
    HtmlTable table({"problem", "radius or shape", "strategy", "before, ms", "now, ms", "takes now"}, "lllrrr");
    std::size_t shown = 0;
    for (const Change& change : changes)
      if (change.told_apart && ++shown <= most_changes)
        table.add({change.after->problem, change.after->point, change.after->strategy, time_text(*change.before),
                   time_text(*change.after), decimals(change.factor, 2) + " ×"});
    out += html_element("h3", html_text(machine_name(machine)));
    out += html_element(
        "p", html_text("Each time against the last one before it, in the runs named above: " + std::to_string(told) +
                       " of " + counted(std::ssize(changes), "time") + " changed by more than their intervals."));
    if (told > 0) out += table.html();
  }
  return out.empty() ? "" : html_element("h2", "Changes since the last time") + out;
}

// The same problems on several machines.
std::string between_section(const std::vector<Machine>& machines) {
  if (machines.size() < 2) return "";
  std::vector<std::string> header{"problem", "radius or shape"};
  for (const Machine& machine : machines) header.push_back(machine_name(machine));
  std::map<std::pair<std::string, std::string>, std::vector<std::string>> cells;
  std::vector<std::pair<std::string, std::string>> order;
  for (std::size_t m = 0; m < machines.size(); ++m)
    for (const Crossings& crossings : crossings_of(machines[m].newest))
      for (const CrossingPoint& point : crossings.points) {
        const std::pair key{crossings.problem, point.point};
        auto& row = cells[key];
        if (row.empty()) {
          row.assign(machines.size(), "–");
          order.push_back(key);
        }
        row[m] = strategies_text(point) + ", " + time_text(*point.fastest[0]) + " ms";
      }
  HtmlTable table(header, std::string(header.size(), 'l'));
  bool any = false;
  for (const auto& key : order) {
    std::vector<std::string> row{key.first, key.second};
    row.insert(row.end(), cells[key].begin(), cells[key].end());
    if (std::ranges::count(cells[key], "–") + 1 >= std::ssize(cells[key])) continue;
    table.add(row);
    any = true;
  }
  return any ? html_element("h2", "The same on several machines") + table.html() : "";
}

}  // namespace

std::string merged_page(const std::vector<Machine>& machines, int left_out) {
  std::string body = machines_table(machines);
  for (const std::string& remark : remarks_on(machines, left_out)) body += html_element("p", html_text(remark), "note");
  body += changes_section(machines) + between_section(machines);
  for (const Machine& machine : machines) body += machine_section(machine);
  return html_page("Measurements", body,
                   "Made by Convoscope " CONVOSCOPE_VERSION " on " + now_text().substr(0, 10) +
                       ", from the files that are named above.",
                   plots_style());
}

ordered_json merged_json(const std::vector<Machine>& machines, int left_out) {
  ordered_json out{{"program", CONVOSCOPE_VERSION},
                   {"date", now_text()},
                   {"remarks", remarks_on(machines, left_out)},
                   {"machines", ordered_json::array()}};
  for (const Machine& machine : machines) {
    ordered_json one{{"device", machine.device}, {"backend", machine.backend}, {"runs", ordered_json::array()}};
    for (const MergedRun& run : machine.runs)
      one["runs"].push_back({{"file", run.file},
                             {"driver", run.driver.empty() ? ordered_json(nullptr) : ordered_json(run.driver)},
                             {"program", run.program},
                             {"date", run.date},
                             {"rows", run.rows.size()}});
    one["crossings"] = ordered_json::array();
    for (const Crossings& crossings : crossings_of(machine.newest)) {
      ordered_json points = ordered_json::array();
      for (const CrossingPoint& point : crossings.points) {
        ordered_json ids = ordered_json::array();
        for (const MergedRow* row : point.fastest) ids.push_back(row->strategy);
        const MergedRow& first = *point.fastest[0];
        points.push_back({{"at", point.radius ? ordered_json(*point.radius) : ordered_json(point.point)},
                          {"fastest", ids},
                          {"ms", first.time.ms},
                          {"times_copy", number_json(first.times_copy)},
                          {"fraction_of_roofline", number_json(first.of_roofline)},
                          {"doubtful", first.doubtful}});
      }
      one["crossings"].push_back({{"problem", crossings.problem}, {"points", std::move(points)}});
    }
    one["changes"] = ordered_json::array();
    for (const Change& change : changes_of(machine))
      one["changes"].push_back({{"problem", change.after->problem},
                                {"at", change.after->point},
                                {"strategy", change.after->strategy},
                                {"tuning", change.after->tuning},
                                {"factor", change.factor},
                                {"told_apart", change.told_apart}});
    out["machines"].push_back(std::move(one));
  }
  return out;
}

}  // namespace convoscope
