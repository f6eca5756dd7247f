#include "app/media/ffmpeg/filter_graph.h"

#include "app/media/ffmpeg/ffmpeg.h"

namespace convoscope {

FilterGraph::FilterGraph(Of of, const std::string& in, const std::string& chain, const std::function<void(int)>& check)
    : graph_(avfilter_graph_alloc()) {
  if (!graph_) throw std::bad_alloc();
  AVFilterGraph* const graph = graph_.get();
  const bool sound = of == Of::sound;
  if (sound) graph->nb_threads = 1;  // more would cost more than a block of it
  const AVFilter* const first = avfilter_get_by_name(sound ? "abuffer" : "buffer");
  const AVFilter* const last = avfilter_get_by_name(sound ? "abuffersink" : "buffersink");
  check(avfilter_graph_create_filter(&source_, first, "in", in.c_str(), nullptr, graph));
  check(avfilter_graph_create_filter(&sink_, last, "out", nullptr, nullptr, graph));
  AVFilterInOut* outputs = avfilter_inout_alloc();
  AVFilterInOut* inputs = avfilter_inout_alloc();
  if (!outputs || !inputs) throw std::bad_alloc();
  *outputs = {av_strdup("in"), source_, 0, nullptr};
  *inputs = {av_strdup("out"), sink_, 0, nullptr};
  const int parsed = avfilter_graph_parse_ptr(graph, chain.c_str(), &inputs, &outputs, nullptr);
  avfilter_inout_free(&inputs);
  avfilter_inout_free(&outputs);
  check(parsed);
  check(avfilter_graph_config(graph, nullptr));
}

}  // namespace convoscope
