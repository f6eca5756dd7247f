#pragma once
// What the panel, the keys and the palette do to a layer that learns, and how it goes in words.
#include <span>
#include <string>

#include "app/state/settings.h"
#include "app/state/stats.h"
#include "kernels/filter/filter_catalogue.h"

namespace convoscope::ui {

// Those of the catalogue that a layer can become, as they are initially: one set of weights, none larger than a
// layer's.
std::span<const FilterKind* const> learnable_kinds();

int size_to_learn(const Settings&);  // K that the filter asks for; for noise, one that is large enough to be good
bool is_learning(const Settings&);   // where there is a layer
// Weights are to come still: all that a layer learns at one go is one step back, with those that it is to begin with.
bool is_one_go(const Settings&, const LearnStats&, const Requests&);
// Why the layer cannot learn what it is to: a sentence. Empty: it can, or at least tries.
std::string why_not_learning(const Settings&);
std::string stop_what_cannot_learn(Settings&);  // why it had to; empty: it goes on, or did not learn
bool is_too_small_to_learn(const Settings&);    // its K for the filter; enlarge_to_learn() changes that alone
void enlarge_to_learn(Settings&);
// Three maps, or one of a grey picture, each of a colour of its own; of several layers the first, with ReLU. With small
// random weights.
void set_up_to_learn(Settings&, Requests&);
void choose_method(LearnSettings&, DescentMethod);  // with the rate that it usually wants

std::string gradient_text(const LearnStats::GradientCheck&);  // a whole sentence, with the numbers
// The same after so many steps: it says nothing of those that were made since.
std::string gradient_text(const LearnStats::GradientCheck&, std::int64_t steps);
bool is_right(const LearnStats::GradientCheck&);
std::string truth_text(const LearnStats&);  // how near the weights are to the true ones; empty: not known
// That nothing is learnt any more, since ReLU has cut off all that a layer has, and the way out; empty: something is.
std::string cut_off_text(const LearnStats&);
std::string noise_text(const LearnStats&);  // how much less there is; empty: not known
std::string check_text(const LearnStats&);  // of a check of the gradients that has no result; empty: there is none
std::string count_text(const LearnStats&,
                       const LayerSettings&);  // why the count of steps is a new one; empty: it isn't
std::string learning_text(const LearnStats&);  // "1,200 steps, loss 0.0031"; empty: not begun

}  // namespace convoscope::ui
