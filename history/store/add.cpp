#include "history/store/add.hpp"

#include <cstdlib>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <stdexcept>

#include <SQLiteCpp/Transaction.h>
#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/text/with_count.hpp"
#include "history/store/derived_times.hpp"
#include "results/files/provenance.hpp"
#include "results/files/rank_hosts.hpp"

namespace ringmark::history {
namespace {

std::string placeholders(std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += i == 0 ? "?" : ", ?";
  return text;
}

std::string insert_into(const std::string& table, const std::string& own, std::size_t own_count, Part part) {
  return fmt::format("INSERT INTO {}({}, {}) VALUES({})", table, own, column_list(part),
                     placeholders(own_count + columns_of(part).size()));
}

/// Binds a text, or null for an empty one.
void bind_text(SQLite::Statement& statement, int place, const std::string& text) {
  if (text.empty()) {
    statement.bind(place);
  } else {
    statement.bind(place, text);
  }
}
void bind_number(SQLite::Statement& statement, int place, const std::optional<double>& number) {
  if (number) {
    statement.bind(place, *number);
  } else {
    statement.bind(place);
  }
}

/// Statements are prepared once for all rows of a file.
class Adding {
 public:
  Adding(Store& store, std::string cluster)
      : database_(store.database()),
        cluster_(std::move(cluster)),
        find_launch_(database_, "SELECT id, time, cluster FROM launch WHERE key = ?"),
        add_launch_(database_, insert_into("launch", "key, cluster, time, source_id, facts", 5, Part::launch)),
        known_rows_(database_, "SELECT digest FROM result WHERE launch_id = ?"),
        add_host_(database_, "INSERT OR IGNORE INTO launch_host(host, launch_id) VALUES(?, ?)"),
        find_series_(database_, "SELECT id FROM series WHERE digest = ?"),
        add_series_(database_, insert_into("series", "digest, options, variables", 3, Part::series)),
        add_row_(database_,
                 insert_into("result", "series_id, launch_id, number, digest, row_hosts, row_facts", 6, Part::row)),
        add_sample_(database_,
                    "INSERT OR IGNORE INTO sample(launch_id, number, rank, host, samples, time_us_p50, time_us_p95, "
                    "computation_us_p50, late_us_p50) VALUES(?, ?, ?, ?, ?, ?, ?, ?, ?)") {}

  void add(const Contents& contents) {
    if (!add_source(contents)) {
      added_.is_known_file = true;
      for (const auto& launch : contents.launches) note_cluster(find(launch));
      return;
    }
    for (const auto& launch : contents.launches) add(launch);
    for (const auto& samples : contents.samples) {
      if (!add(samples))
        throw BadUsage(fmt::format(
            "{}: has samples of launch {}, whose rows are not in the store; add the results.csv of this run first",
            contents.file, samples.launch));
    }
    if (contents.verdict) add(*contents.verdict);
  }

  const Added& added() const { return added_; }

 private:
  /// Returns false if the store already has this file.
  bool add_source(const Contents& contents) {
    SQLite::Statement add(database_, "INSERT OR IGNORE INTO source(path, sha256, added) VALUES(?, ?, unixepoch())");
    add.bind(1, contents.file);
    add.bind(2, contents.sha256);
    if (add.exec() == 0) return false;
    source_ = database_.getLastInsertRowid();
    return true;
  }

  struct StoredLaunch {
    std::int64_t id, time;
    std::string cluster;
  };
  std::optional<StoredLaunch> find_launch(const std::string& key) {
    find_launch_.reset();
    find_launch_.bind(1, key);
    if (!find_launch_.executeStep()) return std::nullopt;
    return StoredLaunch{find_launch_.getColumn(0).getInt64(), find_launch_.getColumn(1).getInt64(),
                        find_launch_.getColumn(2).getString()};
  }

  struct Found {
    std::string key;
    std::optional<StoredLaunch> stored;  ///< empty for a launch that is new to the store
  };
  Found find(const Launch& launch) {
    Found found{launch.key, find_launch(launch.key)};
    if (found.stored && std::chrono::seconds(std::abs(found.stored->time - seconds_of(launch.time))) > longest_pause) {
      found.key += "@" + utc_text(launch.time);
      found.stored = find_launch(found.key);
    }
    return found;
  }

