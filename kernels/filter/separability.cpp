#include "kernels/filter/separability.h"

#include <Eigen/SVD>
#include <algorithm>
#include <array>
#include <cmath>
#include <mutex>

#include "kernels/contract/theory/tolerance.h"

namespace convoscope {
namespace {

double absolute_sum(const float* weights, std::size_t count) {
  double sum = 0;
  for (std::size_t i = 0; i < count; ++i) sum += std::abs(static_cast<double>(weights[i]));
  return sum;
}

// Each singular value is shared evenly by its two factors, so that neither overflows nor underflows before the other.
LowRankFactors decompose(const float* weights, int width, int height, double tolerance, int max_rank) {
  using Matrix = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;
  const Matrix exact =
      Eigen::Map<const Eigen::Matrix<float, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>>(weights, height, width)
          .cast<double>();
  const Eigen::JacobiSVD<Eigen::MatrixXd> svd(exact, Eigen::ComputeThinU | Eigen::ComputeThinV);
  const int terms = static_cast<int>(svd.singularValues().size());

  LowRankFactors result;
  result.singular_values.assign(svd.singularValues().data(), svd.singularValues().data() + terms);
  const double allowed = tolerance * absolute_sum(weights, static_cast<std::size_t>(width) * height);
  Matrix remainder = exact;
  do {
    const int k = result.rank++;
    const double scale = std::sqrt(result.singular_values[k]);
    const Eigen::VectorXf row = (scale * svd.matrixV().col(k)).cast<float>();
    const Eigen::VectorXf column = (scale * svd.matrixU().col(k)).cast<float>();
    result.rows.insert(result.rows.end(), row.data(), row.data() + width);
    result.columns.insert(result.columns.end(), column.data(), column.data() + height);
    remainder -= column.cast<double>() * row.cast<double>().transpose();
    result.error = remainder.cwiseAbs().sum();
  } while (result.error > allowed && result.rank < std::min(terms, max_rank));
  return result;
}

// The last few filters that were asked about: a frame asks the same question several times, for each strategy.
class Memory {
 public:
  LowRankFactors get(const float* weights, int width, int height) {
    const std::size_t count = static_cast<std::size_t>(width) * height;
    const std::lock_guard lock(mutex_);
    for (const Entry& entry : entries_)
      if (entry.width == width && entry.weights.size() == count &&
          std::equal(weights, weights + count, entry.weights.begin()))
        return entry.factors;
    Entry& entry = entries_[next_++ % entries_.size()];
    entry = {width, {weights, weights + count}, decompose(weights, width, height, rank_one_tolerance, width + height)};
    return entry.factors;
  }

 private:
  struct Entry {
    int width = 0;
    std::vector<float> weights;
    LowRankFactors factors;
  };
  std::mutex mutex_;
  std::array<Entry, 16> entries_;
  std::size_t next_ = 0;
};

LowRankFactors remembered(const float* weights, int width, int height) {
  static Memory memory;
  return memory.get(weights, width, height);
}

}  // namespace

std::optional<SeparableFactors> factor_rank_one(const float* weights, int width, int height, double tolerance) {
  LowRankFactors factors = tolerance == rank_one_tolerance ? remembered(weights, width, height)
                                                           : decompose(weights, width, height, tolerance, 1);
  const double allowed = tolerance * absolute_sum(weights, static_cast<std::size_t>(width) * height);
  if (factors.rank != 1 || factors.error > allowed) return std::nullopt;
  return SeparableFactors{std::move(factors.rows), std::move(factors.columns), factors.error};
}

LowRankFactors low_rank_factors(const float* weights, int width, int height, double tolerance, int max_rank) {
  return decompose(weights, width, height, tolerance, std::max(max_rank, 1));
}

int filter_rank(const float* weights, int width, int height) { return remembered(weights, width, height).rank; }

std::string separable_reason(const Filter& filter) {
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y}) {
    if (weights->empty()) continue;
    const int rank = filter_rank(weights->data(), filter.width, filter.height);
    if (rank != 1)
      return "This filter has rank " + std::to_string(rank) +  // its name may be older than its weights
             ": only a filter of rank 1, a column times a row, can be done in two passes";
  }
  return {};
}

double separable_sum_bound(const Problem& problem) {
  const Filter& filter = problem.filter;
  double error = 0;
  for (const std::vector<float>* weights : {&filter.weights, &filter.weights_y})
    if (!weights->empty()) error += remembered(weights->data(), filter.width, filter.height).error;
  return float32_sum_bound(problem, filter.width + filter.height) +
         1.001 * error * std::abs(static_cast<double>(filter.gain)) * white_level(problem.format);
}

}  // namespace convoscope
