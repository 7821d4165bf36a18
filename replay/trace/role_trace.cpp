#include "replay/trace/role_trace.hpp"

#include <algorithm>
#include <charconv>

namespace ringmark::replay {
namespace {

/// The number of ranks that work on the same samples; empty if the trace does not state it.
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

int RankGroup::first_member(int rank) const {
  int first = rank;
  for (const auto& [size, stride] : dimensions) first -= rank / stride % size * stride;
  return first;
}

std::vector<int> RankGroup::members(int rank) const {
  std::vector<int> ranks{first_member(rank)};
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

const Role& RoleTrace::fullest_role() const {
  return *std::max_element(roles.begin(), roles.end(),
                           [](const Role& a, const Role& b) { return total_bytes(a.memory) < total_bytes(b.memory); });
}

StepTrace played_by(const RoleTrace& trace, const Role& role) {
  StepTrace step;
  step.id = trace.id;
  step.ranks = trace.ranks;
  step.micro_steps = trace.micro_batches;
  step.channels.clear();
  for (const auto& group : trace.groups) step.channels.push_back({group.name, 0});
  int micro_step = 0;
  for (const auto& [pass, micro_batch] : role.plays) {
    micro_step = micro_batch.value_or(micro_step);
    for (const auto& event : trace.passes[static_cast<std::size_t>(pass)].events) {
      step.events.push_back(event);
      step.events.back().channel = event.group;
      step.events.back().micro_step = micro_step;
    }
  }
  return step;
}

RoleTrace with_one_role(const StepTrace& step) {
  RoleTrace trace;
  trace.id = step.id;
  trace.model = step.model;
  trace.source = step.source;
  trace.ranks = step.ranks;
  trace.micro_batches = step.micro_steps;
  for (const auto& group : step.groups) {
    const int size = group.size(step.ranks);
    trace.groups.push_back({group.name, {{size, group.kind == Group::Kind::stride ? group.width : 1}}});
  }
  trace.roles.push_back({"all ranks", {}, step.memory});
  const Event* last = nullptr;
  for (const auto& event : step.events) {
    if (last == nullptr || last->phase != event.phase || last->micro_step != event.micro_step) {
      trace.roles.front().plays.push_back({static_cast<int>(trace.passes.size()), event.micro_step});
      trace.passes.push_back({std::string(name(event.phase)), {}, {}});
    }
    trace.passes.back().events.push_back(event);
    trace.passes.back().events.back().after.clear();
    last = &event;
  }
  return trace;
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
