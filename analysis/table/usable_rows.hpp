// The rows that a question can rest on, and notes on the others.
#pragma once

#include <cstddef>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "analysis/table/table.hpp"

namespace ringmark::analysis {

/// Why a row says nothing about speed: its status, or a time-sliced GPU. Empty if the row is usable.
std::string why_unusable(const Table& table, std::size_t row);

/// The usable rows, and a note for each reason that others are not.
std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes);

/// ringmark-link's rows of a test, or of all tests: those between hosts, or, without any, those within one host. The
/// two are different links. Rows of an incast tell of no link, since several ranks sent to one at the same time.
std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows,
                                   std::optional<LinkTest> test = std::nullopt);

/// A note on rows of the same case and setting in several files, which count as launches of one cluster. Empty if
/// there are none.
std::string told_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows);

/// The networks that rows crossed, without rows that do not know theirs (docs/method/path-proof.md).
std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows);

}  // namespace ringmark::analysis
