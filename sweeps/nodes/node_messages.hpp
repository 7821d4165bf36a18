// The messages between the first node of a sweep and the others, where another system has started them.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "transports/bootstrap/host_identity.hpp"

namespace ringmark::sweep {

/// A node's first message.
struct NodeIntroduction {
  static constexpr auto exchange = "introduction of a node";
  HostIdentity host;
  nlohmann::json facts;
};

/// A node's part of a launch.
struct NodeStart {
  static constexpr auto exchange = "start of a launch";
  std::vector<std::string> words;
  std::map<std::string, std::string> set;
  std::vector<std::string> unset;
  std::int64_t grace_ms = 0;
  std::string mark;
};

struct NodeEnd {
  static constexpr auto exchange = "end of a launch";
  int raw_status = 0;  ///< from waitpid
  std::string output;  ///< the end of it, if it is long
};

/// The sweep is over, with this exit status.
struct SweepEnd {
  static constexpr auto exchange = "end of the sweep";
  int status = 0;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeIntroduction, host, facts)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeStart, words, set, unset, grace_ms, mark)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(NodeEnd, raw_status, output)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(SweepEnd, status)

}  // namespace ringmark::sweep
