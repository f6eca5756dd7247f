#include "app/cli/experiment/merged.h"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

bool is_before(const MergedRow* a, const MergedRow* b) {
  if (a->radius && b->radius) return *a->radius < *b->radius;
  return a->point < b->point;
}

// Whether the first is surely the faster one.
bool beats(const MergedRow& a, const MergedRow& b) {
  if (a.time.has_interval() && b.time.has_interval()) return a.time.high < b.time.low;
  return a.time.ms < b.time.ms;
}

CrossingPoint point_of(std::vector<const MergedRow*> rows) {
  std::ranges::sort(rows, {}, [](const MergedRow* row) { return row->time.ms; });
  CrossingPoint point{.point = rows[0]->point, .radius = rows[0]->radius, .fastest = {}};
  for (const MergedRow* row : rows) {
    if (!beats(*rows[0], *row) || row == rows[0])
      point.fastest.push_back(row);
    else if (!point.next)
      point.next = row;
  }
  return point;
}

// The same time of the same thing, at another time.
std::string identity(const MergedRow& row) {
  return row.problem + "\n" + row.point + "\n" + row.strategy + "\n" + row.tuning;
}

}  // namespace

std::vector<Crossings> crossings_of(const MergedRun& run) {
  std::map<std::string, std::map<std::pair<std::string, std::string>, const MergedRow*>> best;  // by point, strategy
  std::vector<std::string> order;
  for (const MergedRow& row : run.rows) {
    if (row.chooses) continue;
    if (!best.contains(row.problem)) order.push_back(row.problem);
    const MergedRow*& one = best[row.problem][{row.point, row.strategy}];
    if (!one || row.time.ms < one->time.ms) one = &row;
  }
  std::vector<Crossings> all;
  for (const std::string& problem : order) {
    Crossings& crossings = all.emplace_back(Crossings{.problem = problem, .points = {}, .rows = {}});
    std::map<std::string, std::vector<const MergedRow*>> points;
    for (const auto& [key, row] : best[problem]) {
      points[row->point].push_back(row);
      crossings.rows.push_back(row);
    }
    std::ranges::stable_sort(crossings.rows, is_before);
    for (auto& [point, rows] : points) crossings.points.push_back(point_of(std::move(rows)));
    std::ranges::stable_sort(crossings.points, [](const CrossingPoint& a, const CrossingPoint& b) {
      return is_before(a.fastest[0], b.fastest[0]);
    });
  }
  return all;
}

std::string crossings_text(const Crossings& crossings) {
  const auto names = [](const CrossingPoint& point) {
    std::vector<std::string> ids;
    for (const MergedRow* row : point.fastest) ids.push_back(row->strategy);
    std::ranges::sort(ids);
    std::string text;
    for (const std::string& id : ids) text += (text.empty() ? "" : " or ") + id;
    return text;
  };
  std::string text;
  for (std::size_t i = 0; i < crossings.points.size();) {
    std::size_t end = i + 1;
    while (end < crossings.points.size() && names(crossings.points[end]) == names(crossings.points[i])) ++end;
    const std::string first = crossings.points[i].point, last = crossings.points[end - 1].point;
    const bool to_the_end = end == crossings.points.size() && crossings.points[i].radius.has_value() && i > 0;
    text += (text.empty() ? "" : "; ") +
            (to_the_end      ? "from " + first + " on"
             : first == last ? first
                             : first + " to " + last) +
            ": " + names(crossings.points[i]);
    i = end;
  }
  return text;
}

std::vector<Machine> machines_of(std::vector<MergedRun> runs) {
  std::vector<Machine> machines;
  for (MergedRun& run : runs) {
    const auto is_its = [&](const Machine& machine) {
      return machine.device == run.device && machine.backend == run.backend;
    };
    auto found = std::ranges::find_if(machines, is_its);
    if (found == machines.end()) found = machines.insert(machines.end(), {run.device, run.backend, {}});
    found->runs.push_back(std::move(run));
  }
  for (Machine& machine : machines) {
    std::ranges::stable_sort(machine.runs, {}, &MergedRun::date);
    machine.newest = machine.runs.back();
    std::set<std::string> known;
    for (const MergedRow& row : machine.newest.rows) known.insert(identity(row));
    for (std::size_t i = machine.runs.size() - 1; i-- > 0;)
      for (const MergedRow& row : machine.runs[i].rows)
        if (known.insert(identity(row)).second) machine.newest.rows.push_back(row);
  }
  return machines;
}

std::vector<Change> changes_of(const Machine& machine) {
  std::vector<Change> changes;
  std::map<std::string, std::pair<const MergedRow*, const MergedRow*>> times;  // the one before the last, and the last
  for (const MergedRun& run : machine.runs) {
    std::map<std::string, const MergedRow*> once;  // two names for one thing are no two times
    for (const MergedRow& row : run.rows) once.emplace(identity(row), &row);
    for (const auto& [what, row] : once) {
      auto& [before, last] = times[what];
      before = std::exchange(last, row);
    }
  }
  for (const auto& [what, both] : times) {
    if (!both.first) continue;
    const MergedRow &old = *both.first, &row = *both.second;
    const bool intervals = old.time.has_interval() && row.time.has_interval();
    changes.push_back({&old, &row, row.time.ms / old.time.ms,
                       intervals && !old.doubtful && !row.doubtful && (beats(old, row) || beats(row, old))});
  }
  std::ranges::stable_sort(changes, std::ranges::greater{},
                           [](const Change& change) { return std::max(change.factor, 1 / change.factor); });
  return changes;
}

std::vector<std::string> remarks_on(const std::vector<Machine>& machines, int left_out) {
  std::vector<std::string> remarks;
  int doubtful = 0, all = 0;
  for (const Machine& machine : machines)
    for (const MergedRun& run : machine.runs) {
      if (run.device.empty()) remarks.push_back(run.file + " does not say on which device it was measured.");
      if (run.backend == "cuda" && run.driver.empty())
        remarks.push_back(run.file + " does not say under which driver its rows were measured.");
      all += static_cast<int>(run.rows.size());
      doubtful += static_cast<int>(std::ranges::count_if(run.rows, &MergedRow::doubtful));
    }
  if (doubtful > 0)
    remarks.push_back(std::to_string(doubtful) + " of " + counted(all, "time") +
                      " cannot be believed, marked with ?: other programs ran, or they scatter too much.");
  if (left_out > 0)
    remarks.push_back(counted(left_out, "row") + " without a strategy or a time " + (left_out == 1 ? "was" : "were") +
                      " left out.");
  return remarks;
}

}  // namespace convoscope
