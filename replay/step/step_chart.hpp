// A step as a chart: a row for each rank, boxes for its computation by micro-batch, and its communication below them.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "replay/step/timeline.hpp"

namespace ringmark::replay {

class StepChart {
 public:
  /// `trace` is the rank's step.
  void add(int rank, const StepTrace& trace, const Timeline& timeline);
  /// As SVG, which browsers show. At most 64 rows, spread evenly over the ranks.
  std::string svg() const;

 private:
  struct Bar {
    double begin_us = 0, end_us = 0;
    Phase phase = Phase::forward;
    int micro_step = 0;
    std::string what;  ///< of communication
  };
  struct Row {
    int rank = 0;
    std::vector<Bar> boxes, communication;
  };

  static std::vector<Bar> boxes_of(const StepTrace& trace, const Timeline& timeline);

  std::vector<Row> rows_;
  double begin_us_ = std::numeric_limits<double>::infinity(), end_us_ = -begin_us_;
  int micro_steps_ = 1;
};

}  // namespace ringmark::replay
