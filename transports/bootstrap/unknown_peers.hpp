// Rank 0's record of connections from unknown peers, which are not ranks of its run, for people to read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ringmark {

/// Refused connections are reported one by one up to a limit, and then only counted. Those that never sent anything are
/// counted by host, and reported at the end.
class UnknownPeers {
 public:
  /// The line to print, or "" once enough have been reported. `missing` is the number of ranks that have yet to come.
  std::string refuse(std::string_view who, std::string_view why, int missing);
  void note_silent(const std::string& host) { ++silent_[host]; }
  /// The lines for the end of the meeting; "" if there is nothing to add. If several runs share ports, silent
  /// connections are not reported, since they are probably from ranks of other runs.
  std::string summary(bool shares_ports) const;

 private:
  int refused_ = 0;
  std::map<std::string, std::size_t> silent_;  ///< connections by host
};

}  // namespace ringmark
