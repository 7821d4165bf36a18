#include "history/store/query.hpp"

#include <fmt/format.h>

#include "results/files/provenance.hpp"

namespace ringmark::history {
namespace {

std::string text_at(SQLite::Statement& query, int place) {
  const auto cell = query.getColumn(place);
  return cell.isNull() ? "" : cell.getString();
}

/// Conditions on the table launch, with parameters 1 to 4.
constexpr std::string_view selected = R"(
  (?1 = '' OR launch.cluster = ?1) AND launch.time >= ?2 AND launch.time < ?3 AND
  (?4 = '' OR EXISTS (SELECT 1 FROM launch_host AS other WHERE other.launch_id = launch.id AND other.host = ?4)))";

void bind_selection(SQLite::Statement& query, const Selection& selection) {
  query.bind(1, selection.cluster);
  query.bind(2, selection.since_s());
  query.bind(3, selection.until_s());
  query.bind(4, selection.host);
}

std::string rows_where(std::string_view condition) {
  return fmt::format(R"(
    SELECT options, variables, ifnull(row_hosts, launch.hosts), ifnull(row_facts, launch.facts), launch.key, launch.time,
           {}, {}, {}
    FROM launch JOIN result ON launch_id = launch.id JOIN series ON series.id = series_id WHERE {})",
                     column_list(Part::launch, "launch."), column_list(Part::series, "series."),
                     column_list(Part::row, "result."), condition);
}

StoredRow row_at(SQLite::Statement& query) {
  StoredRow row;
  auto& settings = row.record.settings;
  settings.others = object_from(text_at(query, 0));
  row.record.extra = object_from(text_at(query, 1));
  settings.others.merge(object_from(text_at(query, 3)));
  auto place = 6;
  for (const auto part : {Part::launch, Part::series, Part::row}) place = read_columns(query, place, part, row);
  settings.hosts = text_at(query, 2);
  if (row.record.run_id.empty()) row.record.run_id = text_at(query, 4);
  if (row.record.time_utc.empty()) row.record.time_utc = utc_text(time_at(query, 5));
  return row;
}

std::int64_t number_of(Store& store, std::string_view table) {
  return store.database().execAndGet(fmt::format("SELECT count(*) FROM {}", table)).getInt64();
}

}  // namespace

std::vector<Series> all_series(Store& store) {
  SQLite::Statement query(store.database(), fmt::format("SELECT id, options, variables, {} FROM series ORDER BY id",
                                                        column_list(Part::series)));
  std::vector<Series> all;
  while (query.executeStep()) {
    auto& series = all.emplace_back();
    series.id = query.getColumn(0).getInt64();
    series.row.record.settings.others = object_from(text_at(query, 1));
    series.row.record.extra = object_from(text_at(query, 2));
    read_columns(query, 3, Part::series, series.row);
  }
  return all;
}

std::map<std::string, std::string> facts_of_launch(Store& store, std::int64_t launch) {
  SQLite::Statement query(store.database(), "SELECT facts, version FROM launch WHERE id = ?");
  query.bind(1, launch);
  if (!query.executeStep()) return {};
  auto facts = object_from(text_at(query, 0));
  if (auto version = text_at(query, 1); !version.empty()) facts["version"] = std::move(version);
  return facts;
}

LaunchOrigin origin_of_launch(Store& store, std::int64_t launch) {
  SQLite::Statement query(
      store.database(), "SELECT key, time, path FROM launch JOIN source ON source.id = source_id WHERE launch.id = ?");
  query.bind(1, launch);
  if (!query.executeStep()) return {};
  return {query.getColumn(0).getString(), time_at(query, 1), query.getColumn(2).getString()};
}

std::map<std::int64_t, std::vector<std::string>> hosts_of_launches(Store& store, const Selection& selection) {
  SQLite::Statement query(store.database(), fmt::format(R"(
    SELECT launch.id, launch_host.host FROM launch JOIN launch_host ON launch_id = launch.id WHERE {}
    ORDER BY launch.id, launch_host.host)",
                                                        selected));
  bind_selection(query, selection);
  std::map<std::int64_t, std::vector<std::string>> hosts;
  while (query.executeStep()) {
    const auto launch = query.getColumn(0).getInt64();
    hosts.try_emplace(hosts.end(), launch)->second.push_back(query.getColumn(1).getString());
  }
  return hosts;
}

std::vector<HostSpan> host_spans(Store& store, const Selection& selection) {
  SQLite::Statement query(store.database(), fmt::format(R"(
    SELECT launch_host.host, min(launch.time), max(launch.time) FROM launch JOIN launch_host ON launch_id = launch.id
    WHERE {} GROUP BY launch_host.host)",
                                                        selected));
  bind_selection(query, selection);
  std::vector<HostSpan> spans;
  while (query.executeStep()) spans.push_back({query.getColumn(0).getString(), time_at(query, 1), time_at(query, 2)});
  return spans;
}

std::optional<std::chrono::sys_seconds> latest_launch(Store& store, const Selection& selection) {
  SQLite::Statement query(store.database(), fmt::format("SELECT max(time) FROM launch WHERE {}", selected));
  bind_selection(query, selection);
  query.executeStep();
  if (query.isColumnNull(0)) return std::nullopt;
  return time_at(query, 0);
}

Selection over_days(Store& store, Selection selection, int days) {
  if (selection.since) return selection;
  if (const auto latest = latest_launch(store, selection)) selection.since = *latest - std::chrono::days(days);
  return selection;
}

std::map<std::string, std::uint64_t> clusters_in(Store& store) {
  SQLite::Statement query(store.database(), "SELECT cluster, count(*) FROM launch GROUP BY cluster");
  std::map<std::string, std::uint64_t> clusters;
  while (query.executeStep())
    clusters[query.getColumn(0).getString()] = static_cast<std::uint64_t>(query.getColumn(1).getInt64());
  return clusters;
}

void for_each_row(Store& store, const Selection& selection, const std::function<void(const StoredRow& row)>& visit) {
  SQLite::Statement query(store.database(), rows_where(selected) + " ORDER BY launch.time, launch.id, result.number");
  bind_selection(query, selection);
  while (query.executeStep()) visit(row_at(query));
}

RowReader::RowReader(Store& store)
    : query_(store.database(),
             rows_where("launch.id = ?1 AND (?2 IS NULL OR series_id = ?2)") + " ORDER BY result.number") {}

void RowReader::read(std::int64_t launch, std::optional<std::int64_t> series,
                     const std::function<void(const StoredRow& row)>& visit) {
  query_.reset();
  query_.bind(1, launch);
  if (series) {
    query_.bind(2, *series);
  } else {
    query_.bind(2);
  }
  while (query_.executeStep()) visit(row_at(query_));
}

std::optional<std::int64_t> launch_with_key(Store& store, const std::string& key) {
  SQLite::Statement query(store.database(), "SELECT id FROM launch WHERE key = ?");
  query.bind(1, key);
  return query.executeStep() ? std::optional(query.getColumn(0).getInt64()) : std::nullopt;
}

StoreSize size_of(Store& store) {
  const auto count = [&](std::string_view table) { return static_cast<std::uint64_t>(number_of(store, table)); };
  return {count("launch"), count("result"), count("series"), count("sample"), count("verdict")};
}

}  // namespace ringmark::history
