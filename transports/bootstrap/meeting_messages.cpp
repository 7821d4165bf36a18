#include "transports/bootstrap/meeting_messages.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"

namespace ringmark {
namespace {

Digest proof_for(std::string_view side, const std::string& secret, const Nonce& greeting, const JoinRequest& request) {
  auto text = fmt::format("ringmark {} {} {} ", side, request.rank, request.ranks);
  text.append(reinterpret_cast<const char*>(greeting.data()), greeting.size());
  text.append(reinterpret_cast<const char*>(request.nonce.data()), request.nonce.size());
  return keyed_digest(secret, text);
}

}  // namespace

Nonce random_nonce() {
  Nonce nonce;
  fill_random(nonce);
  return nonce;
}

Digest guest_proof(const std::string& secret, const Nonce& greeting, const JoinRequest& request) {
  return proof_for("guest", secret, greeting, request);
}

Digest host_proof(const std::string& secret, const Nonce& greeting, const JoinRequest& request) {
  return proof_for("host", secret, greeting, request);
}

void throw_refusal(const MeetingRefusal& refusal) {
  if (refusal.is_usage) throw BadUsage(refusal.text);
  throw TransportError(refusal.text);
}

}  // namespace ringmark
