// The unrolled input in memory, and cuBLAS. Idea: as im2col-own-gemm, with the library's product: Y = F · U, to the
// input Fᵀ · dY and its columns added up, to the weights dY · Uᵀ added to what the samples before have given.
// Traffic: U is written and read once for each sample, K² times the input; one buffer serves all samples. Rows with
// gaps between are copied together before and after. Limits: that traffic, with few maps; memory for the buffer, K²
// times a sample.
#include "kernels/libraries/cublas.h"
#include "kernels/peers/dense_planes.cuh"
#include "kernels/strategies/shared/layer/unroll.cuh"

namespace convoscope::CONVOSCOPE_TARGET::layer::im2col_gemm {

namespace {

constexpr std::size_t workspace_bytes = std::size_t{32} << 20;  // what cuBLAS wants on the largest devices

class Im2colPlan final : public LibraryPlan {
 public:
  Im2colPlan(const Problem& problem, const Device& device)
      : LibraryPlan(problem), unrolled_(problem), workspace_(workspace_bytes), device_(device.ordinal) {
    const libcublas::HandleLease made(device_, nullptr);  // here, not in the first frame
  }
  void enqueue(std::span<const Tensor> in, std::span<const Tensor> out, Stream stream) override {
    const libcublas::HandleLease handle(device_, stream.handle);
    libcublas::check(libcublas::api().set_workspace(handle, workspace_.data(), workspace_bytes), "cublasSetWorkspace");
    const Pass pass = problem_.layer.pass;
    const LayerInputs inputs = layer_inputs(in, pass);
    const float* const dy = pass == Pass::forward ? nullptr : in_.back().read(in.back(), stream);
    float* const result = pass == Pass::to_input ? nullptr : out_.write(out[0]);
    const int positions = extents_.out_height * extents_.out_width;
    for (int n = 0; n < extents_.samples; ++n) {
      const std::ptrdiff_t sample = static_cast<std::ptrdiff_t>(n) * extents_.maps * positions;
      if (pass != Pass::to_input) unrolled_.unroll(inputs.x, n, stream);
      for (int group = 0; group < extents_.groups; ++group)
        if (pass == Pass::forward)
          forward(handle, group, result + sample);
        else if (pass == Pass::to_input)
          to_input(handle, group, dy + sample);
        else
          to_weights(handle, group, dy + sample, result, n > 0);
      if (pass == Pass::to_input) unrolled_.gather(planes_of<float>(out[0]), n, stream);
    }
    if (result) out_.written(out[0], stream);
    finish(out[0], stream);
  }
  // Of one sample, and what all have at the end.
  std::vector<KernelInfo> kernels() const override {
    std::vector<KernelInfo> infos{problem_.layer.pass == Pass::to_input ? unrolled_.gather_kernel()
                                                                        : unrolled_.unroll_kernel()};
    describe_finish(infos);
    return infos;
  }
  std::string note() const override {
    return std::to_string(static_cast<long>(UnrolledInput::bytes(problem_) / 0x1p20)) +
           " MiB of unrolled input, one sample after the other; cuBLAS's own kernels are not listed";
  }

 private:
  int rows() const { return extents_.group_channels() * extents_.filter * extents_.filter; }  // of U, of a group
  int positions() const { return extents_.out_height * extents_.out_width; }
  const float* bank(int group) const {
    return reinterpret_cast<const float*>(bank_.data()) +
           static_cast<std::ptrdiff_t>(group) * extents_.group_maps() * rows();
  }
  float* unrolled(int group) const {
    return unrolled_.data() + static_cast<std::ptrdiff_t>(group) * rows() * positions();
  }
  std::ptrdiff_t planes(int group) const {
    return static_cast<std::ptrdiff_t>(group) * extents_.group_maps() * positions();
  }

  // All row-major: in cuBLAS's column-major words the transposes, so that the second matrix comes first.
  void forward(libcublas::Handle handle, int group, float* y) {
    multiply(handle, libcublas::no_transpose, libcublas::no_transpose, positions(), extents_.group_maps(), rows(),
             unrolled(group), positions(), bank(group), rows(), 0, y + planes(group), positions());
  }
  void to_input(libcublas::Handle handle, int group, const float* dy) {
    multiply(handle, libcublas::no_transpose, libcublas::transpose, positions(), rows(), extents_.group_maps(),
             dy + planes(group), positions(), bank(group), rows(), 0, unrolled(group), positions());
  }
  void to_weights(libcublas::Handle handle, int group, const float* dy, float* df, bool add) {
    multiply(handle, libcublas::transpose, libcublas::no_transpose, rows(), extents_.group_maps(), positions(),
             unrolled(group), positions(), dy + planes(group), positions(), add ? 1.0f : 0.0f,
             df + static_cast<std::ptrdiff_t>(group) * extents_.group_maps() * rows(), rows());
  }
  void multiply(libcublas::Handle handle, int transpose_a, int transpose_b, int m, int n, int k, const float* a,
                int lda, const float* b, int ldb, float beta, float* c, int ldc) {
    const float one = 1;
    libcublas::check(
        libcublas::api().sgemm(handle, transpose_a, transpose_b, m, n, k, &one, a, lda, b, ldb, &beta, c, ldc),
        "cublasSgemm");
  }

  UnrolledInput unrolled_;
  DeviceBuffer<unsigned char> workspace_;
  int device_;
};

// In whatever order cuBLAS sums.
double bound(const Problem& p) {
  return float32_sum_bound(p,
                           p.layer.pass == Pass::to_weights ? static_cast<int>(layer_terms(p)) : unrolled_roundings(p));
}

}  // namespace

extern const Strategy strategy{
    .id = "im2col-gemm",
    .title = "im2col + GEMM",
    .idea =
        "Unroll the input so that every output's neighbourhood is a column of a matrix, then let cuBLAS multiply it by "
        "the bank. That is the library's best kernel, at the cost of sending K² times the input through memory.",
    .reading = "PMPP 4th ed., ch. 16.4",
    .backend = target_backend,
    .tunables = {},
    .tolerance = bound,
    .refuses = [](const Problem& p, const Device& device, const Tuned&) -> std::string {
      if (target_backend == Backend::emulated) return "calls cuBLAS, which cannot be emulated";
      if (std::string missing = libcublas::Library::missing(); !missing.empty()) return missing;
      if (std::string reason = float_planes_reason(p); !reason.empty()) return reason;
      if (std::string reason = unrolled_reason(p, device); !reason.empty()) return reason;
      return finish_reason(p);
    },
    .plans = [](const Problem& p, const Device& device, const Tuned&) -> std::unique_ptr<Plan> {
      return std::make_unique<Im2colPlan>(p, device);
    },
    .costs = [](const Problem& p, const Tuned&) { return unrolled_cost(p); },
    .explains =
        [](const Problem& p, const Device&, const Tuned&, const OutputIndex& at) {
          if (p.layer.pass != Pass::forward) return in_words_alone("cuBLAS does not say how it makes a gradient.");
          const Correlation c = correlation_of(p);
          const MatrixProduct product = unrolled_product(c, at);
          return Explanation{.steps = {explain_unrolling(c, at)},
                             .words = meeting_text(product) + " cuBLAS multiplies, and does not say which block does.",
                             .launches_before = 0,
                             .product = product};
        },
    .calls_library = true,
    .open_library = libcublas::Library::open,
    .kind = &layer_kind,
};

}  // namespace convoscope::CONVOSCOPE_TARGET::layer::im2col_gemm
