#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "analysis/read_results.hpp"
#include "base/errors.hpp"
#include "base/system/host.hpp"
#include "results/columns.hpp"
#include "results/csv.hpp"

namespace ringmark::analysis {
namespace {

constexpr std::array known_schemas{Schema::collective, Schema::link, Schema::replay};

struct Target {
  TextColumn* text = nullptr;
  NumberColumn* number = nullptr;
  bool is_variable = false;  ///< not a column of the contract
};

/// The largest whole number that a column may hold; nothing for a column of other values.
std::optional<double> most_of(const std::string& column) {
  constexpr double exact = 9007199254740992;  // 2^53
  constexpr double most_ranks = 1 << 24;
  if (column == "ranks" || column == "nodes") return most_ranks;
  if (column == "size_bytes" || column == "count" || column == "samples" || column == "in_place") return exact;
  return std::nullopt;
}

/// The values of a cell of `settings`, with the column of each key.
using Settings = std::vector<std::pair<TextColumn*, std::string>>;

class OwnCsv {
 public:
  OwnCsv(Results& results, const std::string& file, std::string_view text)
      : results_(results), table_(results.table), file_(file), text_(text), scanner_(text) {}

  void read() {
    try {
      if (!scanner_.next(row_)) return;
      read_header();
      while (next()) read_row();
      table_.finish_file();
    } catch (const CsvError& error) {
      throw BadUsage(fmt::format("{}: {}", file_, error.what()));
    }
  }

 private:
  /// The next row. An open quote on the very last line is a line that was cut off.
  bool next() {
    try {
      return scanner_.next(row_);
    } catch (const CsvError&) {
      if (text_.find('\n', scanner_.row_begin()) != std::string_view::npos) throw;
      results_.notes.push_back(fmt::format("{}:{}: the last line is cut off; it is left out", file_, scanner_.line()));
      return false;
    }
  }

  [[noreturn]] void complain(const std::string& column, const std::string& what) const {
    throw BadUsage(fmt::format("{}:{}: column {}: {}", file_, scanner_.line(), column, what));
  }

  void read_header() {
    header_.assign(row_.begin(), row_.end());
    for (const auto& name : record_header()) {
      const auto count = std::count(header_.begin(), header_.end(), name);
      if (count != 1) {
        throw BadUsage(fmt::format("{}:1: there {} column {}; the file is of another version, or not Ringmark's", file_,
                                   count == 0 ? "is no" : "is more than one", name));
      }
    }
    refuse_more_than_memory();
    for (const auto& name : header_) {
      const auto count = std::count(header_.begin(), header_.end(), name);
      if (name.empty() || count > 1) {
        throw BadUsage(name.empty() ? fmt::format("{}:1: a column has no name", file_)
                                    : fmt::format("{}:1: a column is called '{}' more than once", file_, name));
      }
      if (name == "file") throw BadUsage(fmt::format("{}:1: a column may not be called file", file_));
      most_.push_back(most_of(name));
      if (table_.is_number(name)) {
        targets_.push_back({nullptr, &table_.number_to_fill(name)});
      } else {
        targets_.push_back({&table_.text_to_fill(name), nullptr, !is_contract_column(name)});
      }
    }
    settings_at_ = static_cast<std::size_t>(std::find(header_.begin(), header_.end(), "settings") - header_.begin());
  }

  /// A cell takes at most this much of a table. Texts do not count: the file has them already.
  void refuse_more_than_memory() const {
    constexpr double bytes_of_a_cell = 16;
    const auto rows = static_cast<double>(std::count(text_.begin(), text_.end(), '\n'));
    const auto free = available_memory_bytes();
    const auto needed = rows * static_cast<double>(header_.size()) * bytes_of_a_cell;
    if (free && needed > static_cast<double>(*free))
      throw BadUsage(
          fmt::format("{}: a table of {:.0f} rows and {} columns needs {:.1f} GB of memory, and {:.1f} GB are "
                      "free; give fewer rows, or use a larger machine",
                      file_, rows, header_.size(), needed / 1e9, static_cast<double>(*free) / 1e9));
  }

