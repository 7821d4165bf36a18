// The JSON object in the column `settings`: what shaped a row beyond its columns.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/operation.hpp"

namespace ringmark {

/// Whether a group of ranks ran alone, or at the same time as the others of its `groups`.
enum class Company { alone, together };
std::string_view name(Company company);
std::optional<Company> parse_company(std::string_view text);

struct Settings {
  std::optional<int> root;             ///< unset for rank 0, and where the operation has none
  std::optional<Pattern> pattern;      ///< unset for the ring
  std::string counts;                  ///< as --counts has them
  std::string groups, group, members;  ///< as --groups has them; the row's; its ranks, as in "0-3,8"
  std::optional<Company> beside;
  std::optional<int> senders;  ///< to the link's destination at the same time, of an incast
  std::string hosts;           ///< of the row's ranks, as rank_hosts_text writes them
  std::string src_host, dst_host, version;
  /// Options that --set gave, --label KEY=VALUE as label.KEY, and versions of libraries.
  std::map<std::string, std::string> others;

  bool operator==(const Settings&) const = default;
};

/// Every value by its key, without those that are unset.
std::map<std::string, std::string> to_map(const Settings& settings);
/// Throws CsvError for a value that is not of its key's type.
Settings settings_from(const std::map<std::string, std::string>& values);

}  // namespace ringmark
