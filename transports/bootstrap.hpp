// Lets newly started ranks find each other: small exchanges for set-up and teardown, never while measuring.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "transports/loss.hpp"

namespace ringmark {

class Bootstrap {
 public:
  virtual ~Bootstrap() = default;
  /// Name of the launcher, for messages: "mpich", "openmpi", "local", "torchrun".
  virtual std::string_view launcher() const = 0;
  /// The launcher and how the ranks met, for a run's header.
  virtual std::string description() const { return std::string(launcher()); }
  /// The secret that only the ranks of this run know; empty if they have none.
  virtual std::string secret() const { return ""; }
  virtual int rank() const = 0;
  virtual int size() const = 0;
  /// Every rank's bytes, in rank order. All ranks call it in the same order. Throws TransportError if a rank is lost or
  /// the timeout passes.
  virtual std::vector<std::string> all_gather(std::string_view mine) = 0;
  virtual void barrier() = 0;
  /// Reports of lost ranks from the process that started this one, for waits outside this class; null if there are
  /// none.
  virtual std::shared_ptr<LossNews> news() { return nullptr; }
  /// Ends this rank's part in an orderly way; with a status other than 0 it might not wait for the others.
  virtual void finish(int status) = 0;
};

}  // namespace ringmark