  void read_row() {
    if (row_.size() != header_.size() || !scanner_.is_finished()) {
      const auto cells = fmt::format("{} of {} cells", row_.size(), header_.size());
      if (scanner_.is_finished()) throw BadUsage(fmt::format("{}:{}: {}", file_, scanner_.line(), cells));
      results_.notes.push_back(
          fmt::format("{}:{}: the last line is cut off ({}); it is left out", file_, scanner_.line(), cells));
      return;
    }
    if (row_[0] != schema_) check_schema();
    for (std::size_t i = 0; i < row_.size(); ++i) {
      if (targets_[i].text != nullptr) {
        push_text(i);
      } else {
        targets_[i].number->push_back(read_number_cell(i));
      }
    }
    for (const auto& [column, value] : settings_of(row_[settings_at_])) {
      if (column->size() > table_.rows()) continue;  // a swept variable has its column already
      column->resize(table_.rows());
      column->push(value);
    }
    table_.finish_row(file_, scanner_.line());
  }

  void push_text(std::size_t i) {
    auto& column = *targets_[i].text;
    const auto known = column.values().size();
    column.push(targets_[i].is_variable && row_[i] == unset ? std::string_view() : row_[i]);
    if (targets_[i].is_variable || column.values().size() == known) return;
    try {
      check_cell(header_[i], row_[i]);
    } catch (const CsvError& error) {
      complain(header_[i], error.what());
    }
  }

  void check_schema() {
    const auto schema = parse_schema(row_[0]);
    if (!schema) {
      std::vector<std::string_view> known;
      for (const auto each : known_schemas) known.push_back(name(each));
      complain("schema", fmt::format("'{}' is none that this version reads: {}", row_[0], fmt::join(known, ", ")));
    }
    schema_ = row_[0];
    if (schema != Schema::link) return;
    for (const auto& end : own_columns(Schema::link)) {
      if (std::find(header_.begin(), header_.end(), end) == header_.end())
        complain("schema", fmt::format("a link/1 has a column {}", end));
    }
  }

  double read_number_cell(std::size_t i) const {
    const auto cell = row_[i];
    if (cell.empty()) return std::numeric_limits<double>::quiet_NaN();
    double value{};
    const auto [end, error] = std::from_chars(cell.data(), cell.data() + cell.size(), value);
    if (error != std::errc() || end != cell.data() + cell.size() || !std::isfinite(value)) {
      complain(header_[i], fmt::format("'{}' is not a number", cell.substr(0, 40)));
    }
    if (const auto most = most_[i]; most && !(value >= 0 && value <= *most && value == std::floor(value))) {
      complain(header_[i], fmt::format("'{}' is no whole number from 0 to {:.0f}", cell.substr(0, 40), *most));
    }
    return value;
  }

  const Settings& settings_of(std::string_view cell) {
    const auto known = settings_.find(std::string(cell));
    if (known != settings_.end()) return known->second;
    Settings settings;
    try {
      const auto values = nlohmann::json::parse(cell).get<std::map<std::string, std::string>>();
      for (const auto& [key, value] : values) {
        if (!is_contract_column(key) && key != "file") settings.emplace_back(&table_.text_to_fill(key), value);
      }
    } catch (const nlohmann::json::exception&) {
      complain("settings", fmt::format("'{}' is not a JSON object with string values", cell.substr(0, 40)));
    }
    return settings_.emplace(cell, std::move(settings)).first->second;
  }

  Results& results_;
  Table& table_;
  const std::string& file_;
  std::string_view text_;
  CsvScanner scanner_;
  std::vector<std::string_view> row_;
  std::vector<std::string> header_;
  std::vector<Target> targets_;
  std::vector<std::optional<double>> most_;  ///< of columns that hold whole numbers
  std::size_t settings_at_ = 0;
  std::string schema_;
  std::unordered_map<std::string, Settings> settings_;
};

}  // namespace

void read_own_csv(Results& results, const std::string& file, std::string_view text) {
  OwnCsv(results, file, text).read();
}

}  // namespace ringmark::analysis
