#include "app/learn/shown_target.h"

#include "app/state/workbench.h"
#include "kernels/contract/error.h"
#include "kernels/contract/image_plan.h"

namespace convoscope {

void ShownTarget::make_plan(const Image& picture) {
  const Problem problem = problem_of(pane_, {.kind = &image_kind}, picture.width, picture.height, picture.format);
  PanePlan made = make_pane_plan(pane_, problem, compute_.device());
  if (!made.why_not.empty()) throw Error("What the pane shows cannot be learnt: " + made.why_not);
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
