#include "sweeps/launch/loss_watch.hpp"

#include <algorithm>

#include "base/system/files.hpp"
#include "results/files/failure.hpp"

namespace ringmark::sweep {

bool LossWatch::must_end() {
  if (!until_) {
    const auto failures = read_failures(read_if_readable(failures_));
    const auto names_another = [](const Failure& each) { return each.lost && each.lost->rank != each.rank; };
    if (std::any_of(failures.begin(), failures.end(), names_another)) until_ = Deadline::after(patience_);
  }
  return until_ && until_->passed();
}

}  // namespace ringmark::sweep
