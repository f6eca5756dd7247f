#include "app/cli/commands/problems.h"

#include <algorithm>
#include <map>
#include <utility>

#include "kernels/contract/kind.h"
#include "kernels/contract/sweep.h"
#include "kernels/kinds/frames.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

struct NamedFilter {
  std::string name;
  Filter filter;
};

std::vector<NamedFilter> filters_of(const Invocation& invocation) {
  std::vector<NamedFilter> filters;
  for (const FilterSpec& spec : invocation.filters) {
    const bool named =
        spec.kind == "custom" && spec.filter.name != "custom";  // a matrix of a file: too long for a title
    filters.push_back({named ? spec.filter.name : spec_text(spec), spec.filter});
  }
  for (const int taps : invocation.taps) {
    filters.push_back({"", random_filter(taps, 1)});
    filters.back().name = filters.back().filter.name;
  }
  if (!filters.empty()) return filters;
  const Kind& kind = *invocation.kinds[0];
  if (!kind.has_catalogue) {
    for (const Problem& problem : kind.benchmarks()) filters.push_back({problem.filter.name, problem.filter});
    return filters;
  }
  const std::vector<int> radii = invocation.radii.empty() ? std::vector{1, 2, 4, 8, 16} : invocation.radii;
  for (const int radius : radii)
    for (const char* filter : {"gaussian:radius=", "disk:radius="}) {  // separable, and any 2D filter
      const std::string text = filter + std::to_string(radius);
      filters.push_back({text, parse_filter(text).filter});
    }
  return filters;
}

// What the kind's own benchmarks have, where nobody says otherwise.
std::vector<Size> sizes_of(const Invocation& invocation) {
  if (invocation.samples) return {{*invocation.samples, 1}};
  if (!invocation.sizes.empty()) return invocation.sizes;
  std::vector<Size> sizes;
  for (const Problem& problem : invocation.kinds[0]->benchmarks())
    if (sizes.empty() || sizes.back().width != problem.width || sizes.back().height != problem.height)
      sizes.push_back({problem.width, problem.height});
  // Large enough that launches and ramps no longer count.
  if (invocation.thorough && invocation.kinds[0] == Problem().kind) sizes.push_back({8192, 8192});
  return sizes;
}
std::vector<PixelFormat> formats_of(const Invocation& invocation) {
  if (!invocation.formats.empty()) return invocation.formats;
  std::vector<PixelFormat> formats;
  for (const Problem& problem : invocation.kinds[0]->benchmarks())
    if (std::ranges::find(formats, problem.format) == formats.end()) formats.push_back(problem.format);
  return formats;
}

std::vector<NamedProblem> product_of_choices(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  const std::vector<NamedFilter> filters = filters_of(invocation);
  const std::vector<Border> borders = invocation.borders.empty() ? std::vector{Border::replicate} : invocation.borders;
  const std::vector<PixelFormat> formats = formats_of(invocation);
  std::vector<NamedProblem> problems;
  for (const Size& size : sizes_of(invocation))
    for (const PixelFormat format : formats)
      for (const Border border : borders)
        for (const auto& [name, filter] : filters)
          problems.push_back({name, {size.width, size.height, format, border, filter, &kind}});
  return problems;
}

void narrow(Problem& problem, const Invocation& invocation) {
  if (!invocation.borders.empty()) problem.border = invocation.borders[0];
  if (!invocation.formats.empty()) problem.format = invocation.formats[0];
}

// Each with each type and layout that was asked for.
std::vector<Problem> in_numbers(const std::vector<Problem>& problems, const Invocation& invocation) {
  std::vector<Problem> all;
  for (const Problem& problem : problems)
    for (const Precision precision :
         invocation.precisions.empty() ? std::vector{Precision::f32} : invocation.precisions)
      for (const Layout layout : invocation.layouts.empty() ? std::vector{Layout::nchw} : invocation.layouts) {
        all.push_back(problem);
        all.back().layer.precision = precision;
        all.back().layer.layout = layout;
      }
  return all;
}

bool are_own(const Invocation& invocation) { return invocation.shapes.empty() && invocation.filters.empty(); }

