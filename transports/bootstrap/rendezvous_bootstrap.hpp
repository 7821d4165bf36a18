// Bootstrap of ranks that meet at rank 0's host and port, without MPI.
#pragma once

#include <chrono>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/system/file_descriptor.hpp"
#include "transports/bootstrap.hpp"
#include "transports/bootstrap/members_watch.hpp"
#include "transports/bootstrap/relay_line.hpp"
#include "transports/bootstrap/rendezvous.hpp"
#include "transports/bootstrap/waiting_note.hpp"

namespace ringmark {

/// Rank 0 relays: an exchange takes two messages for each other rank. When a rank exits, its connection closes, and
/// rank 0 reports to the others that this rank is lost, or the rank whose loss it reported before it exited.
class RendezvousBootstrap final : public Bootstrap {
 public:
  /// Meets the other ranks; throws as host_meeting() and join_meeting() do.
  RendezvousBootstrap(Rendezvous place, std::string secret, std::chrono::milliseconds timeout);

  std::string_view launcher() const override { return place_.launcher; }
  std::string description() const override;
  std::string secret() const override { return secret_; }
  int rank() const override { return place_.rank; }
  int size() const override { return place_.ranks; }
  std::vector<std::string> all_gather(std::string_view mine) override;
  void barrier() override { all_gather(""); }
  std::shared_ptr<LossNews> news() override;
  void finish(int status) override;

 private:
  std::vector<std::string> relay(std::string_view mine);
  std::vector<std::string> contribute(std::string_view mine);
  [[noreturn]] void lose(const Loss& loss) const;
  [[noreturn]] void throw_lost(const Loss& loss) const;
  void tell_others(const Loss& loss) const;
  std::vector<LateRank> late(const std::set<int>& ranks) const;
  std::string host_of(int rank) const;
  int connection(int rank) const { return connections_[static_cast<std::size_t>(rank)].get(); }

  Rendezvous place_;
  std::string secret_;
  std::chrono::milliseconds timeout_;
  std::vector<FileDescriptor> connections_;  ///< rank 0: by rank; others: only to rank 0
  std::vector<std::string> hosts_;           ///< by rank, once known
  std::shared_ptr<RelayLine> rank_0_;        ///< on the other ranks
  std::shared_ptr<MembersWatch> members_;    ///< on rank 0
};

}  // namespace ringmark
