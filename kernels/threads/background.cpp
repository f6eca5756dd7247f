#include "kernels/threads/background.h"

#include <atomic>
#include <stdexcept>

namespace convoscope {
namespace {

std::atomic<Background*> the_one = nullptr;

}  // namespace

Background::Background() {
  Background* none = nullptr;
  if (!the_one.compare_exchange_strong(none, this)) throw std::logic_error("there is a Background already");
}

Background::~Background() {
  planner_.end();
  compiler_.end();
  the_one = nullptr;
}

Background* Background::current() { return the_one; }

ThreadPool& Background::cores() {
  std::call_once(cores_made_, [this] { cores_.emplace(core_count()); });
  return *cores_;
}

ThreadPool& Background::cores_beside() {
  std::call_once(cores_beside_made_, [this] { cores_beside_.emplace(core_count()); });
  return *cores_beside_;
}

}  // namespace convoscope
