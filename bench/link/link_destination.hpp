// The destination of links: answers as their sources request, several at a time.
#pragma once

#include <vector>

#include "bench/link/link_measure.hpp"

namespace ringmark {

/// Answers the sources until each has its measurement. The fabric is connected to all of them; the plans are identical
/// except for the source. Several sources start their timed part together. Returns the total rate at which their
/// messages arrived, from that moment until one of the sources is done.
double serve_links(Fabric& fabric, const std::vector<LinkPlan>& plans);

}  // namespace ringmark
