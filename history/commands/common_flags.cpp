#include "history/commands/common_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/table/where.hpp"
#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/text/with_count.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

/// "30d" is that long ago.
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

std::string clusters_in_words(Store& store) {
  std::vector<std::string> words;
  for (const auto& [cluster, launches] : clusters_in(store))
    words.push_back(fmt::format("{} ({})", cluster, with_count(launches, "launch")));
  return fmt::format("{}", fmt::join(words, ", "));
}

}  // namespace

void declare_store(Flags& flags, std::string& file) {
  flags.group("Store");
  flags.file("--store", file, "the store, one SQLite file").required();
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

void SelectionFlags::declare(Flags& flags, std::optional<int> days_by_default) {
  days = days_by_default;
  declare_store(flags, store);
  declare_selection(flags, selection);
  if (days) flags.default_is(fmt::format("{}d before the latest launch", *days));
  flags.texts("--where", where,
              "only series with these values: collective=all_reduce, size_bytes=1M..16M, src_host=node1",
              "COLUMN=VALUE");
}

Selection SelectionFlags::launches(Store& opened) const {
  auto chosen = selection;
  if (chosen.cluster.empty()) {
    const auto clusters = clusters_in(opened);
    if (clusters.size() > 1)
      throw BadUsage(Problem{.flag = "--cluster",
                             .text = fmt::format("missing: the store has several, {}", clusters_in_words(opened)),
                             .remedy = "give one of them"});
    if (!clusters.empty()) chosen.cluster = clusters.begin()->first;
  }
  return days ? over_days(opened, chosen, *days) : chosen;
}

std::vector<Series> SelectionFlags::series(Store& opened) const {
  auto all = all_series(opened);
  if (all.empty()) throw BadUsage(fmt::format("{}: the store is empty; add results to it first", store));
  if (where.empty()) return all;
  analysis::Table table;
  for (std::size_t i = 0; i < all.size(); ++i) {
    auto record = all[i].row.record;
    for (const auto& [variable, value] : std::exchange(record.extra, {}))
      record.settings.others.emplace(variable, value);
    table.add(record, store, i, all[i].row.words);
  }
  table.finish_file();
  analysis::keep_where(table, where);
  std::vector<Series> kept;
  for (std::size_t row = 0; row < table.rows(); ++row) kept.push_back(std::move(all[table.line(row)]));
  return kept;
}

std::vector<Chain> SelectionFlags::chains(Store& opened) const {
  auto found = chains_of(opened, series(opened), launches(opened));
  if (found.empty())
    throw BadUsage(
        fmt::format("{}: no usable launch in this selection; the store has {}", store, clusters_in_words(opened)));
  return found;
}

std::string short_time(std::chrono::sys_seconds time) {
  constexpr std::size_t to_minutes = 16;
  auto text = utc_text(time).substr(0, to_minutes);
  text[text.find('T')] = ' ';
  return text;
}

}  // namespace ringmark::history
