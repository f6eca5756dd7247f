#include "app/inspect/pane_tensors.h"

namespace convoscope {
namespace {

PlacedTensor placed(const PaneRunner& runner, const Tensor& tensor) {
  const bool is_picture = tensor.data == runner.output().data || tensor.data == runner.input().image().data;
  return {tensor, runner.on_cores() && !is_picture ? PatchDownload::Memory::host : PatchDownload::Memory::device};
}

}  // namespace

std::vector<PlacedTensor> inputs_of(const PaneRunner& runner) {
  if (!runner.view()) return {placed(runner, tensor_of(runner.input().image()))};
  std::vector<PlacedTensor> inputs;
  for (const Tensor& tensor : runner.view()->seen_inputs()) inputs.push_back(placed(runner, tensor));
  return inputs;
}

PlacedTensor output_of(const PaneRunner& runner) {
  return placed(runner, runner.view() ? runner.view()->seen_output(runner.output()) : tensor_of(runner.output()));
}

}  // namespace convoscope
