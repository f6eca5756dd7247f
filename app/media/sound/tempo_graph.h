#pragma once
// FFmpeg's filters between a decoder of sound and the sound card: speed without a change of pitch, rate, left and
// right.
#include <memory>
#include <string>
#include <vector>

extern "C" {
#include <libavfilter/avfilter.h>
}

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

class TempoGraph {
 public:
  // For frames such as this one. Throws Error, `name` being the file's.
  TempoGraph(const AVFrame& like, double speed, int rate, const std::string& name);
  bool takes(const AVFrame&) const;  // whether it is such a frame
  void give(AVFrame*);               // null: no more
  // Appends what has come out, left and right in turn.
  void take(std::vector<float>& samples);

 private:
  struct Deleter {
    void operator()(AVFilterGraph* p) const { avfilter_graph_free(&p); }
  };
  void check(int status) const;

  const std::string name_;
  std::unique_ptr<AVFilterGraph, Deleter> graph_;
  AVFilterContext *source_ = nullptr, *sink_ = nullptr;
  Owned<AVFrame> out_ = make_frame();
  int format_ = 0, rate_ = 0, channels_ = 0;
};

}  // namespace convoscope
