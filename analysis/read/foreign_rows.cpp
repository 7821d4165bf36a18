#include "analysis/read/foreign_rows.hpp"

#include <algorithm>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "base/text/spelling.hpp"

namespace ringmark::analysis {

bool are_numbers(const Words& words) {
  return std::all_of(words.begin(), words.end(), [](auto word) { return number_in<double>(word).has_value(); });
}

std::optional<double> rounding_of(std::string_view word) {
  if (word.empty() || word.find_first_not_of("0123456789.") != std::string_view::npos) return std::nullopt;
  const auto point = word.find('.');
  const auto digits = point == std::string_view::npos ? 0 : word.size() - point - 1;
  return 0.5 * std::pow(10.0, -static_cast<double>(digits));
}

bool has_decimal_comma(std::string_view word) {
  constexpr std::size_t digits_of_thousands = 3;
  const auto comma = word.find(',');
  if (comma == std::string_view::npos || comma == 0) return false;
  const auto decimals = word.substr(comma + 1);
  const auto are_digits = [](std::string_view part) {
    return !part.empty() && part.find_first_not_of("0123456789") == std::string_view::npos;
  };
  return are_digits(word.substr(0, comma)) && are_digits(decimals) && decimals.size() != digits_of_thousands;
}

std::optional<double> figure_below(std::string_view column, const std::vector<std::string>& columns, const Words& row) {
  const auto found = std::find(columns.begin(), columns.end(), column);
  if (found == columns.end()) return std::nullopt;
  return number_in<double>(row.at(static_cast<std::size_t>(found - columns.begin())));
}

Words words_of(std::string_view line) {
  Words words;
  for (;;) {
    const auto begin = line.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return words;
    const auto end = std::min(line.find_first_of(" \t", begin), line.size());
    words.push_back(line.substr(begin, end - begin));
    line.remove_prefix(end);
  }
}

std::optional<Collective> collective_in(std::string_view text) {
  const auto letters = letters_of(text);
  std::optional<Collective> found;
  std::size_t longest = 0;
  if (letters.find("bcast") != std::string::npos) found = Collective::broadcast, longest = 5;
  for (const auto collective : all_collectives()) {
    const auto wanted = letters_of(name(collective));
    if (wanted.size() > longest && letters.find(wanted) != std::string::npos) {
      found = collective;
      longest = wanted.size();
    }
  }
  return found;
}

std::optional<Collective> collective_called(std::string_view word) {
  const auto letters = letters_of(word);
  if (letters == "bcast") return Collective::broadcast;
  if (letters == "reducescatterblock") return Collective::reduce_scatter;
  for (const auto collective : all_collectives()) {
    if (letters_of(name(collective)) == letters) return collective;
  }
  return std::nullopt;
}

std::string ForeignRows::at(std::size_t line) const { return fmt::format("{}:{}", file_, line); }

void ForeignRows::keep(std::vector<Remark>& remarks, std::size_t line, const std::string& text) {
  const auto known =
      std::find_if(remarks.begin(), remarks.end(), [&](const Remark& each) { return each.text == text; });
  if (known == remarks.end()) {
    remarks.push_back({line, text, 1});
  } else {
    ++known->tables;
  }
}

std::vector<std::string> ForeignRows::in_words(const std::vector<Remark>& remarks) const {
  std::vector<std::string> all;
  for (const auto& each : remarks) {
    const auto more = each.tables > 1 ? fmt::format(" ({} tables)", each.tables) : "";
    all.push_back(fmt::format("{}: {}{}", at(each.line), each.text, more));
  }
  return all;
}

const std::vector<LogLine>& ForeignRows::lines() {
  if (!lines_.empty()) return lines_;
  lines_ = log_lines(text_);
  if (lines_.empty() || text_.ends_with('\n')) return lines_;
  const auto last = std::max_element(lines_.begin(), lines_.end(),
                                     [](const LogLine& a, const LogLine& b) { return a.number < b.number; });
  const auto first = last->text.find_first_not_of(" \t");
  if (first == std::string::npos || std::isdigit(static_cast<unsigned char>(last->text[first])) == 0) return lines_;
  note(fmt::format("{}: the last line has no line break and may be cut off; it is left out", at(last->number)));
  lines_.erase(last);
  return lines_;
}

void ForeignRows::begin_launch(std::size_t line) { run_id_ = launches_++ == 0 ? file_ : at(line); }

Record ForeignRows::row_of(Transport transport, Workload workload, int ranks) const {
  Record row;
  row.run_id = run_id_;
  row.transport = transport;
  row.collective = workload;
  row.timing = Timing::batch;
  row.ranks = ranks;
  row.samples = 1;
  row.status = Status::ok;
  if (std::holds_alternative<Collective>(workload)) row.algorithm = "auto";
  return row;
}

void ForeignRows::set_datatype(Record& row, std::string_view called) {
  row.datatype = parse_datatype(called);
  if (row.datatype.empty()) own_words_["datatype"] = called;
}

void ForeignRows::set_op(Record& row, std::string_view called) {
  row.op = parse_reduce_op(called);
  if (row.op.empty() && called != "none") own_words_["op"] = called;
}

void ForeignRows::set_memory(Record& row, std::string_view called) {
  row.memory = parse_memory_kind(called);
  if (!row.memory && !called.empty()) own_words_["memory"] = called;
}

void ForeignRows::add(Record& row, std::optional<double> time_us, std::size_t line) {
  const bool has_time = time_us && *time_us > 0;
  if (!has_time && (row.status == Status::ok || row.status == Status::wrong)) {
    row.status = Status::failed;
    row.detail = "the file has no time for it";
  }
  if (has_time) {
    row.time_us_p50 = *time_us;
    if (!row.time_us_mean) row.time_us_mean = *time_us;
    row.algbw_GBps = static_cast<double>(row.size_bytes) / *time_us / 1e3;
    const auto workload = row.collective.only().value();
    if (const auto* collective = std::get_if<Collective>(&workload))
      row.busbw_GBps = *row.algbw_GBps * bus_factor(*collective, row.ranks);
    constexpr double most_GBps = 10'000;  // several times the bandwidth of any link or accelerator memory
    if (row.busbw_GBps.value_or(0) > most_GBps && row.status == Status::ok) {
      row.status = Status::failed;
      row.detail = fmt::format("its bus bandwidth, {:.0f} GB/s, exceeds that of any hardware", *row.busbw_GBps);
    }
    if (row.wrong_elements.value_or(0) > 0 && row.status == Status::ok) row.status = Status::wrong;
  }
  results_.table.add(row, file_, line, own_words_);
  if (options_.rows != nullptr) options_.rows->push_back({row, own_words_, has_run_id_});
  own_words_.clear();
}

void ForeignRows::add_own(const Record& row, std::size_t line) {
  results_.table.add(row, file_, line);
  if (options_.rows != nullptr) options_.rows->push_back({row, {}, true});
}

}  // namespace ringmark::analysis
