// The cause that all ranks of a run report when the run cannot continue.
#pragma once

#include <optional>
#include <string>

#include <nlohmann/json.hpp>

#include "base/errors.hpp"

namespace ringmark {

struct Loss {
  static constexpr int no_rank = -1;

  int rank = 0;
  std::string reason;
  int link_to = no_rank;  ///< if set, the link to this rank is lost rather than the rank itself

  bool operator==(const Loss&) const = default;
};
NLOHMANN_DEFINE_TYPE_NON_INTRUSIVE(Loss, rank, reason, link_to)

/// Throws PeerLost or LinkLost. `host_of` returns a rank's host name.
template <class HostOf>
[[noreturn]] void throw_loss(const Loss& loss, const HostOf& host_of) {
  if (loss.link_to == Loss::no_rank) throw PeerLost(loss.rank, host_of(loss.rank), loss.reason);
  throw LinkLost(host_of(loss.rank), host_of(loss.link_to), loss.reason);
}

/// Reports that reach a rank while it waits for other ranks.
class LossNews {
 public:
  virtual ~LossNews() = default;
  /// Readable when there is something to read; -1 when nothing more can come.
  virtual int fd() const = 0;
  /// Does not wait. Once it has returned a loss, it keeps returning it.
  virtual const std::optional<Loss>& look() = 0;
  /// Passes on a loss that this rank learned from elsewhere, so that the report arrives before this rank exits.
  /// Otherwise its exit would be reported as the cause.
  virtual void spread(const Loss& loss) = 0;
};

}  // namespace ringmark
