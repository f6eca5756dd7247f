#pragma once
// What is fed with mutated input: one object a way into the program from outside.
#include <cstddef>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace convoscope::fuzz {

// Where a target may put files; also the working directory, and the home of settings and caches.
using Place = std::filesystem::path;

struct Target {
  std::string name;
  std::string ending;  // of a file with such input, with its dot
  // Good input to begin with, made by the program itself or by ffmpeg; the corpus comes on top.
  std::function<std::vector<std::string>(const Place&)> seeds;
  // Must return, and leave sanitizers without a word. Throws Failure where the outcome is wrong, and Error never.
  std::function<void(const std::string& input, const Place&)> run;
  std::vector<std::string> words = {};          // that such input is made of
  std::function<void(std::string&)> mend = {};  // checksums of what was changed
  bool json = false;                            // is also changed as a tree
  std::size_t longest = 1 << 16;                // bytes of an input
};

struct Failure {
  std::string what;
};

// One file of targets each.
std::vector<Target> media_targets();       // media, still, y4m, playlist
std::vector<Target> text_targets();        // filter, arguments
std::vector<Target> lesson_targets();      // lesson, answers
std::vector<Target> array_targets();       // npy, npz, safetensors
std::vector<Target> experiment_targets();  // experiment
std::vector<Target> kept_file_targets();   // settings, session, png, recording, sweep, cache, cubin

void write_file(const std::filesystem::path&, const std::string& bytes);
std::string read_file(const std::filesystem::path&);

}  // namespace convoscope::fuzz