  void note_cluster(const Found& found) {
    if (found.stored && found.stored->cluster != cluster_) added_.other_clusters.insert(found.stored->cluster);
  }

  void add(const Launch& launch) {
    const auto found = find(launch);
    note_cluster(found);
    std::multiset<std::int64_t> known;
    if (found.stored) known = known_rows(found.stored->id);
    const auto id = found.stored ? found.stored->id : add_new(launch, found.key);
    if (!found.stored) ++added_.launches;
    auto number = static_cast<std::int64_t>(known.size());
    const auto rows_before = added_.rows;
    for (const auto& row : launch.rows) {
      const auto digest = row_digest(row);
      if (found.stored && launch.key.starts_with(key_of_rows)) {  // an export has fewer digits, and so other digests
        ++added_.known_rows;
        continue;
      }
      if (const auto found = known.find(digest); found != known.end()) {
        known.erase(found);
        ++added_.known_rows;
        continue;
      }
      add(row, launch.rows.front(), id, number++, digest);
      ++added_.rows;
    }
    if (added_.rows > rows_before) derive_launch_times(database_, id, !found.stored);
  }

  /// Returns false if the store does not have the launch.
  bool add(const RowSamples& samples) {
    const auto launch = find_launch(samples.launch);
    if (!launch) return false;
    for (const auto& rank : samples.ranks) {
      add_sample_.reset();
      add_sample_.bind(1, launch->id);
      add_sample_.bind(2, static_cast<std::int64_t>(samples.number));
      add_sample_.bind(3, rank.rank);
      bind_text(add_sample_, 4, rank.host);
      add_sample_.bind(5, static_cast<std::int64_t>(rank.samples));
      add_sample_.bind(6, rank.time_us_p50);
      bind_number(add_sample_, 7, rank.time_us_p95);
      bind_number(add_sample_, 8, rank.computation_us_p50);
      bind_number(add_sample_, 9, rank.late_us_p50);
      added_.samples += static_cast<std::uint64_t>(add_sample_.exec());
    }
    return true;
  }

  void add(const StoredVerdict& verdict) {
    SQLite::Statement add(database_,
                          "INSERT INTO verdict(source_id, cluster, time, outcome, json) VALUES(?, ?, ?, ?, ?)");
    add.bind(1, source_);
    add.bind(2, cluster_);
    add.bind(3, seconds_of(verdict.time));
    add.bind(4, verdict.outcome);
    add.bind(5, verdict.json);
    add.exec();
    const auto id = database_.getLastInsertRowid();
    SQLite::Statement drain(database_, "INSERT OR IGNORE INTO drained(host, verdict_id) VALUES(?, ?)");
    for (const auto& host : verdict.drained) {
      drain.reset();
      drain.bind(1, host);
      drain.bind(2, id);
      drain.exec();
    }
    ++added_.verdicts;
  }

  std::multiset<std::int64_t> known_rows(std::int64_t launch) {
    std::multiset<std::int64_t> digests;
    known_rows_.reset();
    known_rows_.bind(1, launch);
    while (known_rows_.executeStep()) digests.insert(known_rows_.getColumn(0).getInt64());
    return digests;
  }

  std::int64_t add_new(const Launch& launch, const std::string& key) {
    const auto& row = launch.rows.front();
    add_launch_.reset();
    add_launch_.bind(1, key);
    add_launch_.bind(2, cluster_);
    add_launch_.bind(3, seconds_of(launch.time));
    add_launch_.bind(4, source_);
    bind_text(add_launch_, 5, object_text(facts_of(row.record)));
    bind_columns(add_launch_, 6, Part::launch, row);
    add_launch_.exec();
    const auto id = database_.getLastInsertRowid();
    std::set<std::string> hosts;
    const Settings* last = nullptr;
    for (const auto& each : launch.rows) {
      const auto& settings = each.record.settings;
      if (last == nullptr || last->hosts != settings.hosts) collect_hosts(settings.hosts, hosts);
      hosts.insert({settings.src_host, settings.dst_host});
      last = &settings;
    }
    hosts.erase("");
    for (const auto& host : hosts) {
      add_host_.reset();
      add_host_.bind(1, host);
      add_host_.bind(2, id);
      add_host_.exec();
    }
    return id;
  }

