#pragma once
// What a device reaches, measured once: the roof that a strategy's times are held against.
#include <string>

#include "kernels/compute/compute.h"

namespace convoscope {

struct DeviceLimits {
  double copy_bytes_per_second = 0;  // read and written; 0: not measured yet
  double flop_per_second = 0;        // of independent FP32 multiply-adds, on all cores; 0: not measured yet
  bool from_cache = false;
};

// Runs in the calling thread for a good part of a second, with buffers of its own (up to an eighth of the device's
// memory, at most 512 MB). Each rate is the best of several runs: other loads only slow a device down. The emulator has
// no rates: all zero. Throws Error when the buffers do not fit or the device has failed.
DeviceLimits measure_limits(Compute&);

// What an earlier run has measured on this device (device_key), from limits.json in the cache folder; zeros when there
// is nothing. `problem`, if given, says why the file cannot be read or written, as a plain sentence.
DeviceLimits load_limits(const Device&, std::string* problem = nullptr);
bool save_limits(const Device&, const DeviceLimits&, std::string* problem = nullptr);

// load_limits(), else measure_limits() and save_limits(). A file that cannot be written is only a problem to tell.
DeviceLimits known_limits(Compute&, std::string* problem = nullptr);

// measure_limits() whatever is known, and save_limits() of the higher rates: other loads may have slowed down either
// measurement, and nothing makes one too high.
DeviceLimits measure_limits_again(Compute&, std::string* problem = nullptr);

}  // namespace convoscope
