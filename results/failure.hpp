// A failure that ended a rank, as a value: the measuring programs append it to a file, and who started them reads it.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lost_rank.hpp"

namespace ringmark {

struct Failure {
  int rank = 0;  ///< that reports it
  std::string host;
  int exit_status = 3;
  std::string text;
  std::optional<LostRank> lost{};  ///< the rank that is gone, where that is the reason

  bool operator==(const Failure&) const = default;
};

/// The failure that an exception is.
Failure failure_of(const std::exception& error, int rank, int exit_status);

/// "rank 1 on b: lost rank 2 on c: its connection closed"
std::string in_words(const Failure& failure);

/// Appends a line of JSON, schema failure/1. It waits for no lock, since it runs while a rank dies; whatever goes wrong
/// is ignored. Nothing for an empty path.
void append_failure(const std::string& path, const Failure& failure) noexcept;

/// The failures in such a file's text; lines that are no whole failure are left out.
std::vector<Failure> read_failures(std::string_view text);

}  // namespace ringmark
