// Helpers for the tests of generated steps.
#pragma once

#include <map>

#include <gtest/gtest.h>

#include "replay/generate/generate.hpp"
#include "replay/model/architectures.hpp"

namespace ringmark::replay {

inline Model shipped(const char* name) { return make_model(*find_architecture(name)); }

inline StepSettings deepspeed(int stage, int ranks, int micro_steps = 1) {
  StepSettings settings;
  settings.zero_stage = stage;
  settings.ranks = ranks;
  settings.micro_steps = micro_steps;
  settings.overlap_comm = stage == 3;
  return settings;
}

struct Volume {
  std::map<Collective, std::uint64_t> calls, elements;
};

inline Volume volume(const StepTrace& trace, Phase phase) {
  Volume volume;
  for (const auto& event : trace.events) {
    if (event.kind != EventKind::collective || event.phase != phase) continue;
    ++volume.calls[event.collective];
    volume.elements[event.collective] += event.elements;
  }
  return volume;
}

/// The payloads that backward reduces, in order.
inline std::vector<std::uint64_t> reduced(const Model& model, const StepSettings& settings) {
  std::vector<std::uint64_t> elements;
  for (const auto& event : generate(model, settings).events) {
    if (event.kind == EventKind::collective && event.phase == Phase::backward) elements.push_back(event.elements);
  }
  return elements;
}

inline void expect_sound(const StepTrace& trace) {
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    for (const int before : event.after) ASSERT_LT(before, static_cast<int>(i));
    if (event.kind != EventKind::collective) continue;
    if (event.collective != Collective::all_gather && event.collective != Collective::reduce_scatter) continue;
    const auto size = trace.groups[static_cast<std::size_t>(event.group)].size(trace.ranks);
    ASSERT_EQ(event.elements % static_cast<std::uint64_t>(size), 0U);
  }
}

}  // namespace ringmark::replay
