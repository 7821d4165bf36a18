// Several ranks that send to one at the same time: what it receives, and how the senders share it.
#pragma once

#include <cstddef>
#include <string>
#include <vector>

#include "results/schema/record.hpp"

namespace ringmark {

/// The rate of a destination while all senders sent.
struct Received {
  int destination;
  std::uint64_t size_bytes;
  double GBps;
};

struct Incast {
  Received received;
  std::vector<std::size_t> rows;  ///< one per sender
  double least_GBps, most_GBps;   ///< of a sender, by its median
};

/// The incasts of `received` that have rows: senders' bandwidths at that destination and size. All rows must have
/// links.
std::vector<Incast> incasts_in(const std::vector<Received>& received, const std::vector<Record>& rows);

/// A row for each destination to measure again with a single sender, choosing those that receive the least. At most
/// `most`, as indices.
std::vector<std::size_t> choose_senders(const std::vector<Incast>& incasts, std::size_t most);

/// The rates of the destinations, and those that receive clearly less from all together than from one alone. `hosts`
/// names the ranks.
std::string in_words(const std::vector<Incast>& incasts, const std::vector<Received>& alone,
                     const std::vector<std::string>& hosts);

}  // namespace ringmark
