#pragma once
// Values that copies share until one of them is changed: what is large costs nothing where it is copied, nor where it
// is compared with its copy, and both are done in every frame.
#include <algorithm>
#include <cstddef>
#include <memory>
#include <utility>
#include <vector>

namespace convoscope {

template <class T>
class SharedVector {
 public:
  SharedVector() = default;
  SharedVector(std::vector<T> values) : values_(std::make_shared<std::vector<T>>(std::move(values))) {}

  bool empty() const { return size() == 0; }
  std::size_t size() const { return values_ ? values_->size() : 0; }
  const T* begin() const { return values_ ? values_->data() : nullptr; }
  const T* end() const { return begin() + size(); }
  const T& operator[](std::size_t i) const { return (*values_)[i]; }
  // To be changed before this is copied again. All others keep what they have: other threads may be reading it.
  T& change(std::size_t i) {
    values_ = std::make_shared<std::vector<T>>(*values_);
    return (*values_)[i];
  }
  friend bool operator==(const SharedVector& a, const SharedVector& b) {
    return a.values_ == b.values_ || std::ranges::equal(a, b);
  }

 private:
  std::shared_ptr<std::vector<T>> values_;
};

}  // namespace convoscope
