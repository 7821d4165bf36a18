#include "history/store/forget.hpp"

#include <cstdint>
#include <limits>
#include <set>
#include <string>

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "history/store/derived_times.hpp"

namespace ringmark::history {
namespace {

constexpr std::string_view these_launches =
    "SELECT id FROM launch WHERE (?1 = '' OR cluster = ?1) AND (?2 = '' OR key = ?2) AND time < ?3";
constexpr std::string_view these_verdicts =
    "SELECT id FROM verdict WHERE (?1 = '' OR cluster = ?1) AND ?2 = '' AND time < ?3";

void bind(SQLite::Statement& statement, const Forgotten& which) {
  statement.bind(1, which.cluster);
  statement.bind(2, which.launch);
  statement.bind(3, which.before ? seconds_of(*which.before) : std::numeric_limits<std::int64_t>::max());
}

std::uint64_t count(Store& store, const Forgotten& which, const std::string& sql) {
  SQLite::Statement query(store.database(), sql);
  bind(query, which);
  query.executeStep();
  return static_cast<std::uint64_t>(query.getColumn(0).getInt64());
}

void remove(Store& store, const Forgotten& which, const std::string& sql) {
  SQLite::Statement statement(store.database(), sql);
  bind(statement, which);
  statement.exec();
}

std::set<std::int64_t> launches_of(Store& store, const Forgotten& which) {
  SQLite::Statement query(store.database(), std::string(these_launches));
  bind(query, which);
  std::set<std::int64_t> launches;
  while (query.executeStep()) launches.insert(query.getColumn(0).getInt64());
  return launches;
}

}  // namespace

ForgottenCount count_forgotten(Store& store, const Forgotten& which) {
  ForgottenCount counted{
      count(store, which, fmt::format("SELECT count(*) FROM ({})", these_launches)),
      count(store, which, fmt::format("SELECT count(*) FROM result WHERE launch_id IN ({})", these_launches)),
      count(store, which, fmt::format("SELECT count(*) FROM ({})", these_verdicts)),
      {},
      {}};
  SQLite::Statement query(store.database(),
                          fmt::format("SELECT min(time), max(time) FROM launch WHERE id IN ({})", these_launches));
  bind(query, which);
  if (query.executeStep() && !query.isColumnNull(0)) {
    counted.first = time_at(query, 0);
    counted.last = time_at(query, 1);
  }
  return counted;
}

ForgottenCount forget(Store& store, const Forgotten& which) {
  SQLite::Transaction change(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
  auto counted = count_forgotten(store, which);
  if (counted.first) forget_launch_times(store.database(), launches_of(store, which), {*counted.first, *counted.last});
  remove(store, which, fmt::format("DELETE FROM launch WHERE id IN ({})", these_launches));
  remove(store, which, fmt::format("DELETE FROM verdict WHERE id IN ({})", these_verdicts));
  store.database().exec("DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM result WHERE series_id = series.id)");
  store.database().exec(
      "DELETE FROM source WHERE id NOT IN (SELECT source_id FROM launch UNION SELECT source_id FROM verdict)");
  change.commit();
  return counted;
}

}  // namespace ringmark::history
