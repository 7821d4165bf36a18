#include "analysis/read/nccl_columns.hpp"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

namespace ringmark::analysis {
namespace {

bool is_whole_number(std::string_view word) { return number_in<std::uint64_t>(word).has_value(); }
bool is_nccl_name(std::string_view word) {
  return !word.empty() && std::isalpha(static_cast<unsigned char>(word[0])) != 0;
}

bool is_nccl_figure(std::string_view word) {
  constexpr std::array<std::string_view, 5> others{"N/A", "nan", "-nan", "inf", "-inf"};
  return number_in<double>(word) || std::find(others.begin(), others.end(), word) != others.end();
}

bool fits(const NcclColumns& columns, std::size_t column, std::string_view word) {
  if (column == columns.size || column == columns.count) return is_whole_number(word);
  if (column == columns.type || column == columns.redop) return is_nccl_name(word);
  if (column == columns.root) return number_in<int>(word).has_value();
  return column < columns.placements.front().time || is_nccl_figure(word);
}

/// True if the words from `at` on are those of a row.
bool is_nccl_row(const NcclColumns& columns, const Words& words, std::size_t at, std::size_t count) {
  if (words.size() < at + count) return false;
  for (std::size_t column = 0; column < count; ++column) {
    if (!fits(columns, column, words[at + column])) return false;
  }
  return true;
}

constexpr std::size_t most_words_before = 12;

/// The index of the word at which the first part of a row begins.
std::optional<std::size_t> begin_of_part(const NcclColumns& columns, const Words& words) {
  for (std::size_t at = 0; at + columns.type < words.size() && at <= most_words_before; ++at) {
    if (is_whole_number(words[at]) && is_whole_number(words[at + columns.count]) &&
        parse_datatype(type_called_now(std::string(words[at + columns.type]))))
      return at;
  }
  return std::nullopt;
}

std::optional<NcclRow> whole_row(const NcclColumns& columns, const Words& words) {
  for (std::size_t at = 0; at + columns.words <= words.size() && at <= most_words_before; ++at) {
    if (!is_nccl_row(columns, words, at, columns.words)) continue;
    const auto from = words.begin() + static_cast<std::ptrdiff_t>(at);
    return NcclRow(from, from + static_cast<std::ptrdiff_t>(columns.words));
  }
  return std::nullopt;
}

}  // namespace

std::optional<NcclColumns> nccl_columns(std::string_view line, std::string_view above) {
  const auto begin = line.find_first_not_of("# \t");
  if (begin == std::string_view::npos || line.find("busbw") == std::string_view::npos) return std::nullopt;
  auto words = words_of(line.substr(begin));
  const auto first =
      std::find_if(words.begin(), words.end(), [](std::string_view word) { return word == "size" || word == "bytes"; });
  words.erase(words.begin(), first);
  std::erase_if(words, [](std::string_view word) { return word.starts_with('('); });  // a unit
  NcclColumns columns;
  constexpr double millisecond = 1000;
  if (!words.empty() && words.front() == "bytes") columns.us_of_time = millisecond;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const auto word = words[i];
    auto* last = columns.placements.empty() ? nullptr : &columns.placements.back();
    if (word == "size" || word == "bytes") {
      columns.size = i;
    } else if (word == "count" || word == "N") {
      columns.count = i;
    } else if (word == "type") {
      columns.type = i;
    } else if (word == "redop" || word == "op") {
      columns.redop = i;
    } else if (word == "root") {
      columns.root = i;
    } else if (word == "time" || word == "cputime") {
      columns.placements.push_back({!columns.placements.empty(), i, {}, {}, {}});
      columns.is_time_of_processor = word == "cputime";
    } else if (word == "timestamp") {
      break;
    } else if (last != nullptr && word == "algbw") {
      last->algbw = i;
    } else if (last != nullptr && word == "busbw") {
      last->busbw = i;
    } else if (last != nullptr && (word == "#wrong" || word == "wrong" || word == "error" || word == "res")) {
      last->wrong = i;
      columns.has_deviation = word == "error" || word == "res";
    }
    columns.words = i + 1;
  }
  if (columns.placements.empty() || columns.placements.size() > 2) return std::nullopt;
  // A mangled header may name the columns in any order, but rows are only read in this one.
  const auto first_figure = columns.placements.front().time;
  const auto is_before_figures = [&](std::optional<std::size_t> column) {
    return !column || (*column > columns.type && *column < first_figure);
  };
  const bool is_table = columns.count > columns.size && columns.type > columns.count && columns.type < first_figure &&
                        is_before_figures(columns.redop) && is_before_figures(columns.root);
  if (!is_table) return std::nullopt;
  const bool has_out = above.find("out-of-place") != std::string_view::npos;
  if (columns.placements.size() == 1 && !has_out && above.find("in-place") != std::string_view::npos)
    columns.placements.front().is_in_place = true;
  return columns;
}

