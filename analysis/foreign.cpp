#include "analysis/foreign.hpp"

namespace ringmark::analysis {
namespace {

bool says(std::string_view text, std::string_view words) { return text.find(words) != std::string_view::npos; }

enum class Format { none, nccl_tests_text, nccl_tests_json, osu, imb };

Format format_of(std::string_view text) {
  constexpr std::size_t enough = 64 * 1024;
  const auto begin = text.substr(0, enough);
  const auto first = begin.find_first_not_of(" \t\r\n");
  if (first != std::string_view::npos && begin[first] == '{') {
    return says(begin, "\"nccl_version\"") || says(text, "\"out_of_place\"") ? Format::nccl_tests_json : Format::none;
  }
  if (says(begin, "# OSU ")) return Format::osu;
  if (says(begin, "MPI Benchmarks") || says(begin, "# Benchmarking ")) return Format::imb;
  return says(begin, "busbw") && says(begin, "algbw") && says(begin, "#") ? Format::nccl_tests_text : Format::none;
}

}  // namespace

bool is_foreign(std::string_view text) { return format_of(text) != Format::none; }

void read_foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  switch (format_of(text)) {
    case Format::nccl_tests_text:
      return read_nccl_tests_text(results, file, text, options);
    case Format::nccl_tests_json:
      return read_nccl_tests_json(results, file, text, options);
    case Format::osu:
      return read_osu(results, file, text, options);
    case Format::imb:
      return read_imb(results, file, text, options);
    case Format::none:
      break;
  }
}

}  // namespace ringmark::analysis
