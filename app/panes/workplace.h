#pragma once
// Where a pane's plan is carried out, and how its pictures come from there to where they are shown.
#include <memory>
#include <string>

#include "app/panes/pane_request.h"
#include "app/panes/timer_ring.h"
#include "kernels/compute/compute.h"

namespace convoscope {

// A pane has one at a time. By the thread of the pane, but for compute(), stream(), target() and timers(), which the
// thread that computes uses, too.
class Workplace {
 public:
  virtual ~Workplace() = default;
  Compute& compute() const { return compute_; }  // the plan's device, and the memory of what lies around the plan
  Stream stream() const { return compute_.stream(); }
  TimerRing& timers() { return timers_; }

  // Whether whoever enqueues there is held up until it is done.
  virtual bool holds_up_caller() const = 0;
  // Before the first picture of this shape. `shown`: the picture that is there. `is_filtered`: false where it passes
  // through. Throws Error when there is no memory.
  virtual void make_room(const PictureShape&, DeviceImage& shown, bool is_filtered) = 0;
  virtual void clear_room() {}  // the pane works elsewhere now
  // Where the plan writes.
  virtual const Image& target(const DeviceImage& shown) const = 0;
  virtual void show_target(const PictureShape&, DeviceImage& shown) = 0;     // what was written there becomes `shown`
  virtual void pass_through(const DeviceImage& in, DeviceImage& shown) = 0;  // instead of it
  // What is to be known of the times; mostly empty.
  virtual std::string note() const { return {}; }

 protected:
  explicit Workplace(Compute& compute) : compute_(compute), timers_(compute) {}
  explicit Workplace(std::unique_ptr<Compute> own) : own_(std::move(own)), compute_(*own_), timers_(compute_) {}

 private:
  const std::unique_ptr<Compute> own_;
  Compute& compute_;
  TimerRing timers_;
};

// The device that the pictures are on.
std::unique_ptr<Workplace> make_workplace(Compute&);
// This machine's cores for the CPU's strategies, where that is another device.
std::unique_ptr<Workplace> make_workplace_beside(Compute&);

}  // namespace convoscope
