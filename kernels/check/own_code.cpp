#include "kernels/check/own_code.h"

#include <chrono>
#include <thread>

#include "kernels/text/error.h"

namespace convoscope {

void wait_for_own_code(Plan& plan, std::span<const Tensor> in, Stream stream) {
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(30);
  while (!plan.settled() && std::chrono::steady_clock::now() < end) {
    plan.explore(in, stream);
    std::this_thread::sleep_for(std::chrono::microseconds(200));
  }
  if (const Strategy* other = plan.runs()) throw Error(plan.note() + " (" + std::string(other->id) + " ran)");
}

}  // namespace convoscope
