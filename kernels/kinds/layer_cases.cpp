// What is checked and measured of layers.
#include "kernels/kinds/layer.h"

namespace convoscope {
namespace {

// Worked out by hand: design, section 5; two maps of 2 × 2 over three channels of 3 × 3.
std::vector<Case> worked_examples() {
  const std::vector<float> x{1, 2, 3, 1, 1, 0, 2, 0, 1, 0, 2, 1, 0, 3, 1, 1, 0, 2, 1, 2, 0, 0, 1, 2, 1, 1, 0};
  const std::vector<float> dy{1, 2, 3, 4, 1, 0, 0, -1};
  const std::vector<double> y{14, 15, 12, 12, 8, 11, 8, 7};
  const std::vector<double> dx{2, 3, 2, 5, 13, 8, 6, 14, 7, 1, 4, 2, 5, 10, 5, 3, 6, 4, 1, 2, 2, 2, 5, 3, 3, 3, -1};
  const std::vector<double> df{12, 11, 9, 5, 16, 17, 9, 13, 9, 13, 9, 8, 0, 2, 1, 0, -3, 1, 0, 1, 0, 0, -1, 1};
  const auto example = [](Pass pass, std::vector<std::vector<float>> inputs, std::vector<double> outputs) {
    Problem problem = layer_problem("1,3,3,3,2,2", pass);
    problem.filter.name = "worked out by hand";
    if (pass != Pass::to_weights)
      problem.filter.weights = {1, 1, 2, 2, 1, 1, 1, 1, 0, 1, 1, 0, 1, 0, 0, 1, 0, 1, 1, 0, 1, 1, 1, 1};
    return Case{std::move(problem), std::move(inputs), std::move(outputs)};
  };
  return {example(Pass::forward, {x}, y), example(Pass::to_input, {dy}, dx), example(Pass::to_weights, {x, dy}, df)};
}

// Odd sizes, every width of filter to 7, strides that leave rows over, padding up to more than the filter, dilation,
// groups, one channel a group (depthwise), outputs from padding alone.
std::vector<const char*> shapes(bool small) {
  std::vector<const char*> list{"1,1,1,1,1,1",
                                "1,1,5,5,1,3",
                                "2,3,7,9,4,3",
                                "1,2,13,11,3,5,padding=2",
                                "1,3,12,17,5,2,stride=2",
                                "1,1,17,16,2,7,padding=3,stride=3",
                                "2,4,9,10,6,3,groups=2,padding=1",
                                "1,6,11,8,6,3,groups=6,padding=1",
                                "2,4,10,10,8,3,groups=4,stride=2,padding=1",
                                "1,2,14,13,3,3,dilation=2,padding=2",
                                "1,3,15,19,2,4,stride=2,padding=3,dilation=2",
                                "1,5,8,37,7,1",
                                "3,1,6,6,2,6",
                                "1,2,23,37,3,3,padding=1",
                                "1,9,7,7,19,3,padding=1",
                                "1,1,4,4,1,3,padding=4",
                                "1,2,9,9,2,1,stride=3",
                                "1,3,20,35,16,3,padding=1",
                                "1,3,10,21,6,5,groups=3,padding=2",
                                "2,2,9,12,4,7,groups=2,padding=3"};
  if (!small)
    list.insert(list.end(), {"1,3,67,131,16,3,padding=1", "2,16,33,41,24,3", "1,64,20,30,48,3,padding=1",
                             "1,8,65,127,8,7,groups=8,padding=3", "1,3,128,130,8,5,stride=2,padding=2",
                             "2,32,17,19,64,1", "1,3,29,30,64,7,padding=3", "1,24,31,33,36,3,groups=12,stride=3",
                             "5,12,28,28,20,5,dilation=3,padding=4"});
  return list;
}

// Types and orders of numbers beyond float32 in planes.
struct Numbers {
  Precision precision;
  Layout layout;
};
constexpr Numbers other_numbers[] = {{Precision::f16, Layout::nhwc},
                                     {Precision::tf32, Layout::nchw},
                                     {Precision::f16, Layout::nchw},
                                     {Precision::tf32, Layout::nhwc},
                                     {Precision::f32, Layout::nhwc}};
Problem in_numbers(Problem problem, const Numbers& numbers) {
  problem.layer.precision = numbers.precision;
  problem.layer.layout = numbers.layout;
  return problem;
}

// What instructions of warpgroups take: multiples of 8 channels and maps, one group, stride 1.
constexpr const char* deep_shapes[] = {"1,8,5,9,8,3,padding=1",  "1,8,6,10,16,1",         "2,8,7,5,8,2",
                                       "1,16,9,8,8,3",           "1,8,7,12,24,3",         "1,16,6,6,8,5,padding=2",
                                       "2,8,6,9,8,3,dilation=2", "1,72,3,4,8,3,padding=1"};

// The epilogue is forward's: none, both, and each alone.
void vary_epilogue(Problem& problem, std::size_t turn) {
  if (problem.layer.pass != Pass::forward || turn % 4 == 0) return;
  problem.filter.relu = turn % 4 != 2;
  if (problem.filter.relu) problem.filter.name += ", ReLU";
  if (turn % 4 == 3) return;
  problem.filter.name += ", biases";
  for (int m = 0; m < problem.filter.maps; ++m) problem.filter.biases.push_back(static_cast<float>(m % 7 - 3) * 0.375f);
}

// The problem with that filter in each place of its bank, wherever it goes into the padded input.
std::vector<Problem> with_filters(const Problem& problem, const std::vector<Filter>& filters) {
  if (filters.empty()) return {problem};
  std::vector<Problem> problems;
  for (const Filter& filter : filters) {
    problems.push_back(problem);
    problems.back().filter = bank_of(filter, problem.filter.maps, problem.filter.channels);
    if (!layer_kind.invalid(problems.back()).empty()) problems.pop_back();
  }
  return problems;
}

}  // namespace

std::vector<Case> layer_cases(const CaseOptions& options) {
  std::vector<Case> cases;
  std::size_t turn = 0;
  for (const char* shape : shapes(options.small)) {
    for (const Pass pass : all_passes)
      for (Problem& problem : with_filters(layer_problem(shape, pass), options.filters)) {
        if (options.filters.empty()) vary_epilogue(problem, turn);
        cases.push_back({problem, {}, {}});
        for (std::size_t i = turn; i < turn + (options.small ? 1 : 2); ++i)  // each in its turn
          if (const Problem other = in_numbers(problem, other_numbers[i % std::size(other_numbers)]);
              layer_kind.invalid(other).empty())
            cases.push_back({other, {}, {}});
      }
    ++turn;
  }
  if (!options.filters.empty()) return cases;
  for (const char* shape : deep_shapes) {
    for (const Pass pass : all_passes)
      for (const Numbers& numbers : {other_numbers[0], other_numbers[turn % 2 ? 1 : 3]}) {  // float16, and tf32
        cases.push_back({in_numbers(layer_problem(shape, pass), numbers), {}, {}});
        vary_epilogue(cases.back().problem, turn);
      }
    ++turn;
  }
  for (const Case& example : worked_examples()) {
    cases.push_back(example);
    for (const auto& numbers : other_numbers) {
      cases.push_back(example);
      cases.back().problem = in_numbers(example.problem, numbers);
    }
  }
  return cases;
}

std::vector<Problem> layer_tuning_cases(const CaseOptions& options) {
  std::vector<Problem> problems;
  for (const char* shape : {options.small ? "1,3,13,21,5,3,padding=1" : "2,7,37,67,21,3,padding=1",
                            options.small ? "2,4,9,12,6,3,groups=2,stride=2" : "3,6,31,45,8,4,groups=2,stride=2"})
    for (const Pass pass : all_passes)
      for (const Problem& problem : with_filters(layer_problem(shape, pass), options.filters)) {
        problems.push_back(problem);
        problems.push_back(in_numbers(problem, other_numbers[problems.size() / 2 % std::size(other_numbers)]));
      }
  return problems;
}

// From layers that eat video to deep ones, as they are found in networks; the last is depthwise.
std::vector<Problem> layer_benchmarks() {
  std::vector<Problem> problems;
  for (const char* shape :
       {"1,3,1080,1920,16,3", "1,3,1080,1920,64,3", "1,3,1080,1920,64,7", "1,16,1080,1920,16,3", "1,64,540,960,64,3",
        "1,128,270,480,128,3", "1,256,135,240,256,3", "32,64,56,56,64,3", "1,64,540,960,64,3,groups=64"})
    for (const Pass pass : all_passes) problems.push_back(layer_problem(shape, pass));
  return problems;
}

}  // namespace convoscope
