// The account that rank 0 keeps of connections that are none of its run's ranks, for people to read.
#pragma once

#include <cstddef>
#include <map>
#include <string>
#include <string_view>

namespace ringmark {

/// Those that were refused are told one by one up to a limit, and then counted. Those that never said a word are
/// counted by host, and told at the end.
class StrangerAccount {
 public:
  /// The line that says so, or "" once enough have been told. `missing` is the number of ranks that have yet to come.
  std::string refuse(std::string_view who, std::string_view why, int missing);
  void note_silent(const std::string& host) { ++silent_[host]; }
  /// The lines at the end of the meeting; "" if there is nothing to add. Guests of other runs come to ports that
  /// several runs share: with these, silence is not worth a line.
  std::string summary(bool shares_ports) const;

 private:
  int refused_ = 0;
  std::map<std::string, std::size_t> silent_;  ///< connections by host
};

}  // namespace ringmark
