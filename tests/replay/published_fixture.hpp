// Steps that others published, for tests.
#pragma once

#include <algorithm>
#include <iterator>
#include <string>
#include <vector>

#include "replay/predict/published_steps.hpp"

namespace ringmark::replay {

inline std::vector<PublishedStep> read_table(const std::string& file) {
  return read_published_steps(RINGMARK_REPLAY_FILES "/" + file);
}
inline std::vector<PublishedStep> published() { return read_table("published_steps.csv"); }

inline std::vector<PublishedStep> of(const std::vector<PublishedStep>& steps, const std::string& family) {
  std::vector<PublishedStep> result;
  std::copy_if(steps.begin(), steps.end(), std::back_inserter(result),
               [&](const PublishedStep& step) { return step.family == family; });
  return result;
}

}  // namespace ringmark::replay
