#include "history/input/selection_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/text/with_count.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

/// "30d" means 30 days ago.
std::optional<std::chrono::sys_seconds> parse_date(std::string_view text) {
  if (text.ends_with('d')) {
    constexpr int most_days = 36500;
    int days = 0;
    if (!read_number(text.substr(0, text.size() - 1), 0, most_days, days)) return std::nullopt;
    const auto now = std::chrono::floor<std::chrono::seconds>(std::chrono::system_clock::now());
    return now - std::chrono::days(days);
  }
  return parse_utc(text);
}

}  // namespace

std::string clusters_in_words(Store& store) {
  std::vector<std::string> words;
  for (const auto& [cluster, launches] : clusters_in(store))
    words.push_back(fmt::format("{} ({})", cluster, with_count(launches, "launch")));
  return fmt::format("{}", fmt::join(words, ", "));
}

void declare_date(Flags& flags, const std::string& names, std::optional<std::chrono::sys_seconds>& to,
                  const std::string& meaning) {
  flags.word(
      names, "DATE", "",
      [&to](const std::string& word) {
        to = parse_date(word);
        return to ? "" : "give a date such as 2026-11-21 or 2026-11-21T06:00:00Z, or an age in days such as 30d";
      },
      meaning);
}

void declare_selection(Flags& flags, Selection& selection) {
  flags.group("Selection");
  flags.text("--cluster", selection.cluster, "only launches of this cluster", "NAME").may_be_empty();
  flags.text("--host", selection.host, "only launches in which this host took part", "NAME").may_be_empty();
  declare_date(flags, "--until", selection.until, "only launches before this time");
  declare_date(flags, "--since", selection.since, "only launches from this time on: a date, or an age such as 30d");
}

Selection in_one_cluster(Store& store, Selection selection) {
  if (!selection.cluster.empty()) return selection;
  const auto clusters = clusters_in(store);
  if (clusters.size() > 1)
    throw BadUsage(
        Problem{.flag = "--cluster",
                .text = fmt::format("is missing: the store has several clusters, {}", clusters_in_words(store)),
                .remedy = "give one of them"});
  if (!clusters.empty()) selection.cluster = clusters.begin()->first;
  return selection;
}

void refuse_empty_selection(Store& store, const Selection& selection) {
  std::string words;
  if (!selection.host.empty()) words += " of host " + selection.host;
  if (!selection.cluster.empty()) words += " in cluster " + selection.cluster;
  if (selection.since) words += " from " + utc_day(*selection.since);
  if (selection.until) words += " until " + utc_day(*selection.until);
  std::string latest;
  if (const auto time = latest_launch(store, {})) latest = ", the latest on " + utc_day(*time);
  throw BadUsage(
      fmt::format("{}: no usable launch{}; the store has {}{}", store.file(), words, clusters_in_words(store), latest));
}

}  // namespace ringmark::history
