#include "analysis/foreign_rows.hpp"

#include <cctype>
#include <utility>

#include <fmt/format.h>

namespace ringmark::analysis {
namespace {

std::vector<ForeignLine> lines_of(std::string_view text) {
  std::vector<ForeignLine> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
}

/// Lower case letters only: "All-Reduce", "allreduce" and "Allreduce" are one.
std::string letters_of(std::string_view name) {
  std::string letters;
  for (const char c : name) {
    if (std::isalpha(static_cast<unsigned char>(c)) != 0) {
      letters += static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    }
  }
  return letters;
}

}  // namespace

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
  for (const auto collective : all_collectives()) {
    if (letters_of(name(collective)) == letters) return collective;
  }
  return std::nullopt;
}

std::vector<ForeignLine> ForeignRows::whole_lines() {
  auto lines = lines_of(text_);
  if (lines.empty() || text_.ends_with('\n')) return lines;
  const auto first = lines.back().text.find_first_not_of(" \t");
  if (first == std::string_view::npos || std::isdigit(static_cast<unsigned char>(lines.back().text[first])) == 0)
    return lines;
  results_.notes.push_back(
      fmt::format("{}:{}: the last line does not end, and may be cut off; it is left out", file_, lines.back().number));
  lines.pop_back();
  return lines;
}

Record ForeignRows::row_of(Transport transport, Collective collective, int ranks) const {
  Record row;
  row.run_id = parse_run_id(file_);
  row.transport = transport;
  row.algorithm = "auto";
  row.collective = collective;
  row.timing = Timing::batch;
  row.ranks = ranks;
  row.samples = 1;
  row.status = Status::ok;
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

void ForeignRows::add(Record& row, std::optional<double> time_us, std::size_t line) {
  if (!time_us || *time_us <= 0) {
    row.status = Status::failed;
    row.detail = "the file has no time for it";
  } else {
    row.time_us_p50 = row.time_us_mean = *time_us;
    row.algbw_GBps = static_cast<double>(row.size_bytes) / *time_us / 1e3;
    row.busbw_GBps = *row.algbw_GBps * bus_factor(std::get<Collective>(row.collective.only().value()), row.ranks);
    if (row.wrong_elements.value_or(0) > 0) row.status = Status::wrong;
  }
  results_.table.add(row, file_, line, std::exchange(own_words_, {}));
}

}  // namespace ringmark::analysis
