#pragma once
// A library's handle is for one thread at a time, keeps the stream of its last call, which may be gone when a plan of
// another stream comes, and takes longer to make than many frames. So handles are kept, each lent for a few calls.
#include <map>
#include <mutex>
#include <utility>
#include <vector>

namespace convoscope {

// One of the device's handles, for this thread until it goes, working on the stream given; made where none is free.
// The device must be the current one. `make` and `use` throw Error; a handle that takes no stream is not lent again.
template <class Handle, Handle (*make)(), void (*use)(Handle, void* stream)>
class HandleLease {
 public:
  HandleLease(int device_ordinal, void* stream) : device_(device_ordinal), handle_(take_handle(device_ordinal)) {
    use(handle_, stream);
  }
  HandleLease(const HandleLease&) = delete;
  HandleLease& operator=(const HandleLease&) = delete;
  ~HandleLease() {
    const std::lock_guard lock(kept().mutex);
    kept().free[device_].push_back(handle_);
  }
  operator Handle() const { return handle_; }

 private:
  struct Kept {
    std::mutex mutex;
    std::map<int, std::vector<Handle>> free;  // by device
  };
  static Kept& kept() {
    static Kept all;
    return all;
  }
  static Handle take_handle(int device) {
    {
      const std::lock_guard lock(kept().mutex);
      std::vector<Handle>& free = kept().free[device];
      if (!free.empty()) {
        const Handle handle = free.back();
        free.pop_back();
        return handle;
      }
    }
    return make();
  }

  int device_;
  Handle handle_;
};

}  // namespace convoscope
