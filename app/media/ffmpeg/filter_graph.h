#pragma once
// A graph of FFmpeg's filters with one way in and one way out.
#include <functional>
#include <memory>
#include <string>

extern "C" {
#include <libavfilter/avfilter.h>
}

namespace convoscope {

class FilterGraph {
 public:
  enum class Of { pictures, sound };
  // `in`: what comes in, as the options of FFmpeg's source filter. `chain`: from [in] to [out]. `check` throws for
  // codes below 0.
  FilterGraph(Of of, const std::string& in, const std::string& chain, const std::function<void(int)>& check);

  AVFilterContext* source() const { return source_; }
  AVFilterContext* sink() const { return sink_; }

 private:
  struct Deleter {
    void operator()(AVFilterGraph* p) const { avfilter_graph_free(&p); }
  };
  std::unique_ptr<AVFilterGraph, Deleter> graph_;
  AVFilterContext *source_ = nullptr, *sink_ = nullptr;
};

}  // namespace convoscope
