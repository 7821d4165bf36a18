// The destination of links: it answers as their sources ask, of several at the same time.
#pragma once

#include <vector>

#include "bench/link/link_measure.hpp"

namespace ringmark {

/// Answers the sources until each has what it measured. The fabric is connected to all of them; the plans are alike but
/// for the source.
/// Several sources begin what is timed at the same time. Returns the rate at which their messages came in all, from
/// that moment until one of the sources is through.
double serve_links(Fabric& fabric, const std::vector<LinkPlan>& plans);

}  // namespace ringmark
