#pragma once
// Compares what the panes show with the reference, now and then and in the background: parts of one frame's input and
// output are copied to the host while the frame goes on, and a thread of its own computes what they should be.
#include <atomic>
#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "app/inspect/sampled_parts.h"
#include "app/panes/pane_set.h"
#include "app/state/stats.h"

namespace convoscope {

class PaneChecker {
 public:
  explicit PaneChecker(Compute&);  // throws Error when there is no memory
  ~PaneChecker();
  PaneChecker(const PaneChecker&) = delete;
  PaneChecker& operator=(const PaneChecker&) = delete;

  // Once a frame, after the panes have filtered: takes a result, starts the next check when its time has come, and
  // says in PaneStats::check how things stand. Panes take turns; one that changes starts anew. `now`: seconds.
  void observe(PaneSet&, std::int64_t frame, double now, std::vector<PaneStats>&);

 private:
  // One check: copied by the thread of the Compute, compared by the other one.
  struct Job {
    int pane = 0;  // its id
    unsigned version = 0;
    std::int64_t frame = 0;
    double (*tolerance)(const Problem&) = nullptr;  // of inputs up to 1
    double largest_input = 1;
    CheckResult result;
    double seconds = 0;  // that it took
  };
  struct Standing {
    unsigned version = 0;
    CheckResult result;
    double checked = -1e9;          // when last; never: long ago
    const void* picture = nullptr;  // which then
    unsigned turn = 0;              // of the parts
  };

  void restart_changed(PaneSet&, const std::vector<PaneStats>&);
  bool start(const PaneRunner&, int pane, std::int64_t frame, unsigned turn);
  bool is_due(const PaneRunner&, const Standing&, double now) const;
  void settle(double now);
  void check();
  void work();

  SampledParts parts_;
  enum class Phase { idle, copying, comparing } phase_ = Phase::idle;
  double next_ = 0;                    // not before this time
  double took_ = 0;                    // the check before
  std::map<int, Standing> standings_;  // by pane id

  Job job_;  // the worker's while `given_`, as parts_ is
  std::mutex mutex_;
  std::condition_variable wake_;
  bool given_ = false, done_ = false;
  std::atomic<bool> quit_ = false;  // also ends a check half way
  std::jthread worker_;             // last: it uses all of the above, and is joined before they go
};

}  // namespace convoscope
