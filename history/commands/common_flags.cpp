#include "history/commands/common_flags.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/history/selected_series.hpp"
#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "history/answers/latest.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::history {
void declare_store(Flags& flags, std::string& file) {
  flags.group("Store");
  flags.file("--store", file, "the store, one SQLite file").required();
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
  const auto chosen = in_one_cluster(opened, selection);
  return days ? over_days(opened, chosen, *days) : chosen;
}

std::vector<Series> SelectionFlags::series(Store& opened) const {
  auto all = all_series(opened);
  if (all.empty()) throw BadUsage(fmt::format("{}: the store is empty; add results to it first", store));
  return analysis::selected_series(std::move(all), where);
}

std::vector<Chain> SelectionFlags::chains(Store& opened) const {
  auto found = outlines(opened);
  read_launches(opened, found, launches(opened));
  return found;
}

std::vector<Chain> SelectionFlags::outlines(Store& opened) const {
  auto found = outlines_of(opened, series(opened), launches(opened));
  if (found.empty()) refuse_empty_selection(opened, launches(opened));
  return found;
}

JsonRow identity_json(std::string_view schema, const std::string& name, const Chain& chain) {
  auto values = JsonRow::object();
  for (const auto& [column, value] : values_of(chain.last())) values[column] = value;
  return {{"schema", schema}, {"cluster", chain.cluster}, {"series", name}, {"values", std::move(values)}};
}

std::string bad_rows_in_words(std::uint64_t wrong, std::uint64_t failed) {
  std::vector<std::string> words;
  if (wrong > 0) words.push_back(fmt::format("{} {} wrong data", wrong, wrong == 1 ? "has" : "have"));
  if (failed > 0) words.push_back(fmt::format("{} failed", failed));
  return fmt::format("{}", fmt::join(words, " and "));
}

void tell_of_bad_rows(Store& store, const std::string& cluster) {
  for (const auto& latest : latest_rows(store)) {
    const auto rows_that = [&](Status status) {
      const auto found = latest.rows.find(std::string(name(status)));
      return found == latest.rows.end() ? 0 : found->second;
    };
    const auto wrong = rows_that(Status::wrong), failed = rows_that(Status::failed) + rows_that(Status::timeout);
    if (latest.cluster == cluster && wrong + failed > 0)
      fmt::print("of the latest night's rows, {}; they are left out of all series\n", bad_rows_in_words(wrong, failed));
  }
}

std::string short_time(std::chrono::sys_seconds time) {
  constexpr std::size_t to_minutes = 16;
  auto text = utc_text(time).substr(0, to_minutes);
  text[text.find('T')] = ' ';
  return text;
}

}  // namespace ringmark::history
