// The facts at the top of a page. They must suffice for a reader who has only the page.
#pragma once

#include <string>
#include <utility>
#include <vector>

namespace ringmark {

struct PageHead {
  using Fact = std::pair<std::string, std::string>;  ///< a name and its value

  std::string question;             ///< that the measurements answer
  std::string cluster;              ///< its name
  std::string first_utc, last_utc;  ///< of the measurements, as now_utc() writes them
  std::vector<std::string> hosts;   ///< without duplicates
  std::vector<Fact> settings;       ///< specific to the page: settings, criteria, topology
  std::string software;

  /// In the order in which a page shows them; facts without a value are omitted.
  std::vector<Fact> facts() const;
};

/// "2026-11-21 06:11 to 07:40 UTC", or a single time if both are in the same minute. Other text is returned as it is;
/// empty if both are.
std::string period_in_words(const std::string& first_utc, const std::string& last_utc);

/// "node[01-08] (8 hosts)". Empty for none.
std::string hosts_in_words(const std::vector<std::string>& hosts);

}  // namespace ringmark