// Of a kind whose problems are shapes: its own ones, when none is stated. Their types may not hold their outputs, which
// their rows then say; nothing can be varied about those.
std::vector<NamedProblem> shapes_of(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  std::vector<Problem> problems = stated_problems(invocation);
  if (are_own(invocation)) {
    problems = in_numbers(kind.benchmarks(), invocation);
    std::erase_if(problems, [&](const Problem& problem) {
      return (!invocation.over.empty() && !kind.invalid(problem).empty()) ||
             (!invocation.passes.empty() &&
              std::ranges::find(invocation.passes, problem.layer.pass) == invocation.passes.end());
    });
  }
  std::vector<NamedProblem> named;
  for (Problem& problem : problems) {
    narrow(problem, invocation);
    named.push_back({problem.filter.name, std::move(problem)});
  }
  return named;
}

void check_points(const std::vector<Invocation::Over>& over) {
  std::size_t points = 1;
  for (const auto& [parameter, values] : over) points *= values.size();
  if (points > most_sweep_points)
    throw Error("--over makes " + std::to_string(points) + " points for each strategy. A sweep has up to " +
                std::to_string(most_sweep_points) + ": give fewer values.");
}

// Each problem with each of the wanted values, the last of them first; what comes out twice is measured once.
std::vector<NamedProblem> varied(const std::vector<NamedProblem>& problems, const Invocation& invocation) {
  std::vector<NamedProblem> all;
  std::multimap<std::string, std::size_t> seen;  // places in `all`; files may give two filters one name
  for (const auto& [name, start] : problems) {
    std::vector<std::vector<int>> points{sweep_values(start)};
    for (const auto& [parameter, values] : invocation.over) {
      const auto place = static_cast<std::size_t>(parameter - start.kind->parameters.data());
      std::vector<std::vector<int>> more;
      for (const std::vector<int>& point : points)
        for (const int value : values) more.emplace_back(point)[place] = value;
      points = std::move(more);
    }
    for (const std::vector<int>& point : points) {
      Problem problem = with_values(start, point);
      const std::string filter = problem.filter == start.filter ? name : problem.filter.name;
      const std::string said = filter + problem.kind->describe(problem) + std::string(to_string(problem.border));
      const auto [first, last] = seen.equal_range(said);
      const auto is_this = [&](const auto& other) { return all[other.second].problem.filter == problem.filter; };
      if (std::any_of(first, last, is_this)) continue;
      seen.emplace(said, all.size());
      all.push_back({filter, std::move(problem)});
    }
  }
  return all;
}

}  // namespace

std::vector<Problem> stated_problems(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  std::vector<std::string> shapes = invocation.shapes;
  std::vector<Pass> passes = invocation.passes;
  std::vector<const Filter*> filters;
  for (const FilterSpec& spec : invocation.filters) filters.push_back(&spec.filter);
  if (shapes.empty()) shapes = {""};
  if (passes.empty()) passes.assign(all_passes.begin(), all_passes.end());
  if (filters.empty()) filters = {nullptr};
  std::vector<Problem> problems;
  for (const std::string& shape : shapes)
    for (const Pass pass : passes)
      for (const Filter* filter : filters) problems.push_back(kind.problem(shape, pass, filter));
  return in_numbers(problems, invocation);
}

std::vector<NamedProblem> bench_problems(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  std::vector<NamedProblem> problems = kind.problem ? shapes_of(invocation) : product_of_choices(invocation);
  check_points(invocation.over);
  if (!invocation.over.empty()) problems = varied(problems, invocation);
  const bool rows_say_why = kind.problem && invocation.over.empty() && are_own(invocation);
  const auto can_be_measured = [&](const NamedProblem& named) { return kind.invalid(named.problem).empty(); };
  if (rows_say_why && std::ranges::any_of(problems, can_be_measured)) return problems;
  for (const auto& [filter, problem] : problems)
    if (const std::string reason = kind.invalid(problem); !reason.empty()) throw Error(reason + ".");
  return problems;
}

Problem listed_problem(const Invocation& invocation) {
  const Kind& kind = *invocation.kinds[0];
  Problem problem = kind.problem ? stated_problems(invocation)[0] : kind.benchmarks().front();
  if (kind.has_catalogue)
    problem = {.width = problem.width,
               .height = problem.height,
               .filter = parse_filter("gaussian:radius=2").filter,
               .kind = &kind};
  narrow(problem, invocation);
  if (kind.problem) return problem;
  if (!invocation.sizes.empty()) {
    problem.width = invocation.sizes[0].width;
    problem.height = invocation.sizes[0].height;
  }
  if (!invocation.filters.empty()) problem.filter = invocation.filters[0].filter;
  return problem;
}

}  // namespace convoscope
