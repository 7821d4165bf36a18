#include "analysis/foreign.hpp"

#include <array>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "analysis/foreign_rows.hpp"

namespace ringmark::analysis {
namespace {

struct Format {
  bool (*is_it)(std::string_view text, bool is_json);
  void (*read)(ForeignRows& rows);
};

constexpr std::array formats{
    Format{[](std::string_view text, bool is_json) {
             return is_json && (says(text, "\"nccl_version\"") || says(text, "\"out_of_place\""));
           },
           read_nccl_tests_json},
    Format{[](std::string_view text, bool is_json) { return is_json && says(text, "\"test_info\""); },
           read_perftest_json},
    Format{[](std::string_view text, bool is_json) {
             return !is_json && (says(text, "algbw ") || says(text, "algbw\t")) && says(text, "busbw");
           },
           read_nccl_tests_text},
    Format{[](std::string_view text, bool is_json) { return !is_json && says(text, "# OSU "); }, read_osu},
    Format{[](std::string_view text, bool is_json) {
             return !is_json && (says(text, "MPI Benchmarks") || says(text, "# Benchmarking "));
           },
           read_imb},
    Format{[](std::string_view text, bool is_json) {
             return !is_json && says(text, "#bytes") && says(text, "iterations");
           },
           read_perftest_text}};

bool is_json(std::string_view text) {
  const auto first = text.find_first_not_of(" \t\r\n");
  if (first == std::string_view::npos || text[first] != '{') return false;
  const auto second = text.find_first_not_of(" \t\r\n", first + 1);
  return second != std::string_view::npos && text[second] == '"' && !text.substr(first).starts_with("{\"log\":");
}

}  // namespace

bool is_foreign(std::string_view text) {
  const bool json = is_json(text);
  for (const auto& format : formats) {
    if (format.is_it(text, json)) return true;
  }
  return false;
}

std::string read_foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  ForeignRows rows(results, file, text, options);
  const bool json = is_json(text);
  for (const auto& format : formats) {
    if (format.is_it(text, json)) format.read(rows);
  }
  const auto refusals = rows.refusals();
  if (rows.size() == 0) {
    return refusals.empty() ? fmt::format("{}: there is no row of results", file)
                            : fmt::format("{}", fmt::join(refusals, "; "));
  }
  for (const auto& guess : rows.guesses()) rows.note(guess);
  for (const auto& refusal : refusals) rows.note(refusal + "; it is left out");
  return "";
}

}  // namespace ringmark::analysis
