#include "analysis/groups.hpp"

#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/units.hpp"
#include "base/with_count.hpp"
#include "results/column_kinds.hpp"
#include "results/replay_columns.hpp"
#include "results/thing.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::array columns_of_group{"groups", "group", "members", "beside"};

/// Starts that ranks did not agree on count as one, as in the tables of other tools, which do not name theirs.
Categories categories_of(const Table& table, const std::string& column) {
  auto categories = table.categories(column);
  if (column != "start") return categories;
  for (auto& id : categories.ids) id = categories.values[id] == name(Start::window) ? 1 : 0;
  categories.values = {"", std::string(name(Start::window))};
  return categories;
}

/// Fills in the group's launches, and the time of each.
void find_launches(const Table& table, Group& group) {
  const auto& run_ids = table.text("run_id");
  const auto& times = table.number("time_us_p50");
  std::map<std::uint32_t, std::vector<double>> launches;
  for (const auto row : group.rows) launches[run_ids.id(row)].push_back(times[row]);
  for (const auto& [id, times_us] : launches) {
    group.launches.push_back(id);
    group.times_us.push_back(geometric_mean(times_us));
  }
}

/// True if rows of one schema have several values of it. Rows of links have no algorithm, which is no choice.
bool varies(const Table& table, const Categories& categories) {
  const auto& schemas = table.text("schema");
  std::map<std::uint32_t, std::uint32_t> first;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (first.try_emplace(schemas.id(row), categories.ids[row]).first->second != categories.ids[row]) return true;
  }
  return false;
}

/// True if the other column has a value wherever the one has.
bool goes_without(const Table& table, const std::string& one, const std::string& other) {
  const auto &ours = table.text(one), &theirs = table.text(other);
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (!ours[row].empty() && theirs[row].empty()) return false;
  }
  return true;
}

/// The default is the configuration whose values all equal the sweep's default. There may be none, or several.
void set_default_configuration(Table& table, const std::vector<std::string>& configurations) {
  if (!table.has_defaults()) return;
  std::vector<std::pair<std::string, Categories>> told;
  for (const auto& column : setting_columns(table)) {
    if (table.default_of(column) != nullptr) told.emplace_back(column, table.categories(column));
  }
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto is_default = [&](const auto& each) {
      const auto& [column, categories] = each;
      return categories.values[categories.ids[row]] == *table.default_of(column);
    };
    if (std::all_of(told.begin(), told.end(), is_default)) table.set_default(configuration_column, configurations[row]);
  }
}

}  // namespace

std::vector<std::string> thing_columns(const Table& table) {
  std::vector<std::string> columns{"schema", "collective", "datatype", "op", "in_place", "timing", "ranks", "nodes"};
  for (const char* column : columns_of_group) {
    if (table.has(column)) columns.emplace_back(column);
  }
  if (has_agreed_starts(table)) columns.emplace_back("start");
  return columns;
}

bool has_agreed_starts(const Table& table) {
  if (!table.has("start")) return false;
  const auto& starts = table.text("start");
  for (std::size_t row = 0; row < table.rows(); ++row) {
    if (starts[row] == name(Start::window)) return true;
  }
  return false;
}

bool is_of_group(std::string_view column) {
  return std::find(columns_of_group.begin(), columns_of_group.end(), column) != columns_of_group.end();
}

std::vector<std::string> setting_columns(const Table& table) {
  std::vector<std::string> columns{"transport"};
  const auto extra = table.extra_columns();
  const auto has = [&](std::string_view name) { return std::find(extra.begin(), extra.end(), name) != extra.end(); };
  for (const auto& name : extra) {
    // A sweep's variable and the step's own column for it are one setting.
    const auto flag = std::string(replay_flag(name));
    const bool is_told_twice = flag != name && has(flag) && goes_without(table, name, flag);
    const bool is_no_setting =
        name == configuration_column || is_origin(name) || is_of_group(name) || is_replay_figure(name);
    if (!is_no_setting && !is_told_twice) columns.push_back(name);
  }
  for (const char* name : {"algorithm", "memory", "network", "file"}) columns.emplace_back(name);
  return columns;
}

std::vector<std::string> choices(const Table& table) {
  constexpr std::array of_the_place{"network", "file"};
  std::vector<std::string> columns;
  for (const auto& column : setting_columns(table)) {
    const bool is_of_the_place = std::find(of_the_place.begin(), of_the_place.end(), column) != of_the_place.end();
    if (is_choice(column) && !is_of_the_place && varies(table, table.categories(column))) columns.push_back(column);
  }
  return columns;
}

void add_configurations(Table& table) {
  std::vector<std::pair<std::string, Categories>> varying;
  const auto columns = choices(table);
  // Each row's configuration names all of them, and each comparison has two configurations.
  constexpr std::size_t most_settings = 200;
  if (columns.size() > most_settings)
    throw BadUsage(
        fmt::format("{} settings vary in these results, {} to {}, and no answer can name more than {}: give "
                    "files without the columns that are no settings",
                    columns.size(), columns.front(), columns.back(), most_settings));
  for (const auto& column : columns) varying.emplace_back(column, table.categories(column));
  std::vector<std::string> cells;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    std::vector<std::string> words;
    for (const auto& [column, categories] : varying) {
      if (const auto& value = categories.values[categories.ids[row]]; !value.empty())
        words.push_back(column + "=" + value);
    }
    cells.push_back(fmt::format("{}", fmt::join(words, " ")));
  }
  table.set_text(configuration_column, cells);
  set_default_configuration(table, cells);
}

