// The other ranks of a scan, as seen from rank 0: it tells them what to measure and collects their reports. A lost rank
// is left out from then on.
#pragma once

#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/link/scan_line.hpp"
#include "results/schema/record.hpp"

namespace ringmark {

class ScanTeam {
 public:
  /// Opens a line to each rank.
  ScanTeam(std::shared_ptr<TcpEndpoint> endpoint, std::chrono::milliseconds timeout);

  void tell(int rank, std::string_view message);
  /// Waits for one message from each end of the links, except rank 0 and ranks that are lost meanwhile. A rank's
  /// timeout starts when all of its partners have answered; rank 0 counts as answered. A rank that exceeds it is lost,
  /// as is one that does not respond to a ping, sent once per timeout.
  std::map<int, std::string> hear(const std::vector<LinkEnds>& links);

  bool is_lost(int rank) const { return lost_.contains(rank); }
  /// The reasons, by rank.
  const std::map<int, std::string>& lost() const { return lost_; }

 private:
  /// An end of links that has not answered yet.
  struct Awaited {
    int rank;
    std::vector<int> partners{};
    std::optional<Deadline> until = std::nullopt;
    std::size_t first_polled = 0, end_polled = 0;
    bool is_ready = false;
  };

  void look(const Awaited& at, std::map<int, std::string>& messages);
  void lose_absent(const std::vector<Awaited>& awaited);
  void lose(int rank, std::string why);

  std::shared_ptr<TcpEndpoint> endpoint_;
  std::chrono::milliseconds timeout_;
  std::map<int, ScanLine> lines_;
  std::map<int, std::string> lost_;
};

}  // namespace ringmark
