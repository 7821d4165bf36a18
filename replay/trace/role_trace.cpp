#include "replay/trace/role_trace.hpp"

#include <algorithm>
#include <charconv>

namespace ringmark::replay {
namespace {

/// The number of ranks that work on the same samples; nothing if the trace does not say it.
std::optional<int> ranks_per_sample(const RoleTrace& trace) {
  const auto found = trace.parameters.find("dp");
  if (found == trace.parameters.end()) return std::nullopt;
  const auto& text = found->second;
  int copies = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), copies);
  const bool is_read = error == std::errc() && end == text.data() + text.size();
  if (!is_read || copies < 1 || trace.ranks % copies != 0) return std::nullopt;
  return trace.ranks / copies;
}

}  // namespace

int RankGroup::size() const {
  int product = 1;
  for (const auto& each : dimensions) product *= each.size;
  return product;
}

std::vector<int> RankGroup::members(int rank) const {
  int first = rank;
  for (const auto& [size, stride] : dimensions) first -= rank / stride % size * stride;
  std::vector<int> ranks{first};
  for (const auto& [size, stride] : dimensions) {
    std::vector<int> more;
    for (int place = 0; place < size; ++place) {
      for (const int each : ranks) more.push_back(each + place * stride);
    }
    ranks = std::move(more);
  }
  std::sort(ranks.begin(), ranks.end());
  return ranks;
}

StepTrace computations_of(const RoleTrace& trace) {
  StepTrace step;
  step.id = trace.id;
  step.model = trace.model;
  step.source = trace.source;
  step.model_elements = trace.model_elements;
  step.ranks = trace.ranks;
  step.micro_steps = trace.micro_batches;
  if (const auto sharing = ranks_per_sample(trace)) {
    step.ranks_per_sample = *sharing;
    step.micro_batch = trace.micro_batch;
  }
  step.sequence = trace.sequence;
  step.type = trace.type;
  step.software = trace.source.starts_with("torchtitan") ? usual_software : Software::Kind::megatron_core;
  step.parameters = trace.parameters;
  for (const auto& pass : trace.passes) {
    for (const auto& event : pass.events) {
      if (computes(event)) step.events.push_back(event);
    }
  }
  return step;
}

}  // namespace ringmark::replay
