// What the steps say of the weights: how near they are to the true ones (those that were learnt, or those that the user
// has put in their place since), and whether ReLU has cut off all that a layer has.
#include <algorithm>
#include <cmath>

#include "app/learn/learner.h"

namespace convoscope {

void Learner::follow_weights(const Filter& bank, LearnStats& stats) {
  const auto is_as = [&](const Filter& put) { return bank.weights == put.weights && bank.biases == put.biases; };
  const auto shown = [&] { return steps_ > 0 && is_as(learnt_as_put_); };
  if (!shown() && before_ && before_->steps > 0 && is_as(before_->learnt_as_put)) exchange(*before_, stats);
  const bool others = steps_ > 0 && !learnt_.weights.empty() && !shown();
  if (!others && !stats.others_shown) return;
  stats.others_shown = others;
  compare(others ? bank : learnt_, stats);
}

void Learner::compare(const Filter& bank, LearnStats& stats) const {
  stats.largest_difference = stats.cosine = {};
  if (!subject_ || !subject_->compares || bank.weights.size() != subject_->lesson.target.weights.size()) return;
  double most = 0, difference = 0, product = 0, own = 0, wanted = 0;
  for (std::size_t i = 0; i < bank.weights.size(); ++i) {
    const double is = bank.weights[i], shall = subject_->lesson.target.weights[i];
    most = std::max(most, std::abs(shall));
    difference = std::max(difference, std::abs(is - shall));
    product += is * shall;
    own += is * is;
    wanted += shall * shall;
  }
  if (most > 0) stats.largest_difference = difference / most;
  if (own > 0 && wanted > 0) stats.cosine = product / std::sqrt(own * wanted);
}

void Learner::judge_cut_off(LearnStats& stats) const {
  constexpr double hardly_any = 0.001;  // a layer that learns has a tenth and more
  if (job_.losses.empty()) return;
  const int before = job_.cut_off.left < hardly_any ? stats.cut_off.steps : 0;
  stats.cut_off = job_.cut_off;
  stats.cut_off.steps = job_.cut_off.left < hardly_any ? before + static_cast<int>(job_.losses.size()) : 0;
}

}  // namespace convoscope
