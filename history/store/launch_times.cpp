#include "history/store/launch_times.hpp"

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <SQLiteCpp/Statement.h>
#include <fmt/format.h>

#include "results/schema/caveat.hpp"
#include "results/statistics/statistics.hpp"

namespace ringmark::history {
namespace {

bool may_decide(std::string_view caveats) {
  for (std::size_t begin = 0; begin < caveats.size();) {
    const auto end = std::min(caveats.find(' ', begin), caveats.size());
    const auto caveat = parse_caveat(caveats.substr(begin, end - begin));
    if (caveat && forbids_decision(*caveat)) return false;
    begin = end + 1;
  }
  return true;
}

}  // namespace

void derive_launch_times(SQLite::Database& database, std::optional<std::int64_t> launch) {
  SQLite::Statement rows(database, fmt::format(R"(
    SELECT series_id, launch_id, time_us_p50, caveats FROM result
    WHERE {} status = 'ok' AND time_us_p50 > 0 AND ifnull(time_sliced, 0) = 0 ORDER BY series_id, launch_id)",
                                               launch ? "launch_id = ? AND" : ""));
  if (launch) rows.bind(1, *launch);
  SQLite::Statement put(database,
                        "INSERT OR REPLACE INTO launch_time(series_id, cluster, time, launch_id, time_us) "
                        "SELECT ?, cluster, time, id, ? FROM launch WHERE id = ?");
  std::pair<std::int64_t, std::int64_t> of;  // series and launch
  std::vector<double> times_us;
  const auto put_time = [&] {
    if (times_us.empty()) return;
    put.reset();
    put.bind(1, of.first);
    put.bind(2, geometric_mean(times_us));
    put.bind(3, of.second);
    put.exec();
    times_us.clear();
  };
  while (rows.executeStep()) {
    const auto caveats = rows.getColumn(3);
    if (!caveats.isNull() && !may_decide(caveats.getString())) continue;
    const std::pair next(rows.getColumn(0).getInt64(), rows.getColumn(1).getInt64());
    if (next != of) put_time();
    of = next;
    times_us.push_back(rows.getColumn(2).getDouble());
  }
  put_time();
}

}  // namespace ringmark::history
