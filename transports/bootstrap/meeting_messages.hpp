// The messages of a meeting, and the proofs they contain.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "transports/bootstrap/keyed_digest.hpp"

namespace ringmark {

using Nonce = std::array<unsigned char, 16>;

constexpr std::size_t most_meeting_bytes = 2048;

/// Rank 0's first message on a connection.
struct Greeting {
  static constexpr auto exchange = "greeting";
  std::string run;
  Nonce nonce;
};

struct JoinRequest {
  static constexpr auto exchange = "join";
  int rank = 0, ranks = 0;
  std::string host;
  Nonce nonce;
  Digest proof;
};

struct Acceptance {
  static constexpr auto exchange = "acceptance";
  Digest proof;
};

/// Why a rank, or all ranks, cannot take part.
struct MeetingRefusal {
  static constexpr auto exchange = "refusal";
  bool is_usage = false;  ///< true for wrong usage, false for an absent or lost rank
  std::string text;
};

NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Greeting, run, nonce)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(JoinRequest, rank, ranks, host, nonce, proof)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Acceptance, proof)
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(MeetingRefusal, is_usage, text)

Nonce random_nonce();

/// The proofs differ by side, rank and both random numbers, so none can be replayed.
Digest guest_proof(const std::string& secret, const Nonce& greeting, const JoinRequest& request);
Digest host_proof(const std::string& secret, const Nonce& greeting, const JoinRequest& request);

[[noreturn]] void throw_refusal(const MeetingRefusal& refusal);

}  // namespace ringmark
