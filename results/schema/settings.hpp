// The JSON object in the column `settings`: whatever shaped a row beyond its columns.
#pragma once

#include <map>
#include <optional>
#include <string>

#include "base/operation.hpp"

namespace ringmark {

/// Whether a group of ranks ran alone or concurrently with the others of its `groups`.
enum class Company { alone, together };
std::string_view name(Company company);
std::optional<Company> parse_company(std::string_view text);

struct Settings {
  std::optional<int> root;             ///< unset for rank 0, and if the operation has no root
  std::optional<Pattern> pattern;      ///< unset for the ring
  std::string counts;                  ///< as given to --counts
  std::string groups, group, members;  ///< as given to --groups; the row's group; its ranks, as in "0-3,8"
  std::optional<Company> beside;
  std::optional<int> senders;  ///< that sent to the link's destination concurrently, for an incast
  std::string hosts;           ///< of the row's ranks, as rank_hosts_text writes them
  std::string src_host, dst_host, version;
  /// Options given by --set, --label KEY=VALUE as label.KEY, and library versions.
  std::map<std::string, std::string> others;

  bool operator==(const Settings&) const = default;
};

/// Every value by its key, except unset ones.
std::map<std::string, std::string> to_map(const Settings& settings);
/// Throws CsvError for a value of the wrong type for its key.
Settings settings_from(const std::map<std::string, std::string>& values);

}  // namespace ringmark
