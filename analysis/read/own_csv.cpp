#include <algorithm>
#include <limits>
#include <unordered_map>
#include <utility>

#include <fmt/format.h>

#include "analysis/read/read_results.hpp"
#include "base/errors.hpp"
#include "base/system/host.hpp"
#include "results/files/result_file.hpp"
#include "results/schema/earlier_rows.hpp"

namespace ringmark::analysis {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

/// Refuses a table that needs more memory than is free. Texts do not count: they take no more than the file itself.
void refuse_more_than_memory(const std::string& file, std::string_view text, std::size_t columns) {
  constexpr double bytes_of_a_cell = 16;
  const auto rows = static_cast<double>(std::count(text.begin(), text.end(), '\n'));
  const auto free = available_memory_bytes();
  const auto needed = rows * static_cast<double>(columns) * bytes_of_a_cell;
  if (free && needed > static_cast<double>(*free))
    throw BadUsage(fmt::format(
        "{}: a table of {:.0f} rows and {} columns needs {:.1f} GB of memory, but only {:.1f} GB are free; give "
        "fewer rows, or use a larger machine",
        file, rows, columns, needed / 1e9, static_cast<double>(*free) / 1e9));
}

/// Puts the cells of rows into the table's columns.
class OwnCsv {
 public:
  OwnCsv(Table& table, const ResultFile& file, const std::string& name_of_file) : table_(table), file_(file) {
    for (const auto& name : file.header()) {
      if (name == "file") throw CsvError(fmt::format("{}:1: a column may not be called file", name_of_file));
      if (table.is_number(name)) {
        targets_.push_back({nullptr, &table.number_to_fill(name)});
      } else {
        targets_.push_back({&table.text_to_fill(name), nullptr});
      }
    }
  }

  void add_row() {
    for (std::size_t i = 0; i < targets_.size(); ++i) {
      if (targets_[i].number != nullptr) {
        targets_[i].number->push_back(number_at(i));
      } else if (file_.is_of_earlier_revision() && file_.contract_column(i) == detail_) {
        push_earlier_detail(i);
      } else {
        push_text(i);
      }
    }
    for (const auto& [column, value] : *settings_) {
      if (column->size() > table_.rows()) continue;  // a swept variable has its column already
      column->resize(table_.rows());
      column->push(value);
    }
    if (!file_.is_of_earlier_revision()) return;
    const auto launch = earlier_launch(table_.text("run_id")[table_.rows()]);
    table_.number_to_fill("launch").push_back(launch ? static_cast<double>(*launch) : nothing);
  }

 private:
  struct Target {
    TextColumn* text = nullptr;
    NumberColumn* number = nullptr;
  };
  /// The values of a cell of `settings`, with the column of each key.
  using SettingColumns = std::vector<std::pair<TextColumn*, std::string>>;

  double number_at(std::size_t i) const {
    const auto cell = file_.cells()[i];
    try {
      return cell.empty() ? nothing : number_in(*file_.contract_column(i), cell);
    } catch (const CsvError& error) {
      file_.refuse(file_.header()[i], error.what());
    }
  }

  /// Checks each text that is new to its column.
  void push_text(std::size_t i) {
    auto& column = *targets_[i].text;
    const auto cell = file_.cells()[i];
    const auto* const declared = file_.contract_column(i);
    if (declared != nullptr && declared->type == ColumnType::object) settings_ = &settings_of(i, cell);
    const auto known = column.values().size();
    column.push(declared == nullptr && cell == unset ? std::string_view() : cell);
    if (declared == nullptr || column.values().size() == known) return;
    try {
      check_cell(*declared, cell);
    } catch (const CsvError& error) {
      file_.refuse(declared->name, error.what());
    }
  }

  const SettingColumns& settings_of(std::size_t i, std::string_view cell) {
    const auto known = settings_of_cell_.find(std::string(cell));
    if (known != settings_of_cell_.end()) return known->second;
    SettingColumns settings;
    Record record;
    try {
      file_.contract_column(i)->read(cell, record);
    } catch (const CsvError& error) {
      file_.refuse(file_.header()[i], error.what());
    }
    for (auto& [key, value] : to_map(record.settings)) {
      if (!is_contract_column(key) && key != "file") settings.emplace_back(&table_.text_to_fill(key), std::move(value));
    }
    return settings_of_cell_.emplace(cell, std::move(settings)).first->second;
  }

  void push_earlier_detail(std::size_t i) {
    std::string detail(file_.cells()[i]);
    const auto caveats = take_earlier_caveats(detail);
    targets_[i].text->push(detail);
    table_.text_to_fill("caveats").push(to_cell(caveats));
  }

  Table& table_;
  const ResultFile& file_;
  std::vector<Target> targets_;
  const Column* detail_ = find_contract_column("detail");
  const SettingColumns* settings_ = nullptr;  ///< the row's
  std::unordered_map<std::string, SettingColumns> settings_of_cell_;
};

}  // namespace

void read_own_csv(Results& results, const std::string& file, std::string_view text) {
  try {
    ResultFile rows(text, file);
    refuse_more_than_memory(file, text, rows.header().size());
    OwnCsv columns(results.table, rows, file);
    while (rows.next()) {
      columns.add_row();
      results.table.finish_row(file, rows.line());
    }
    if (!rows.cut_off().empty()) results.notes.push_back(rows.cut_off() + "; it is left out");
    results.table.finish_file();
  } catch (const CsvError& error) {
    throw BadUsage(error.what());
  }
}

}  // namespace ringmark::analysis
