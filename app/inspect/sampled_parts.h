#pragma once
// Parts of what a pane has made and what they were made from: copied to the host while the frame goes on, and compared
// there with the reference.
#include <atomic>
#include <span>
#include <vector>

#include "app/inspect/pane_tensors.h"
#include "app/state/stats.h"
#include "kernels/contract/kind.h"

namespace convoscope {

class SampledParts {
 public:
  explicit SampledParts(Compute&);  // throws Error when there is no memory

  // By the thread of the Compute. Other parts for another seed; false: tensors of another problem. Nothing waits.
  bool fetch(const Problem&, std::span<const PlacedTensor> in, const PlacedTensor& out, unsigned seed);
  bool arrived() { return download_.arrived(); }
  // Any thread, once they have arrived, until the next fetch(): adds how many outputs there are and where the worst one
  // is. `quit` ends it half way.
  void compare(CheckResult&, const std::atomic<bool>& quit) const;
  bool empty() const { return parts_.empty(); }
  const Problem& problem() const { return problem_; }

 private:
  struct Fetched {
    PlaneArea part;
    std::size_t patch = 0;  // of the output; after it come those of what it was made from
  };
  bool add(const PlaneArea& part, std::span<const PlacedTensor> in, const PlacedTensor& out);

  PatchDownload download_;
  Problem problem_;
  std::vector<Shape> inputs_;
  std::vector<Fetched> parts_;
};

}  // namespace convoscope
