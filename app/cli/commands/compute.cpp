// convoscope compute: the numbers that come out of a few numbers, by any strategy, beside the reference.
#include "kernels/compute/compute.h"

#include <algorithm>
#include <cstdio>
#include <memory>
#include <optional>

#include "app/cli/backend_choice.h"
#include "app/cli/commands/columns.h"
#include "app/cli/commands/commands.h"
#include "app/cli/commands/one_output.h"
#include "app/cli/commands/report.h"
#include "app/cli/computation.h"
#include "kernels/check/single_result.h"
#include "kernels/text/error.h"
#include "kernels/text/number_text.h"

namespace convoscope {
namespace {

using nlohmann::ordered_json;

// On what the strategy runs: what was asked for; else, where a strategy of CUDA is named and there is no GPU, the
// emulated device, which is said.
struct RunsOn {
  std::unique_ptr<Compute> compute;
  const Strategy* strategy;
  std::string instead;  // a sentence; empty: as asked for
};
RunsOn runs_on(const Invocation& invocation, const Kind& kind) {
  const std::string id = invocation.strategies.empty() ? "auto" : invocation.strategies[0];
  std::string why_not_cuda;
  RunsOn place{compute_for(invocation, &why_not_cuda), nullptr, {}};
  place.strategy = find_strategy(place.compute->device().backend, id, kind);
  if (place.strategy) return place;
  const BackendChoice asked = invocation.settings.backend;
  if (asked == BackendChoice::automatic && find_strategy(Backend::cpu, id, kind)) {
    place = {make_compute(Backend::cpu), find_strategy(Backend::cpu, id, kind), {}};
  } else if (asked == BackendChoice::automatic && find_strategy(Backend::emulated, id, kind)) {
    place = {make_compute(Backend::emulated), find_strategy(Backend::emulated, id, kind),
             "There is no GPU here, so " + id + " is emulated, thread by thread."};
  }
  if (!place.strategy)
    throw Error("The strategy " + in_quotes(id) + " does not run with --backend " +
                std::string(backend_names[static_cast<std::size_t>(asked)]) + ".");
  return place;
}

struct Outcome {
  NumberGrid outputs;
  std::vector<double> reference;
  double max_error = 0, tolerance = 0;
  bool right = true;
  std::string ran, note;
};

// What comes out of the parts, one after the other: the frames of a volume, the planes of a layer.
Outcome outcome_of(const Computation& computation, RunsOn& place, const Tuning& tuning) {
  Outcome outcome;
  for (const Computation::Part& part : computation.parts) {
    const SingleResult result = compute_single(*place.compute, part.problem, part.inputs, *place.strategy, tuning);
    NumberGrid& grid = outcome.outputs;
    grid.planes += result.shape.planes();
    grid.rows = result.shape.height();
    grid.columns = result.shape.width();
    grid.values.insert(grid.values.end(), result.outputs.begin(), result.outputs.end());
    outcome.reference.insert(outcome.reference.end(), result.reference.begin(), result.reference.end());
    outcome.max_error = std::max(outcome.max_error, result.max_error);
    outcome.tolerance = std::max(outcome.tolerance, result.tolerance);
    outcome.right &= result.right;
    outcome.ran = result.ran;
    outcome.note = result.note;
  }
  return outcome;
}

// The filter again and again, each time on what has come out. `computation` has the inputs of the last time then, and
// the errors are the largest of all times, each against the reference of its own inputs.
Outcome outcome_of_steps(Computation& computation, RunsOn& place, const Invocation& invocation) {
  Outcome outcome = outcome_of(computation, place, invocation.tuning);
  for (int step = 1; step < invocation.computation.steps; ++step) {
    computation.parts[0].inputs[0] = outcome.outputs.values;
    Outcome next = outcome_of(computation, place, invocation.tuning);
    next.right &= outcome.right;
    // Of the time that came nearest to what is allowed.
    if (outcome.max_error * next.tolerance > next.max_error * outcome.tolerance) {
      next.max_error = outcome.max_error;
      next.tolerance = outcome.tolerance;
    }
    outcome = std::move(next);
  }
  return outcome;
}

// Lists of lists: planes of rows, rows of an image, or the numbers of a signal.
template <class Number>
ordered_json nested(const NumberGrid& shape, const std::vector<Number>& numbers) {
  ordered_json planes = ordered_json::array();
  auto number = numbers.begin();
  for (int plane = 0; plane < shape.planes; ++plane) {
    ordered_json rows = ordered_json::array();
    for (int row = 0; row < shape.rows; ++row) {
      ordered_json columns = ordered_json::array();
      for (int column = 0; column < shape.columns; ++column, ++number) columns.push_back(number_json(*number));
      rows.push_back(std::move(columns));
    }
    planes.push_back(std::move(rows));
  }
  if (shape.planes > 1) return planes;
  return shape.rows > 1 ? planes[0] : planes[0][0];
}

ordered_json outcome_json(const Invocation& invocation, const Computation& computation, const RunsOn& place,
                          const Outcome& outcome) {
  const Problem& problem = computation.parts[0].problem;
  const Device& device = place.compute->device();
  ordered_json out{{"version", 1},
                   {"kind", problem.kind->id},
                   {"strategy", place.strategy->id},
                   {"ran", outcome.ran.empty() ? std::string(place.strategy->id) : outcome.ran},
                   {"backend", to_string(device.backend)},
                   {"device", device.name},
                   {"tuning", invocation.tuning},
                   {"border", to_string(problem.border)},
                   {"steps", invocation.computation.steps}};
  if (problem.kind->problem)
    out.update({{"pass", to_string(problem.layer.pass)}, {"shape", problem.kind->shape(problem)}});
  else
    out["format"] = to_string(problem.format);
  out.update({{"outputs", nested(outcome.outputs, outcome.outputs.values)},
              {"reference", nested(outcome.outputs, outcome.reference)},
              {"max_error", number_json(outcome.max_error)},
              {"tolerance", number_json(outcome.tolerance)},
              {"right", outcome.right}});
  return out;
}

// Of a volume the frame's own problem.
std::optional<OneOutput> explained(const Invocation& invocation, const Computation& computation, const RunsOn& place,
                                   const Outcome& outcome) {
  if (!invocation.computation.at) return std::nullopt;
  const auto [x, y, plane] = *invocation.computation.at;
  const bool frames = computation.parts.size() > 1;
  if (frames && (plane < 0 || plane >= static_cast<int>(computation.parts.size())))
    throw Error("--at names frame " + std::to_string(plane) + "; there are " +
                std::to_string(computation.parts.size()) + ", counted from 0.");
  const Computation::Part& part = computation.parts[frames ? static_cast<std::size_t>(plane) : 0];
  const Device& device = place.compute->device();
  const Strategy* const ran =
      outcome.ran.empty() ? nullptr : find_strategy(device.backend, outcome.ran, *part.problem.kind);
  const NumberGrid& grid = outcome.outputs;
  const bool there = x >= 0 && x < grid.columns && y >= 0 && y < grid.rows && plane >= 0 && plane < grid.planes;
  return explain_output(part.problem, part.inputs, there ? grid.at(plane, y, x) : 0, ran ? *ran : *place.strategy,
                        device, ran ? Tuning() : invocation.tuning, {.x = x, .y = y, .channel = frames ? 0 : plane});
}

}  // namespace

ordered_json compute_json(const Invocation& invocation) {
  const Computation computation = computation_of(invocation.computation);
  RunsOn place = runs_on(invocation, *invocation.computation.kind);
  const Outcome outcome = outcome_of(computation, place, invocation.tuning);
  ordered_json out = outcome_json(invocation, computation, place, outcome);
  if (const std::optional<OneOutput> one = explained(invocation, computation, place, outcome))
    out["at"] = one_output_json(*one);
  return out;
}

int run_compute(const Invocation& invocation) {
  Computation computation = computation_of(invocation.computation);
  for (const std::string& remark : computation.remarks) std::fprintf(stderr, "%s\n", remark.c_str());
  RunsOn place = runs_on(invocation, *invocation.computation.kind);
  if (!place.instead.empty()) std::fprintf(stderr, "%s\n", place.instead.c_str());
  const Outcome outcome = outcome_of_steps(computation, place, invocation);
  const std::optional<OneOutput> one = explained(invocation, computation, place, outcome);
  if (invocation.json) {
    ordered_json out = outcome_json(invocation, computation, place, outcome);
    if (one) out["at"] = one_output_json(*one);
    std::fprintf(stdout, "%s\n", out.dump(2).c_str());
  } else {
    std::fputs(grid_text(outcome.outputs).c_str(), stdout);
    if (one) std::fprintf(stdout, "\n%s", one_output_text(*one).c_str());
  }
  const std::string id(place.strategy->id), name = outcome.ran.empty() ? id : outcome.ran + " (by " + id + ")";
  std::fprintf(stderr, "%s on %s: %s, %s from the reference at most; %s are allowed.\n", name.c_str(),
               place.compute->device().name.c_str(), outcome.right ? "right" : "WRONG",
               significant(outcome.max_error, 3).c_str(), significant(outcome.tolerance, 3).c_str());
  return outcome.right ? 0 : 1;
}

}  // namespace convoscope
