// Steps that Megatron-LM 0.19.2 issued with tensor, sequence, pipeline and expert parallelism, call for call;
// tests/replay/files/pack_megatron_steps.py says how they were made.

#include <algorithm>
#include <map>
#include <set>
#include <sstream>

#include <gtest/gtest.h>

#include "replay/generate/megatron/arguments.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/trace/calls.hpp"
#include "tests/replay/recorded_json.hpp"

namespace ringmark::replay::megatron {
namespace {

using Json = nlohmann::json;

/// What the calls of one launch are, in any order.
using Launch = std::multiset<std::string>;

/// [op, elements, type, group or peer, launch] as launches.
std::vector<Launch> launches_of(const std::vector<Json>& calls) {
  std::vector<Launch> launches;
  Json last;
  for (const auto& call : calls) {
    const auto text = Json{call[0], call[1], call[2], call[3]}.dump();
    if (!call[4].is_null() && call[4] == last) {
      launches.back().insert(text);
    } else {
      launches.push_back({text});
    }
    last = call[4];
  }
  return launches;
}

std::vector<Json> generated_calls(const RoleTrace& trace, int rank) {
  std::ostringstream text;
  write_calls(trace, rank, text);
  std::vector<Json> calls;
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) {
    const auto call = Json::parse(line);
    calls.push_back({call["op"], call.contains("counts") ? Json() : call["n"], call["dtype"],
                     call.contains("peer") ? call["peer"] : call["group"], call.value("batch", Json())});
  }
  return calls;
}

/// The ranks whose calls differ, with the first difference.
std::string difference(const Json& step) {
  const auto arguments = read_arguments("args", step["args"].get<std::string>(), step["world"].get<int>());
  const auto trace = generate(arguments.settings);
  for (const auto& [rank, calls] : step["ranks"].items()) {
    const auto recorded = launches_of(calls.get<std::vector<Json>>());
    const auto generated = launches_of(generated_calls(trace, std::stoi(rank)));
    const auto shorter = std::min(recorded.size(), generated.size());
    for (std::size_t at = 0; at < shorter; ++at) {
      if (recorded[at] != generated[at])
        return "rank " + rank + ", launch " + std::to_string(at) + ": recorded " + *recorded[at].begin() +
               ", generated " + *generated[at].begin();
    }
    if (recorded.size() != generated.size())
      return "rank " + rank + ": " + std::to_string(recorded.size()) + " launches recorded, " +
             std::to_string(generated.size()) + " generated";
  }
  return "";
}

/// Parts that an expert tensor group gathers depend on routing, which a generated step cannot know.
bool gathers_unequal_parts(const Json& step) {
  const auto args = step["args"].get<std::string>();
  return args.find("alltoall") != std::string::npos &&
         args.find("--tensor-model-parallel-size 2") != std::string::npos &&
         args.find("--expert-model-parallel-size") != std::string::npos &&
         args.find("--expert-tensor-parallel-size 1") == std::string::npos &&
         args.find("--moe-pad-expert-input-to-capacity") == std::string::npos;
}

TEST(RecordedMegatronSteps, are_generated_call_for_call) {
  const auto steps = testing_support::recorded_json("megatron_steps");
  int equal = 0, unequal_parts = 0;
  for (const auto& step : steps) {
    if (gathers_unequal_parts(step)) {
      ++unequal_parts;
      continue;
    }
    const auto found = difference(step);
    EXPECT_EQ(found, "") << step["name"];
    equal += found.empty() ? 1 : 0;
  }
  EXPECT_EQ(steps.size(), 186U);
  EXPECT_EQ(equal, 184);
  EXPECT_EQ(unequal_parts, 2);
}

}  // namespace
}  // namespace ringmark::replay::megatron
