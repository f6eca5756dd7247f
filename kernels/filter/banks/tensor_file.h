#pragma once
// Named tensors as other programs keep them: .safetensors, .npz, and folders of .npy files.
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/filter/banks/number_array.h"

namespace convoscope {

// One of a file. Of a type that has no float32 it has no numbers: it may be there as long as nobody uses it.
struct NamedTensor {
  NumberArray array;
  std::string type;                          // as the file says it: "I8"
  std::shared_ptr<const std::string> owner;  // of the array's bytes; empty where the caller has them
};

// 2 before 10, and letters as they are.
struct ByName {
  bool operator()(const std::string& a, const std::string& b) const;
};

struct TensorFile {
  std::map<std::string, NamedTensor, ByName> tensors;
  nlohmann::json options;  // what "convoscope" in the metadata says, or network.json in the folder; null: nothing does
};

// These throw Error in words that follow the name of the file or folder, also where reading is no longer wanted. What
// the result refers to in `bytes` must last as long.
TensorFile parse_safetensors(std::string_view bytes);
TensorFile read_npz(const std::string& path);
TensorFile read_npy_folder(const std::string& path);
TensorFile read_safetensors(const std::string& path);

// Throws Error where two tensors lie in the same bytes: a small file could ask for any amount of memory and time.
void check_shares_nothing(const TensorFile&);

// The numbers of tensors of one file, and a word on what had to be done to have them as float32.
class TensorNumbers {
 public:
  // Throws Error where the type has none, or there are more than a layer may have weights.
  std::vector<float> of(const std::string& name, const NamedTensor&);
  void add_remark(std::vector<std::string>&) const;  // a sentence, unless all were float32 already

 private:
  std::set<std::string> types_;
  bool rounded_ = false;
};

}  // namespace convoscope
