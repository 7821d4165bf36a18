// A failure that ended a rank, as a value: measuring programs append it to a file, which the process that started them
// reads.
#pragma once

#include <exception>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/lost_rank.hpp"

namespace ringmark {

struct Failure {
  int rank = 0;  ///< the reporting rank
  std::string host;
  int exit_status = 3;
  std::string text;
  std::optional<LostRank> lost{};  ///< the lost rank, if that is the reason

  bool operator==(const Failure&) const = default;
};

/// Converts an exception to a failure.
Failure failure_of(const std::exception& error, int rank, int exit_status);

/// "rank 1 on b: lost rank 2 on c: its connection closed"
std::string in_words(const Failure& failure);

/// Appends a line of JSON, schema failure/1, starting a new line if another writer left its last one unfinished. Takes
/// no lock, since it runs while a rank is dying, and ignores all errors. Does nothing for an empty path.
void append_failure(const std::string& path, const Failure& failure) noexcept;

/// The failures in such a file's text; incomplete lines are skipped.
std::vector<Failure> read_failures(std::string_view text);

}  // namespace ringmark
