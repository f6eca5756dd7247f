#pragma once
// The actions of the table of keys. Code names them by these words; what the user reads stands here, once.

namespace convoscope::ui::action {

// Playback
inline constexpr const char* play = "Play or pause";
inline constexpr const char* step_forward = "Step one frame forward";
inline constexpr const char* step_back = "Step one frame back";
inline constexpr const char* one_second_forward = "One second forward";
inline constexpr const char* one_second_back = "One second back";
inline constexpr const char* ten_seconds_forward = "Ten seconds forward";
inline constexpr const char* ten_seconds_back = "Ten seconds back";
inline constexpr const char* first_frame = "To the first frame";
inline constexpr const char* last_frame = "To the last frame";
inline constexpr const char* loop = "Loop";
inline constexpr const char* loop_from_here = "Loop from here (A)";
inline constexpr const char* loop_to_here = "Loop to here (B)";
inline constexpr const char* clear_loop = "Clear A and B";
inline constexpr const char* faster = "Faster";
inline constexpr const char* slower = "Slower";
inline constexpr const char* normal_speed = "Normal speed";
inline constexpr const char* sound = "Sound on or off";
inline constexpr const char* volume_up = "Volume up";
inline constexpr const char* volume_down = "Volume down";
inline constexpr const char* filter_sound = "Filter what is heard";
inline constexpr const char* sound_scope = "Waveform and spectrum";

// Source
inline constexpr const char* open_source = "Open a file, URL or camera";
inline constexpr const char* retry_source = "Try the source again";
inline constexpr const char* next_clip = "Next clip";
inline constexpr const char* previous_clip = "Previous clip";
inline constexpr const char* show_source = "Show the unfiltered picture";

// Picture
inline constexpr const char* zoom_in = "Zoom in";
inline constexpr const char* zoom_out = "Zoom out";
inline constexpr const char* fit_the_picture = "Fit the picture";
inline constexpr const char* one_to_one = "One pixel to one (1:1)";
inline constexpr const char* move_left = "Move left";
inline constexpr const char* move_right = "Move right";
inline constexpr const char* move_up = "Move up";
inline constexpr const char* move_down = "Move down";

// Filter
inline constexpr const char* next_filter = "Next filter of the catalogue";
inline constexpr const char* previous_filter = "Previous filter";
inline constexpr const char* larger_radius = "Larger radius";
inline constexpr const char* smaller_radius = "Smaller radius";
inline constexpr const char* more_gain = "More gain";
inline constexpr const char* less_gain = "Less gain";
inline constexpr const char* more_bias = "More bias";
inline constexpr const char* less_bias = "Less bias";
inline constexpr const char* absolute = "Absolute value";
inline constexpr const char* next_border = "Next border";
inline constexpr const char* previous_border = "Previous border";
inline constexpr const char* edit_weights = "Edit weights with arrows, Tab, Enter";
inline constexpr const char* undo = "Undo";
inline constexpr const char* redo = "Redo";
inline constexpr const char* copy_weights = "Copy the weights as text";
inline constexpr const char* paste_weights = "Paste weights";
inline constexpr const char* normalise = "Normalise the sum to 1";
inline constexpr const char* transpose = "Transpose";
inline constexpr const char* flip_horizontal = "Flip left and right";
inline constexpr const char* flip_vertical = "Flip top and bottom";
inline constexpr const char* rotate = "Rotate clockwise";
inline constexpr const char* save_filter = "Save the filter";
inline constexpr const char* load_filter = "Load a filter";

// Strategy
inline constexpr const char* next_strategy = "Next strategy";
inline constexpr const char* previous_strategy = "Previous strategy";
inline constexpr const char* choose_what_runs = "Choose what really runs";
inline constexpr const char* first_tunable_up = "First tunable up";
inline constexpr const char* first_tunable_down = "First tunable down";
inline constexpr const char* second_tunable_up = "Second tunable up";
inline constexpr const char* second_tunable_down = "Second tunable down";
inline constexpr const char* next_format = "Colour (rgba8) or grey (gray32f)";
inline constexpr const char* next_backend = "Next backend";
inline constexpr const char* clear_timings = "Clear the timings";
inline constexpr const char* listing = "Source of the strategy";

// Window
inline constexpr const char* show_panels = "Show or hide the panels";
inline constexpr const char* show_overlay = "Show or hide the overlay";
inline constexpr const char* swap_sides = "Panels on the other side";
inline constexpr const char* full_screen = "Full screen";
inline constexpr const char* theme = "Dark or light";
inline constexpr const char* larger_text = "Larger text, for a projector";
inline constexpr const char* smaller_text = "Smaller text";
inline constexpr const char* text_to_suit = "Text size to suit the monitor";
inline constexpr const char* projector = "Projector: large text, thick lines";
inline constexpr const char* palette = "Command palette";
inline constexpr const char* vsync = "Wait for the display (vsync)";
inline constexpr const char* settings = "Settings";
inline constexpr const char* messages = "Messages so far";
inline constexpr const char* lessons = "Lessons";
inline constexpr const char* lesson_next = "Lesson: next step";
inline constexpr const char* lesson_back = "Lesson: step back";
inline constexpr const char* help = "Keys and mouse";
inline constexpr const char* close = "Close what is open, leave full screen";
inline constexpr const char* save_session = "Save the session to a file";
inline constexpr const char* quit = "Quit";

// Recording
inline constexpr const char* record = "Start or stop recording";
inline constexpr const char* render = "Render the whole source to a file";
inline constexpr const char* screenshot = "Save a screenshot";
inline constexpr const char* screenshot_as = "Save a screenshot under a name";
inline constexpr const char* copy_picture = "Copy the picture";
inline constexpr const char* save_last_seconds = "Save the last seconds as GIF or WebP";
inline constexpr const char* record_panels = "Record the panels too";

// Timing
inline constexpr const char* baseline = "Compare times with this pane";
inline constexpr const char* sweep = "Sweep";
inline constexpr const char* run_sweep = "Start or cancel the sweep";
inline constexpr const char* save_sweep = "Save the sweep";
inline constexpr const char* overlay_sweep = "Overlay a saved sweep";

// Views
inline constexpr const char* view_single = "View: single";
inline constexpr const char* view_grid = "View: grid";
inline constexpr const char* view_split = "View: split";
inline constexpr const char* view_difference = "View: difference";
inline constexpr const char* view_blink = "View: blink";
inline constexpr const char* next_view = "Next view";
inline constexpr const char* split_back = "Split: lines back";
inline constexpr const char* split_forward = "Split: lines forward";
inline constexpr const char* split_left = "Split: turn left";
inline constexpr const char* split_right = "Split: turn right";
inline constexpr const char* split_evenly = "Split: upright, evenly spaced";
inline constexpr const char* difference_mode = "Difference: absolute, signed, squared";
inline constexpr const char* false_colour = "Difference: false colour";
inline constexpr const char* difference_more = "Difference: more gain";
inline constexpr const char* difference_less = "Difference: less gain";
inline constexpr const char* threshold_up = "Difference: higher threshold";
inline constexpr const char* threshold_down = "Difference: lower threshold";
inline constexpr const char* blink_faster = "Blink faster";
inline constexpr const char* blink_slower = "Blink slower";

// Panes
inline constexpr const char* hold_source = "Hold: the unfiltered source";
inline constexpr const char* hold_difference = "Hold: the difference";
inline constexpr const char* add_pane = "Add a pane to compare with";
inline constexpr const char* close_pane = "Close the pane";
inline constexpr const char* link_pane = "Link or unlink the pane's filter";
inline constexpr const char* pane_back = "Move the pane back";
inline constexpr const char* pane_forward = "Move the pane forward";
inline constexpr const char* next_label = "Label: short, full, off";
inline constexpr const char* label_to_the_left = "Label to the left";
inline constexpr const char* label_to_the_right = "Label to the right";
inline constexpr const char* label_up = "Label up";
inline constexpr const char* label_down = "Label down";
inline constexpr const char* swap_panes = "Swap with the first pane";

// Inspect
inline constexpr const char* values = "Values of all panes";
inline constexpr const char* magnifier = "Magnifier";
inline constexpr const char* magnifier_cells = "Larger magnifier cells";
inline constexpr const char* pin_pixel = "Pin the pixel under the cursor";
inline constexpr const char* histogram = "Histogram";
inline constexpr const char* vectorscope = "Vectorscope";
inline constexpr const char* explain = "Explain a pixel";
inline constexpr const char* go_to_wrong = "Go to a wrong pixel";
inline constexpr const char* uses = "How often each input is used";
inline constexpr const char* tiles = "Blocks with their numbers";

// Layer
inline constexpr const char* learn = "Learn or pause";

}  // namespace convoscope::ui::action
