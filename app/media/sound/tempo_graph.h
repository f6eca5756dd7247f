#pragma once
// FFmpeg's filters between a decoder of sound and the sound card: speed without a change of pitch, rate, left and
// right.
#include <optional>
#include <string>
#include <vector>

#include "app/media/ffmpeg/ffmpeg.h"
#include "app/media/ffmpeg/filter_graph.h"

namespace convoscope {

// Throws Error for a code below 0: the sound of the file of that name cannot be played.
void check_sound(int status, const std::string& name);

class TempoGraph {
 public:
  // For frames such as this one. Throws Error, `name` being the file's.
  TempoGraph(const AVFrame& like, double speed, int rate, const std::string& name);
  bool takes(const AVFrame&) const;  // whether it is such a frame
  void give(AVFrame*);               // null: no more
  // Appends what has come out, left and right in turn.
  void take_samples(std::vector<float>& samples);

 private:
  const std::string name_;
  std::optional<FilterGraph> graph_;
  Owned<AVFrame> out_ = make_frame();
  int format_ = 0, rate_ = 0, channels_ = 0;
};

}  // namespace convoscope
