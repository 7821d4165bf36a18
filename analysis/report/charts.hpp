// The data of the page's charts.
#pragma once

#include <vector>

#include "analysis/recommend/training_steps.hpp"
#include "analysis/report/measured.hpp"
#include "analysis/report/page_json.hpp"
#include "analysis/stragglers/stragglers.hpp"

namespace ringmark::analysis {

/// For each case measured: a line of times and busbw over sizes for each configuration, and its ratios to the
/// baseline.
PageJson cases_chart(const Measured& of);

/// For each case a list of configurations, the fastest first.
PageJson steps_chart(const Measured& of, const std::vector<TrainingStep>& steps);

/// busbw over the number of ranks, if several were measured, at the largest size that most of them share.
PageJson scaling_chart(const Measured& of);

/// The median over launches of each pair [source, destination, value], and the pairs whose host or link was found to be
/// slow. Requires at least one matrix.
PageJson links_chart(const Links& links, const std::vector<Straggler>& slow);

PageJson waterfalls_chart(const Measured& of, std::optional<double> link_GBps);

/// A row for each slowdown of a group alongside others, its ratio and interval first.
PageJson slowdowns_table(const CompareResult& slowdowns);

}  // namespace ringmark::analysis
