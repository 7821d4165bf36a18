#include "results/schema/earlier_rows.hpp"

#include <algorithm>
#include <array>
#include <limits>
#include <string>

#include "base/flags/option.hpp"

namespace ringmark {
namespace {

using Numbers = std::vector<std::uint32_t>;

/// The numbers in place of each '#' of the pattern; empty if the text does not match.
std::optional<Numbers> numbers_in(std::string_view text, std::string_view pattern) {
  Numbers numbers;
  for (const char expected : pattern) {
    if (expected != '#') {
      if (!text.starts_with(expected)) return std::nullopt;
      text.remove_prefix(1);
      continue;
    }
    const auto digits = text.substr(0, text.find_first_not_of("0123456789"));
    if (!read_number<std::uint32_t>(digits, 0, std::numeric_limits<int>::max(), numbers.emplace_back()))
      return std::nullopt;
    text.remove_prefix(digits.size());
  }
  return text.empty() ? std::optional(numbers) : std::nullopt;
}

struct EarlierWords {
  std::string_view pattern;
  Caveat (*caveat)(const Numbers& numbers);
};

/// Texts in existing files. Never change them, even if the programs' own wording changes.
constexpr std::array words{
    EarlierWords{"# ranks share # cores, on which MPI polls: times are the scheduler's as well",
                 [](const Numbers& numbers) -> Caveat {
                   return PollingOnSharedCores{static_cast<int>(numbers[0]), static_cast<int>(numbers[1])};
                 }},
    EarlierWords{"ranks share a GPU: no time of the network", [](const Numbers&) -> Caveat { return SharedGpu{}; }},
    EarlierWords{"# segments were sent again: the network loses some",
                 [](const Numbers& numbers) -> Caveat { return Retransmission{numbers[0]}; }},
    EarlierWords{"its interval is # % wide on each side: its samples scatter",
                 [](const Numbers& numbers) -> Caveat { return WideInterval{static_cast<double>(numbers[0])}; }},
    EarlierWords{"all ranks are on one host of the lab: its loopback, not the lab's links",
                 [](const Numbers&) -> Caveat { return OneLabHost{}; }},
    EarlierWords{"# % of the link's rate: a bucket or buffer takes the bytes at once",
                 [](const Numbers& numbers) -> Caveat { return FasterThanLink{static_cast<double>(numbers[0])}; }}};

std::optional<Caveat> earlier_caveat(std::string_view sentence) {
  for (const auto& each : words) {
    if (const auto numbers = numbers_in(sentence, each.pattern)) return each.caveat(*numbers);
  }
  return std::nullopt;
}

}  // namespace

std::optional<std::uint64_t> earlier_launch(std::string_view run_id) {
  const auto dot = run_id.rfind('.');
  std::uint64_t launch = 0;
  const bool has_launch =
      dot != std::string_view::npos && !run_id.substr(dot + 1).starts_with('0') &&
      read_number<std::uint64_t>(run_id.substr(dot + 1), 1, std::numeric_limits<std::uint64_t>::max(), launch);
  return has_launch ? std::optional(launch) : std::nullopt;
}

std::vector<Caveat> take_earlier_caveats(std::string& detail) {
  constexpr std::string_view between = "; ";
  std::vector<Caveat> caveats;
  std::string kept;
  for (std::size_t begin = 0; begin < detail.size();) {
    const auto end = std::min(detail.find(between, begin), detail.size());
    const auto sentence = detail.substr(begin, end - begin);
    if (const auto caveat = earlier_caveat(sentence)) {
      caveats.push_back(*caveat);
    } else {
      kept += (kept.empty() ? "" : std::string(between)) + sentence;
    }
    begin = end + between.size();
  }
  detail = kept;
  return caveats;
}

void complete_earlier(Record& record) {
  record.launch = earlier_launch(record.run_id);
  record.caveats = take_earlier_caveats(record.detail);
}

}  // namespace ringmark
