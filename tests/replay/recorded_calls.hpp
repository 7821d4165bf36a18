// Recorded calls of ranks that have roles, and the comparison with generated ones.
#pragma once

#include <algorithm>
#include <set>
#include <sstream>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "replay/trace/calls.hpp"

namespace ringmark::testing_support {

using Json = nlohmann::json;

/// What the calls of one launch are, in any order.
using Launch = std::multiset<std::string>;

/// [op, elements, type, group or peer, launch] as launches.
inline std::vector<Launch> launches_of(const std::vector<Json>& calls) {
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

inline std::vector<Json> generated_calls(const replay::RoleTrace& trace, int rank) {
  std::ostringstream text;
  replay::write_calls(trace, rank, text);
  std::vector<Json> calls;
  std::istringstream lines(text.str());
  for (std::string line; std::getline(lines, line);) {
    const auto call = Json::parse(line);
    calls.push_back({call["op"], call.contains("counts") ? Json() : call["n"], call["dtype"],
                     call.contains("peer") ? call["peer"] : call["group"], call.value("batch", Json())});
  }
  return calls;
}

/// The first difference of a rank's calls, or nothing; `ranks` is an object of recorded calls by rank.
inline std::string difference(const replay::RoleTrace& trace, const Json& ranks) {
  for (const auto& [rank, calls] : ranks.items()) {
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

}  // namespace ringmark::testing_support
