#include "app/learn/shown_target.h"

#include <algorithm>
#include <utility>

#include "app/state/workbench.h"
#include "kernels/choose/stand_in.h"
#include "kernels/contract/image_plan.h"
#include "kernels/text/error.h"

namespace convoscope {
namespace {

// Constant memory is one for all plans of a strategy, and the window may begin to use it while this is at work.
bool can_be_disturbed(const PanePlan& made) {
  return made.plan && (made.strategy->chooses ||
                       std::ranges::any_of(made.plan->kernels(),
                                           [](const KernelInfo& kernel) { return kernel.constant_bytes > 0; }));
}

// Another one that shows the same, as far as rounding goes.
PanePlan undisturbed_plan(const Problem& problem, const Device& device) {
  PanePlan made;
  for (const Strategy* strategy : able_strategies(problem, device)) {
    try {
      made.strategy = strategy;
      made.plan = strategy->plan(problem, device, {});
    } catch (const Error&) {  // no memory for it
      continue;
    }
    if (!can_be_disturbed(made)) return made;
  }
  throw Error("No strategy can filter beside the panes on " + device.name + ".");
}

}  // namespace

void ShownTarget::make_plan(const Image& picture) {
  const Problem problem = problem_of(pane_, {}, picture.width, picture.height, picture.format);
  PanePlan made = make_pane_plan(pane_, problem, compute_.device());
  if (!made.why_not.empty()) throw Error("What the pane shows cannot be learnt: " + made.why_not);
  if (compute_.device().backend == Backend::cuda && can_be_disturbed(made))
    made = undisturbed_plan(problem, compute_.device());
  made_ = compute_.allocate(picture.width, picture.height, picture.format);
  host_.reset();
  if (made.strategy && made.strategy->backend == Backend::cpu && compute_.device().backend != Backend::cpu) {
    host_ = make_compute(Backend::cpu);
    on_host_ = host_->allocate(picture.width, picture.height, picture.format);
    made_on_host_ = host_->allocate(picture.width, picture.height, picture.format);
  }
  plan_ = std::move(made.plan);
}

Image ShownTarget::of(const Image& picture) {
  if (pane_.strategy == "source") return picture;
  if (!plan_ || !made_.fits(picture.width, picture.height, picture.format)) make_plan(picture);
  const Image& out = made_.image();
  if (!host_) {
    plan_->prepare(compute_.stream());
    enqueue_image(*plan_, picture, out, compute_.stream());
    return out;
  }
  compute_.download(picture, on_host_.image());
  plan_->prepare(host_->stream());
  enqueue_image(*plan_, on_host_.image(), made_on_host_.image(), host_->stream());
  compute_.upload(made_on_host_.image(), out);
  return out;
}

}  // namespace convoscope
