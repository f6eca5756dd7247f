#pragma once
// Settings of which none is at its default.
#include "app/state/network_settings.h"
#include "app/state/settings.h"

namespace convoscope {

inline Settings everything_set() {
  Settings mine = default_settings();
  mine.recent = {"/a b/clip.mp4", "camera:1"};
  mine.browser_folder = "/a b";
  mine.source = {"pattern:zone", 640, 360, 25, "mjpeg"};
  mine.workbench = "layer";
  mine.group().panes.resize(2);
  mine.group().panes[0] = {"tiled", {{"tile", 32}}, parse_filter("gaussian:radius=3,sigma=1.5"), Border::wrap};
  mine.group().panes[1] = {"source", {}, parse_filter("0 1 0; 1 -4.1 1; 0 1 0"), Border::zero, 4, false};
  mine.group().panes[1].filter.filter.gain = 0.5f;
  mine.group().panes[1].filter.filter.bias = 0.25f;
  mine.group().panes[1].filter.filter.absolute = true;
  mine.group().panes[1].card = {CardShape::open, 0.25, 0.75};
  PaneGroup& pictures = mine.groups["image"];
  pictures = {.panes = {mine.group().panes[1], mine.group().panes[0], mine.group().panes[1]},
              .active_pane = 2,
              .baseline_pane = 1};
  pictures.panes[1].strategy = "constant";
  pictures.panes[1].tuning = {{"block_width", 16}};
  pictures.view = View::blink;
  mine.group().panes[0].layers = {"", "direct"};
  mine.group().panes[0].precision = Precision::tf32;
  mine.groups["volume"] = {.panes = {mine.group().panes[0]}, .view = View::grid};
  mine.groups["volume"].panes[0].strategy = "register-stream";
  mine.groups["volume"].panes[0].tuning.clear();
  mine.groups["volume"].panes[0].layers.clear();
  mine.layer = {.bank = "gabor",
                .stride = 2,
                .dilation = 3,
                .padded = false,
                .depthwise = true,
                .precision = Precision::f16,
                .layout = Layout::nhwc};
  mine.layer.weights = catalogue_bank(mine.layer, 6, 5);
  mine.layer.weights.biases = {0.5f, -1, 0, 2, 3, 4};
  mine.layer.weights.relu = true;
  LayerSettings network;
  load_layer_network("corners", network);
  mine.layer.network = network.network;
  mine.layer.further = network.further;
  mine.layer.pooled = network.pooled;
  mine.layer.seen = 2;
  mine.wall = {.map = 3, .gain = 4, .colours = false, .frames = true};
  mine.layer.residual = true;
  mine.layer.noise = 12;
  mine.learn = {LearnTask::denoise, parse_filter("sobel-y"), 1, 35, 0.05, DescentMethod::sgd, 2, 6};
  mine.show_hint = true;
  mine.dismissed = {"There is no driver."};
  mine.group().active_pane = mine.group().baseline_pane = 1;
  mine.group().view = View::difference;
  mine.blink_seconds = 0.75;
  mine.split = {30, {0.25}};
  mine.difference = {DifferenceMode::squared, 1, 0, 8, 2, true};
  mine.zoom = {3, 0.25, 0.75};
  mine.inspect = {true, true, true, true, true, PixelAddress{5, 6}, true, true, true};
  mine.format = PixelFormat::gray32f;
  mine.playback = {true, false, 0.25, 1.5, 2.5, 0.375, true};
  mine.sound = {.filtered = true,
                .filter = parse_signal_filter("band-pass:low=200,radius=100"),
                .strategy = "tiled-uniform",
                .block = 256,
                .scope = true,
                .compare = true};
  mine.recording = {.with_panels = false,
                    .render_panels = true,
                    .source_size = true,
                    .codec = RecordingCodec::ffv1,
                    .container = RecordingContainer::mp4,
                    .quality = RecordingQuality::best,
                    .rate = 12,
                    .folder = "/home/me/recordings",
                    .name = "lesson-{number}",
                    .sound = false,
                    .keep_last_seconds = true,
                    .animation = AnimationFormat::webp};
  mine.sweep.open = true;
  mine.sweep.of["image"] = {.along = "size", .values = {{"radius", {3, 5}}, {"size", {}}}, .strategies = {"constant"}};
  mine.sweep.of["layer"] = {.along = {}, .values = {{"M", {4, 8}}}, .strategies = {}};
  mine.sweep.hold_view = false;
  mine.backend = BackendChoice::emulated;
  mine.device = 1;
  mine.vsync = false;
  mine.window_width = 1234;
  mine.window_height = 777;
  mine.show_panels = mine.show_overlay = false;
  mine.panels_left = mine.projector = mine.light_theme = true;
  mine.ui_scale = 1.5f;
  mine.timing_window = 500;
  mine.open_panels = {"source", "strategy"};
  return mine;
}

}  // namespace convoscope
