#include "bench/flags/counts.hpp"

#include <algorithm>
#include <filesystem>
#include <limits>
#include <optional>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"
#include "base/flags/option.hpp"
#include "base/input/input.hpp"

namespace ringmark {
namespace {

/// Maximum bytes in a cell, such that BlockCounts can represent the sum of a matrix for 2048 ranks, the maximum.
constexpr double most_bytes = static_cast<double>((std::size_t{1} << 36U) - 1);

std::vector<std::string> cells_of(std::string_view line) {
  constexpr std::string_view between = ", ;\t\r";
  std::vector<std::string> cells;
  for (auto at = line.find_first_not_of(between); at != std::string_view::npos;
       at = line.find_first_not_of(between, at)) {
    const auto end = std::min(line.find_first_of(between, at), line.size());
    cells.emplace_back(line.substr(at, end - at));
    at = end;
  }
  return cells;
}

std::optional<CountsChoice> read_experts(std::string_view text) {
  const auto parts = split_at_commas(text);
  ExpertCounts counts;
  constexpr int most_experts = 65'536;
  if (parts.size() < 3 || parts.size() > 4) return std::nullopt;
  if (!read_number(parts[0], 1, most_experts, counts.experts)) return std::nullopt;
  if (!read_number(parts[1], 1, counts.experts, counts.per_token)) return std::nullopt;
  if (!read_number(parts[2], std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(), counts.seed))
    return std::nullopt;
  if (parts.size() == 4 && !read_number(parts[3], 0.01, 1e6, counts.capacity)) return std::nullopt;
  return counts;
}

std::optional<CountsChoice> read_distribution(std::string_view text) {
  const auto colon = text.find(':');
  const auto name = text.substr(0, colon);
  const auto rest = colon == std::string_view::npos ? std::string_view() : text.substr(colon + 1);
  if (text == "uniform") return UniformCounts{};
  if (text == "sparse") return SparseCounts{};
  if (text == "incast") return IncastCounts{};
  if (name == "skew") {
    SkewedCounts counts;
    if (read_number(rest, 0.0, 10.0, counts.exponent)) return counts;
  }
  if (name == "experts") return read_experts(rest);
  if (name == "sparse") {
    SparseCounts counts;
    if (read_number(rest, 1, 1'000'000, counts.peers)) return counts;
  }
  if (name == "incast") {
    IncastCounts counts;
    if (read_number(rest, 0, 1'000'000, counts.to)) return counts;
  }
  if (name == "permutation") {
    PermutedCounts counts;
    if (read_number(rest, std::uint64_t{0}, std::numeric_limits<std::uint64_t>::max(), counts.seed)) return counts;
  }
  return std::nullopt;
}

}  // namespace

CountsChoice read_counts(const std::string& text, const std::string& flag) {
  if (auto counts = read_distribution(text)) return *std::move(counts);
  if (!std::filesystem::exists(text))
    throw BadUsage(Problem{.flag = flag,
                           .value = text,
                           .text = "is neither a file nor a distribution",
                           .remedy = fmt::format("give {}", allowed_counts)});
  return read_counts_file(text, flag);
}

CountsFile read_counts_file(const std::string& path, const std::string& flag) {
  const auto text = whole_file(path, fmt::format("{} {}", flag, path));
  CountsFile file;
  file.path = path;
  int number = 0;
  for (std::size_t at = 0; at < text.size();) {
    const auto end = std::min(text.find('\n', at), text.size());
    const auto line = std::string_view(text).substr(at, end - at);
    at = end + 1;
    ++number;
    const auto cells = cells_of(line);
    if (cells.empty() || cells.front().starts_with('#')) continue;
    const auto refuse = [&](std::string value, std::string words) {
      throw BadUsage(
          Problem{.flag = flag, .value = std::move(value), .text = std::move(words), .place = Place{path, number}});
    };
    if (file.rows > 0 && cells.size() != file.columns)
      refuse(std::string(line),
             fmt::format("has {} numbers, but the lines before have {}", cells.size(), file.columns));
    file.columns = cells.size();
    ++file.rows;
    for (const auto& cell : cells) {
      double value = 0;
      if (!read_number(cell, 0.0, most_bytes, value))
        refuse(cell, fmt::format("give a number of bytes from 0 to {:.0f}", most_bytes));
      file.bytes.push_back(static_cast<std::size_t>(value));
    }
  }
  if (file.rows == 0)
    throw BadUsage(Problem{.flag = flag, .value = path, .text = "has no numbers", .remedy = "give one line per rank"});
  return file;
}

}  // namespace ringmark
