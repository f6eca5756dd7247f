#pragma once
// Changes good input into input that nobody has thought of: bytes, numbers, words, lines, parts of other inputs, and
// the values of a JSON tree. The same seed makes the same inputs.
#include <random>
#include <string>
#include <vector>

#include "tests/fuzz/target.h"

namespace convoscope::fuzz {

class Mutator {
 public:
  Mutator(const Target& target, std::vector<std::string> seeds, std::uint64_t seed)
      : target_(target), seeds_(std::move(seeds)), random_(seed) {}
  std::string next();

 private:
  std::size_t below(std::size_t limit) { return limit == 0 ? 0 : random_() % limit; }
  bool once_in(std::size_t count) { return below(count) == 0; }
  const std::string& any_seed() { return seeds_[below(seeds_.size())]; }
  std::string word();
  void change_bytes(std::string&);
  void change_number(std::string&);
  void change_part(std::string&);
  void change_words(std::string&);
  void change_lines(std::string&);
  bool change_tree(std::string&);

  const Target& target_;
  const std::vector<std::string> seeds_;
  std::mt19937_64 random_;
};

}  // namespace convoscope::fuzz
