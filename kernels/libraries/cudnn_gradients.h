#pragma once
// What cuDNN has for the three passes of a layer beyond cudnn.h, as functions of one form.
#include "kernels/libraries/cudnn.h"

namespace convoscope::libcudnn {

// Descriptors in the order that the functions of a pass take them: two of what goes in, one of what comes out;
// all of them are pointers to the library.
using Descriptor = const void*;
struct PassApi {
  int (*choose)(Handle, Descriptor first, Descriptor second, Convolution, Descriptor out, int asked, int* found,
                Performance*) = nullptr;
  int (*measure)(Handle, Descriptor first, Descriptor second, Convolution, Descriptor out, int asked, int* found,
                 Performance*) = nullptr;
  int (*workspace_size)(Handle, Descriptor first, Descriptor second, Convolution, Descriptor out, int algorithm,
                        std::size_t*) = nullptr;
  int (*run)(Handle, const void* alpha, Descriptor first, const void* first_data, Descriptor second,
             const void* second_data, Convolution, int algorithm, void* workspace, std::size_t workspace_bytes,
             const void* beta, Descriptor out, void* out_data) = nullptr;
};

struct LayerApi {
  std::string missing;
  PassApi passes[3];  // forward, to the input, to the weights
  int (*set_groups)(Convolution, int groups) = nullptr;
};

inline LayerApi find_layer_functions() {
  LayerApi result;
  result.missing = Library::opened().missing;
  if (!result.missing.empty()) return result;
  const DynamicLibrary library({"libcudnn.so.9", "libcudnn.so.8", "libcudnn.so"}, "nvidia/cudnn/lib");
  constexpr const char* names[3] = {"Forward", "BackwardData", "BackwardFilter"};
  bool found = library.find("cudnnSetConvolutionGroupCount", result.set_groups);
  for (int pass = 0; pass < 3; ++pass) {
    const std::string name = names[pass];
    PassApi& a = result.passes[pass];
    found = found && library.find(("cudnnGetConvolution" + name + "Algorithm_v7").c_str(), a.choose) &&
            library.find(("cudnnFindConvolution" + name + "Algorithm").c_str(), a.measure) &&
            library.find(("cudnnGetConvolution" + name + "WorkspaceSize").c_str(), a.workspace_size) &&
            library.find(("cudnnConvolution" + name).c_str(), a.run);
  }
  if (!found) result.missing = "the installed cuDNN lacks cudnnConvolutionBackwardData: version 8 or 9 is needed";
  return result;
}
using LayerLibrary = convoscope::Library<LayerApi, find_layer_functions>;

inline const LayerApi& layer_api() { return LayerLibrary::usable(); }

}  // namespace convoscope::libcudnn
