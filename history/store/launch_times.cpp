#include "history/store/launch_times.hpp"

#include <algorithm>
#include <bit>
#include <cstddef>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <utility>

#include <fmt/format.h>

namespace ringmark::history {
namespace {

static_assert(std::is_trivially_copyable_v<LaunchTime> && sizeof(LaunchTime) == 24 && offsetof(LaunchTime, time) == 8 &&
              offsetof(LaunchTime, time_us) == 16);
static_assert(std::endian::native == std::endian::little, "blobs are little-endian, so that stores can be copied");

std::vector<std::int64_t> launches_of_host(SQLite::Database& database, const std::string& host) {
  SQLite::Statement query(database, "SELECT launch_id FROM launch_host WHERE host = ? ORDER BY launch_id");
  query.bind(1, host);
  std::vector<std::int64_t> launches;
  while (query.executeStep()) launches.push_back(query.getColumn(0).getInt64());
  return launches;
}

}  // namespace

bool is_before(const LaunchTime& a, const LaunchTime& b) {
  return std::tie(a.time, a.launch) < std::tie(b.time, b.launch);
}

std::vector<LaunchTime> unpacked(const SQLite::Column& blob) {
  std::vector<LaunchTime> launches(static_cast<std::size_t>(blob.getBytes()) / sizeof(LaunchTime));
  if (!launches.empty()) std::memcpy(launches.data(), blob.getBlob(), launches.size() * sizeof(LaunchTime));
  return launches;
}

LaunchTimeReader::LaunchTimeReader(Store& store, Selection selection)
    : selection_(std::move(selection)),
      blobs_(store.database(), fmt::format("SELECT first, last, times FROM launch_times "
                                           "WHERE series_id = ?1 AND {} AND last >= ?3 AND first < ?4 ORDER BY id",
                                           selection_.cluster.empty() ? "?2 = ''" : "cluster = ?2")) {
  if (!selection_.host.empty()) of_host_ = launches_of_host(store.database(), selection_.host);
  blobs_.bind(2, selection_.cluster);
  blobs_.bind(3, selection_.since_s());
  blobs_.bind(4, selection_.until_s());
}

std::vector<LaunchTime> LaunchTimeReader::selected() {
  auto launches = unpacked(blobs_.getColumn(2));
  std::erase_if(launches, [&](const LaunchTime& each) {
    const auto time_s = seconds_of(each.time);
    return time_s < selection_.since_s() || time_s >= selection_.until_s() ||
           (!selection_.host.empty() && !std::binary_search(of_host_.begin(), of_host_.end(), each.launch));
  });
  return launches;
}

std::vector<LaunchTime> LaunchTimeReader::of(std::int64_t series) {
  blobs_.reset();
  blobs_.bind(1, series);
  std::vector<LaunchTime> launches;
  while (blobs_.executeStep()) {
    const auto some = selected();
    launches.insert(launches.end(), some.begin(), some.end());
  }
  if (!std::is_sorted(launches.begin(), launches.end(), is_before))
    std::sort(launches.begin(), launches.end(), is_before);
  return launches;
}

std::optional<TimeSpan> LaunchTimeReader::span_of(std::int64_t series) {
  blobs_.reset();
  blobs_.bind(1, series);
  std::optional<TimeSpan> span;
  while (blobs_.executeStep()) {
    const auto of_blob = span_of_blob();
    if (!of_blob) continue;
    if (!span) span = of_blob;
    span = TimeSpan{std::min(span->first, of_blob->first), std::max(span->last, of_blob->last)};
  }
  return span;
}

std::optional<TimeSpan> LaunchTimeReader::span_of_blob() {
  const auto first_s = blobs_.getColumn(0).getInt64(), last_s = blobs_.getColumn(1).getInt64();
  const bool is_selected = selection_.host.empty() && first_s >= selection_.since_s() && last_s < selection_.until_s();
  if (is_selected) return TimeSpan{time_at(blobs_, 0), time_at(blobs_, 1)};
  const auto launches = selected();
  if (launches.empty()) return std::nullopt;
  return TimeSpan{launches.front().time, launches.back().time};
}

}  // namespace ringmark::history
