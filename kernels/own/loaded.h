#pragma once
// A compiled kernel file in this process: its kernels and its variables. To be used in a process of its own.
#include <cstdint>
#include <string>
#include <vector>

#include "kernels/own/header/judge.h"

namespace convoscope::own {

struct Variable {
  enum class Kind { shared, device, constant_memory };
  std::string name;
  Kind kind = Kind::device;
  char* data = nullptr;
  std::size_t bytes = 0;
};

class Loaded {
 public:
  explicit Loaded(const std::string& library);  // throws Error
  ~Loaded();
  Loaded(const Loaded&) = delete;
  Loaded& operator=(const Loaded&) = delete;

  void begin(const ConvoscopeHooks& hooks) const { begin_(&hooks); }  // which outlive all calls
  const ConvoscopeKernel& kernel(const std::string& instance) const;  // throws Error
  std::size_t size_of(const std::string& type) const;
  const ConvoscopeArray& array(const std::string& name) const;
  const std::vector<Variable>& variables() const { return variables_; }

  std::uint64_t relative(const void* code) const { return reinterpret_cast<std::uint64_t>(code) - base_; }
  bool holds(const void* address) const { return reinterpret_cast<std::uint64_t>(address) - base_ < bytes_; }

 private:
  void read_symbols(const std::string& library);

  void* handle_;
  void (*begin_)(const ConvoscopeHooks*) = nullptr;
  const ConvoscopeKernel* kernels_ = nullptr;
  const ConvoscopeArray* arrays_ = nullptr;
  const ConvoscopeType* types_ = nullptr;
  std::uint64_t base_ = 0, bytes_ = 0;
  std::vector<Variable> variables_;
};

}  // namespace convoscope::own