  static void collect_hosts(const std::string& rank_hosts, std::set<std::string>& hosts) {
    if (rank_hosts.empty()) return;
    for (auto& host : parse_rank_hosts(rank_hosts)) hosts.insert(std::move(host));
  }

  std::int64_t series_of(const StoredRow& row) {
    const auto digest = series_digest(row);
    find_series_.reset();
    find_series_.bind(1, digest);
    if (find_series_.executeStep()) return find_series_.getColumn(0).getInt64();
    add_series_.reset();
    add_series_.bind(1, digest);
    bind_text(add_series_, 2, object_text(options_of(row.record)));
    bind_text(add_series_, 3, object_text(row.record.extra));
    bind_columns(add_series_, 4, Part::series, row);
    add_series_.exec();
    return database_.getLastInsertRowid();
  }

  void add(const StoredRow& row, const StoredRow& of_launch, std::int64_t launch, std::int64_t number,
           std::int64_t digest) {
    const auto series = series_of(row);
    const auto facts = facts_of(row.record);
    add_row_.reset();
    add_row_.bind(1, series);
    add_row_.bind(2, launch);
    add_row_.bind(3, number);
    add_row_.bind(4, digest);
    add_row_.bind(5);
    add_row_.bind(6);
    if (row.record.settings.hosts != of_launch.record.settings.hosts) add_row_.bind(5, row.record.settings.hosts);
    if (facts != facts_of(of_launch.record)) add_row_.bind(6, object_text(facts));
    bind_columns(add_row_, 7, Part::row, row);
    add_row_.exec();
  }

  SQLite::Database& database_;
  std::string cluster_;
  std::int64_t source_ = 0;
  SQLite::Statement find_launch_, add_launch_, known_rows_, add_host_, find_series_, add_series_, add_row_, add_sample_;
  Added added_;
};

}  // namespace

Added& Added::operator+=(const Added& other) {
  launches += other.launches;
  rows += other.rows;
  samples += other.samples;
  verdicts += other.verdicts;
  known_rows += other.known_rows;
  other_clusters.insert(other.other_clusters.begin(), other.other_clusters.end());
  return *this;
}

Added add(Store& store, std::span<const Contents> files, const std::string& cluster) {
  const auto* file = files.data();
  try {
    SQLite::Transaction change(store.database(), SQLite::TransactionBehavior::IMMEDIATE);
    auto adding = std::make_optional<Adding>(store, cluster);
    for (const auto& each : files) {
      file = &each;
      adding->add(each);
    }
    auto added = adding->added();
    adding.reset();  // an open statement would keep SQLite from emptying its log
    change.commit();
    return added;
  } catch (const SQLite::Exception& error) {
    throw std::runtime_error(fmt::format("{}: {}; nothing of {} was added", store.file(), error.what(), file->file));
  }
}

Added add(Store& store, const Contents& contents, const std::string& cluster) {
  return add(store, std::span(&contents, 1), cluster);
}

std::string in_words(const Added& added, const std::string& store) {
  auto text = fmt::format("added {} with {}", with_count(added.launches, "new launch"), with_count(added.rows, "row"));
  if (added.samples > 0) text += fmt::format(", samples of {}", with_count(added.samples, "rank"));
  if (added.verdicts > 0) text += fmt::format(", {}", with_count(added.verdicts, "verdict"));
  return fmt::format("{} to {}", text, store);
}

std::string other_clusters_in_words(const Added& added) {
  if (added.other_clusters.empty()) return "";
  return fmt::format(
      "launches that the store already had stay in cluster {}; to move them, forget them there and add them again",
      fmt::join(added.other_clusters, " and "));
}

}  // namespace ringmark::history