bool continues_header(std::string_view header, std::string_view below) {
  constexpr std::array<std::string_view, 9> names{"time",  "cputime", "algbw", "busbw", "#wrong",
                                                  "wrong", "error",   "res",   "root"};
  const auto is_name = [&](std::string_view word) {
    return std::find(names.begin(), names.end(), word) != names.end();
  };
  const auto words = words_of(header), rest = words_of(below);
  if (words.empty() || rest.empty() || !std::all_of(rest.begin() + 1, rest.end(), is_name)) return false;
  return is_name(rest.front()) || is_name(std::string(words.back()) + std::string(rest.front()));
}

std::optional<NcclRow> nccl_row(const NcclColumns& columns, std::string_view line) {
  const auto words = words_of(line);
  if (auto row = whole_row(columns, words)) return row;
  if (columns.redop) {  // blank in some versions from before August 2022, where nothing is reduced
    auto without = columns;
    const auto blank = *std::exchange(without.redop, std::nullopt);
    const auto shift = [&](std::size_t column) { return column > blank ? column - 1 : column; };
    if (without.root) without.root = shift(*without.root);
    for (auto& placement : without.placements) placement.time = shift(placement.time);
    --without.words;
    if (auto row = whole_row(without, words)) {
      row->insert(row->begin() + static_cast<std::ptrdiff_t>(blank), "none");
      return row;
    }
  }
  // Only in place: the other placement's columns are blank.
  if (columns.placements.size() != 2) return std::nullopt;
  const auto first = columns.placements[0].time, second = columns.placements[1].time;
  const auto width = second - first;
  if (columns.words - second > width) return std::nullopt;
  constexpr std::ptrdiff_t least_gap = 24;
  for (std::size_t at = 0; at + first + width <= words.size() && at <= most_words_before; ++at) {
    if (!is_nccl_row(columns, words, at, first + width)) continue;
    const auto& before = words[at + first - 1];
    if (words[at + first].data() - (before.data() + before.size()) < least_gap) return std::nullopt;
    NcclRow row(columns.words);
    for (std::size_t i = 0; i < first; ++i) row[i] = words[at + i];
    for (std::size_t i = 0; i < columns.words - second; ++i) row[second + i] = words[at + first + i];
    return row;
  }
  return std::nullopt;
}

bool is_row_of_some_version(std::string_view line) {
  // Since August 2022 all programs have a root; before, only those that use one.
  static const auto with_root =
      nccl_columns("size count type redop root time algbw busbw #wrong time algbw busbw #wrong", "");
  static const auto without_root =
      nccl_columns("size count type redop time algbw busbw error time algbw busbw error", "");
  return nccl_row(*with_root, line) || nccl_row(*without_root, line);
}

std::string type_called_now(const std::string& name) {
  return name == "char" ? "int8" : name == "int" ? "int32" : name;
}

bool has_figures_only(std::string_view line) {
  const auto words = words_of(line);
  return !words.empty() && std::all_of(words.begin(), words.end(), is_nccl_figure);
}

bool is_part_of_row(const NcclColumns& columns, std::string_view line) {
  return begin_of_part(columns, words_of(line)).has_value();
}

std::string_view unreadable_word(const NcclColumns& columns, std::string_view line) {
  const auto words = words_of(line);
  const auto at = begin_of_part(columns, words);
  if (!at || words.size() < *at + columns.words) return "";
  for (std::size_t column = 0; column < columns.words; ++column) {
    if (!fits(columns, column, words[*at + column])) return words[*at + column];
  }
  return "";
}

}  // namespace ringmark::analysis