std::string why_unusable(const Table& table, std::size_t row) {
  const auto& status = table.text("status")[row];
  if (status != name(Status::ok)) return status.empty() ? "no status" : status;
  if (table.figure(row, "time_sliced").value_or(0) > 0) return "time_sliced";
  if (table.figure(row, "time_us_p50").value_or(0) <= 0) return "no time";
  if (table.figure(row, "size_bytes").value_or(0) <= 0) return "no size";
  return table.figure(row, "ranks").value_or(0) < 1 ? "no ranks" : "";
}

std::vector<std::size_t> usable_rows(const Table& table, std::vector<std::string>& notes) {
  struct Reason {
    std::size_t rows = 0, first = 0;
  };
  std::vector<std::size_t> usable;
  std::map<std::string, Reason> reasons;
  for (std::size_t row = 0; row < table.rows(); ++row) {
    const auto why = why_unusable(table, row);
    if (why.empty()) {
      usable.push_back(row);
    } else if (reasons[why].rows++ == 0) {
      reasons[why].first = row;
    }
  }
  for (const auto& [why, reason] : reasons) {
    const auto& detail = table.text("detail")[reason.first];
    notes.push_back(fmt::format("left out: {} with '{}' ({}, {}{})", with_count(reason.rows, "row"), why,
                                table.where(reason.first), thing_of(table, reason.first),
                                detail.empty() ? "" : ": " + detail));
  }
  return usable;
}

Groups::Groups(const Table& table, const std::vector<std::size_t>& rows, std::vector<std::string> columns)
    : columns_(std::move(columns)) {
  for (const auto& column : columns_) categories_.push_back(categories_of(table, column));
  std::map<std::vector<std::uint32_t>, std::size_t> known;
  std::vector<std::uint32_t> key(columns_.size());
  for (const auto row : rows) {
    for (std::size_t c = 0; c < columns_.size(); ++c) key[c] = categories_[c].ids[row];
    const auto [found, is_new] = known.try_emplace(key, groups_.size());
    if (is_new) groups_.push_back({key, {}, {}, {}});
    groups_[found->second].rows.push_back(row);
  }
  for (auto& group : groups_) find_launches(table, group);
}

std::string thing_of(const Table& table, std::size_t row) {
  const auto whole = [&](const char* column) { return static_cast<int>(table.figure(row, column).value_or(0)); };
  const auto text_if_any = [&](const char* column) -> std::string_view {
    return table.has(column) ? std::string_view(table.text(column)[row]) : std::string_view();
  };
  const bool is_link = table.is(Schema::link, row);
  return in_words(Thing{.collective = table.text("collective")[row],
                        .datatype = table.text("datatype")[row],
                        .op = table.text("op")[row],
                        .is_link = is_link,
                        .source = is_link ? table.text("src")[row] : std::string_view(),
                        .destination = is_link ? table.text("dst")[row] : std::string_view(),
                        .is_in_place = whole("in_place") == 1,
                        .is_batch = table.text("timing")[row] == name(Timing::batch),
                        .has_agreed_start = text_if_any("start") == name(Start::window),
                        .ranks = whole("ranks"),
                        .nodes = whole("nodes"),
                        .groups = text_if_any("groups"),
                        .group = text_if_any("group"),
                        .members = text_if_any("members"),
                        .beside = text_if_any("beside")});
}

std::vector<std::size_t> link_rows(const Table& table, const std::vector<std::size_t>& rows,
                                   std::optional<LinkTest> test) {
  std::vector<std::size_t> between, within;
  const auto* senders = table.has("senders") ? &table.text("senders") : nullptr;
  for (const auto row : rows) {
    if (senders != nullptr && !(*senders)[row].empty()) continue;
    if (!table.is(Schema::link, row) || (test && table.text("collective")[row] != name(*test))) continue;
    (table.number("nodes")[row] == 1 ? within : between).push_back(row);
  }
  return between.empty() ? within : between;
}

std::string told_of_pooled_files(const Table& table, const std::vector<std::size_t>& rows) {
  auto columns = thing_columns(table);
  columns.emplace_back("size_bytes");
  for (const auto& column : setting_columns(table)) {
    if (column != "file") columns.push_back(column);
  }
  const Groups groups(table, rows, columns);
  const auto& files = table.text("file");
  for (const auto& group : groups.groups()) {
    std::set<std::string> of_group;
    for (const auto row : group.rows) of_group.insert(files[row]);
    if (of_group.size() < 2) continue;
    return fmt::format(
        "{} {} was measured in {} of the files ({} and {}); they count as launches of one cluster. "
        "compare --by file compares them with each other",
        thing_of(table, group.rows.front()),
        format_size(static_cast<std::size_t>(table.number("size_bytes")[group.rows.front()])), of_group.size(),
        *of_group.begin(), *std::next(of_group.begin()));
  }
  return "";
}

std::string shown(const std::string& value) { return value.empty() ? "(unset)" : value; }

std::set<std::string> networks_in(const Table& table, const std::vector<std::size_t>& rows) {
  std::set<std::string> networks;
  for (const auto row : rows) {
    if (const auto& network = table.text("network")[row]; !network.empty()) networks.insert(network);
  }
  return networks;
}

bool reads_before(const std::string& a, const std::string& b) {
  if (a.empty() || b.empty()) return a.empty() && !b.empty();
  const auto x = parse_figure(a), y = parse_figure(b);
  // Numbers come before words; otherwise the order could have circles.
  if (x.has_value() != y.has_value()) return x.has_value();
  return x && *x != *y ? *x < *y : a < b;
}

}  // namespace ringmark::analysis
