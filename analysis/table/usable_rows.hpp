// The rows that an analysis can use, and notes on the others.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Why a row cannot be used: its status, a time-sliced GPU, or a missing time, size or number of ranks. Empty if the
/// row is usable.
std::string why_unusable(const Table& table, std::size_t row);

/// The usable rows. Appends a note for each reason why others are left out.
std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes);

/// ringmark-link's rows of a test, or of all tests: those between hosts, or, if there are none, those within one host.
/// The two are different links. Excludes rows of an incast, which do not measure a single link: several ranks sent to
/// one at the same time.
std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows,
                                   std::optional<LinkTest> test = std::nullopt);

/// A note on rows of the same case and setting in several files, which count as launches of one cluster. Empty if
/// there are none.
std::string pooled_files_in_words(const Table& table, const std::vector<std::size_t>& rows);

/// The networks that the rows crossed; rows whose network is unknown are ignored (docs/method/path-proof.md).
std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows);

}  // namespace ringmark::analysis
