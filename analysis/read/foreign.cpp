#include "analysis/read/foreign.hpp"

#include <algorithm>
#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/inspector_log.hpp"
#include "analysis/read/log_lines.hpp"
#include "analysis/read/nccl_columns.hpp"

namespace ringmark::analysis {
namespace {

struct Format {
  std::string_view tool;
  bool is_json;
  bool (*is_it)(std::string_view text);
  void (*read)(ForeignRows& rows);
};

/// True if the text has rows that were copied without the lines above them.
bool has_row_of_nccl_tests(std::string_view text) {
  constexpr std::size_t enough = 1 << 16;
  for (text = text.substr(0, enough); !text.empty();) {
    const auto end = std::min(text.find('\n'), text.size());
    for (const auto& part : parts_of_line(text.substr(0, end), 0)) {
      if (is_row_of_some_version(part.text)) return true;
    }
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return false;
}

bool is_of_nccl_tests(std::string_view text) {
  constexpr std::array<std::string_view, 6> ends{" ", "\t", ",", ";", "|", "\u00A0"};
  const bool has_header = says(text, "busbw") && std::any_of(ends.begin(), ends.end(), [&](std::string_view end) {
                            return says(text, fmt::format("algbw{}", end));
                          });
  return has_header || says(text, "ccl-tests version") || says(text, "Collective test starting:") ||
         (says(text, "nThread ") && says(text, "nGpus ")) || has_row_of_nccl_tests(text);
}

bool is_of_osu(std::string_view text) {
  return says(text, "# OSU ") || ((says(text, "OSU MPI") || says(text, "OSU NCCL")) && says(text, " Test"));
}

bool is_of_imb(std::string_view text) {
  return says(text, "MPI Benchmarks") || says(text, "# Benchmarking ") ||
         (says(text, "#Benchmarking") && says(text, "#repetitions")) ||
         (says(text, "Benchmarking") && says(text, "processes = "));
}

constexpr std::array formats{
    Format{"NCCL Inspector", true, is_inspector_log, read_inspector},
    Format{"nccl-tests", true,
           [](std::string_view text) {
             return (says(text, "\"nccl_version\"") || says(text, "\"out_of_place\"")) && !is_inspector_log(text);
           },
           read_nccl_tests_json},
    Format{"perftest", true, [](std::string_view text) { return says(text, "\"test_info\""); }, read_perftest_json},
    Format{"nccl-tests", false, is_of_nccl_tests, read_nccl_tests_text},
    Format{"OSU", false, is_of_osu, read_osu},
    Format{"IMB", false, is_of_imb, read_imb},
    Format{"perftest", false, [](std::string_view text) { return says(text, "#bytes") && says(text, "iterations"); },
           read_perftest_text}};

/// "f:4: its numbers have decimal commas ..." for the first such row; empty if there is none.
std::string why_commas_are_refused(const std::string& file, std::string_view text) {
  const auto is_number = [](std::string_view word) { return number_in<double>(word) || has_decimal_comma(word); };
  for (std::size_t line = 1; !text.empty(); ++line) {
    const auto end = std::min(text.find('\n'), text.size());
    const auto words = words_of(text.substr(0, end));
    const auto comma = std::find_if(words.begin(), words.end(), has_decimal_comma);
    constexpr std::ptrdiff_t fewest = 2;
    if (comma != words.end() && number_in<std::uint64_t>(words.front()) &&
        std::count_if(words.begin(), words.end(), is_number) >= fewest)
      return fmt::format("{}:{}: its numbers have decimal commas ('{}'); write them with points (LC_ALL=C)", file, line,
                         *comma);
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return "";
}

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  const auto second = text.find_first_not_of(" \t\r\n", first + 1);
  if (second == std::string_view::npos || text[second] != '"') return false;
  return !text_of_json_line(text.substr(first, text.find('\n', first) - first));
}

}  // namespace

bool is_foreign(std::string_view text) {
  const bool json = is_json(text);
  return std::any_of(formats.begin(), formats.end(),
                     [&](const Format& each) { return each.is_json == json && each.is_it(text); });
}

std::string read_foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  ForeignRows rows(results, file, text, options);
  const bool json = is_json(text);
  std::string_view tool;
  for (const auto& format : formats) {
    if (format.is_json != json || !format.is_it(text)) continue;
    format.read(rows);
    tool = format.tool;
  }
  const auto refusals = rows.refusals();
  if (rows.size() == 0) {
    if (auto why = why_commas_are_refused(file, text); !why.empty()) return why;
    return refusals.empty() ? fmt::format(
                                  "{}: output of {} without a table of results; give the whole output, with the "
                                  "lines that name the test and the columns",
                                  file, tool)
                            : fmt::format("{}", fmt::join(refusals, "; "));
  }
  for (const auto& guess : rows.guesses()) rows.note(guess);
  for (const auto& refusal : refusals) rows.note(refusal + "; it is left out");
  return "";
}

}  // namespace ringmark::analysis
