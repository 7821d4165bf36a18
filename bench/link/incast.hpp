// Incast: several ranks send to one at the same time. How much it receives, and how the senders share its rate.
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
  double least_GBps, most_GBps;   ///< of the slowest and the fastest sender, by their medians
};

/// The incasts of `received` that have rows: senders' bandwidths at that destination and size. All rows must have
/// links.
std::vector<Incast> incasts_in(const std::vector<Received>& received, const std::vector<Record>& rows);

/// Chooses up to `most` destinations to measure again with a single sender: those that receive at the lowest rates.
/// Returns the index of one row for each.
std::vector<std::size_t> choose_senders(const std::vector<Incast>& incasts, std::size_t most);

/// The rates of the destinations, and which of them receive clearly less from all senders together than from one alone.
/// `hosts` has the host of each rank.
std::string in_words(const std::vector<Incast>& incasts, const std::vector<Received>& alone,
                     const std::vector<std::string>& hosts);

}  // namespace ringmark
