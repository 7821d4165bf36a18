#include <algorithm>
#include <cmath>
#include <filesystem>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "analysis/foreign.hpp"
#include "analysis/foreign_rows.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

class NcclTests {
 public:
  NcclTests(ForeignRows rows, const ReadOptions& options) : rows_(std::move(rows)), options_(options) {}

  void read_text() {
    struct Found {
      Words words;
      std::size_t line;
      bool both;
    };
    std::vector<Found> found;
    std::optional<Collective> collective;
    std::set<std::string> hosts;
    int ranks = 0;
    bool both = true;
    for (const auto& [line, number] : rows_.whole_lines()) {
      const auto words = words_of(line);
      if (line.starts_with("#")) {
        if (line.find("Collective test starting") != std::string_view::npos) {
          collective = collective_in(line);
          if (!collective)
            throw BadUsage(
                fmt::format("{}:{}: '{}' is no collective that is known here", rows_.file(), number, words.back()));
        }
        if (words.size() > 1 && words[1] == "Rank") count_rank(words, ranks, hosts);
        if (words.size() > 1 && words[1] == "size") both = std::count(words.begin(), words.end(), "busbw") == 2;
        continue;
      }
      constexpr std::size_t fields_before = 5, fields_each = 4;
      const auto wanted = fields_before + fields_each * (both ? 2 : 1);
      // A line with a word in the place of a number, as in a debug log, is no row.
      if (words.size() < 3 || !number_in<std::uint64_t>(words[0]) || !number_in<std::uint64_t>(words[1])) continue;
      if (words.size() < wanted) {
        if (parse_datatype(words[2]))
          rows_.note(fmt::format("{}:{}: left out: a row of {} words where there should be {}", rows_.file(), number,
                                 words.size(), wanted));
        continue;
      }
      found.push_back({{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(wanted)}, number, both});
    }
    if (ranks == 0) ranks = options_.ranks.value_or(0);
    if (ranks == 0) throw BadUsage(fmt::format("{}: it does not list its ranks; say --ranks N", rows_.file()));
    if (!collective) {
      collective = collective_in(std::filesystem::path(rows_.file()).filename().string());
      const char* how = "the file's name";
      if (!collective && !found.empty()) collective = by_factor(found.back().words, ranks), how = "busbw / algbw";
      if (!collective) {
        throw BadUsage(
            fmt::format("{}: it does not say which collective it measured; name the file after it", rows_.file()));
      }
      rows_.note(fmt::format("{}: taken for {}, by {}", rows_.file(), name(*collective), how));
    }
    for (const auto& [words, number, two] : found) {
      for (int in_place = 0; in_place < (two ? 2 : 1); ++in_place) {
        const auto at = static_cast<std::size_t>(5 + 4 * in_place);
        auto row = rows_.row_of(Transport::nccl, *collective, ranks);
        row.nodes = static_cast<int>(hosts.size());
        row.memory = MemoryKind::cuda;
        rows_.set_datatype(row, words[2]);
        rows_.set_op(row, words[3]);
        row.in_place = in_place;
        row.size_bytes = *number_in<std::uint64_t>(words[0]);
        row.count = *number_in<std::uint64_t>(words[1]);
        set_wrong(row, words[at + 3]);
        rows_.add(row, number_in<double>(words[at]), number);
      }
    }
  }

  void read_json() {
    nlohmann::json json;
    try {
      json = nlohmann::json::parse(rows_.text());
      const auto& devices = json.at("config").at("devices");
      const int ranks = static_cast<int>(devices.size());
      std::set<std::string> hosts;
      for (const auto& device : devices) hosts.insert(device.value("hostname", device.value("host", "")));
      if (ranks == 0) throw BadUsage(fmt::format("{}: it lists no device", rows_.file()));
      const auto program = json.at("args").at(0).get<std::string>();
      const auto collective = collective_in(std::filesystem::path(program).filename().string());
      if (!collective) throw BadUsage(fmt::format("{}: '{}' names no collective", rows_.file(), program.substr(0, 40)));
      for (const auto& result : json.at("results")) {
        for (const std::string side : {"out_of_place", "in_place"}) {
          if (!result.contains(side)) continue;
          auto row = rows_.row_of(Transport::nccl, *collective, ranks);
          row.nodes = static_cast<int>(hosts.size());
          row.memory = MemoryKind::cuda;
          rows_.set_datatype(row, result.at("type").get<std::string>());
          rows_.set_op(row, result.at("redop").get<std::string>());
          row.in_place = side == "in_place" ? 1 : 0;
          row.size_bytes = result.at("size").get<std::uint64_t>();
          row.count = result.at("count").get<std::uint64_t>();
          const auto& figures = result.at(side);
          if (const auto wrong = figures.find("nwrong"); wrong != figures.end()) {
            set_wrong(row, wrong->is_string() ? wrong->get<std::string>() : wrong->dump());
          }
          const auto time = figures.find("time");
          rows_.add(row, time != figures.end() && time->is_number() ? std::optional(time->get<double>()) : std::nullopt,
                    1);
        }
      }
    } catch (const nlohmann::json::exception& error) {
      throw BadUsage(fmt::format("{}: not the JSON of nccl-tests: {}", rows_.file(), error.what()));
    }
  }

 private:
  /// "0", "1.2e+06", or "N/A" where nothing was checked.
  static void set_wrong(Record& row, std::string_view text) {
    const auto wrong = number_in<double>(text);
    if (wrong && *wrong >= 0 && *wrong < 1e18) row.wrong_elements = static_cast<std::uint64_t>(*wrong);
    if (wrong || text == "N/A" || text == "null") return;
    row.status = Status::failed;
    row.detail = fmt::format("its number of wrong elements is {}", text.substr(0, 20));
  }

  static void count_rank(const Words& words, int& ranks, std::set<std::string>& hosts) {
    ++ranks;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "on") hosts.emplace(words[i + 1]);
    }
  }

  /// busbw / algbw tells an all_reduce from collectives that move half as much. Several of those share one ratio.
  static std::optional<Collective> by_factor(const Words& words, int ranks) {
    const auto algbw = number_in<double>(words[6]), busbw = number_in<double>(words[7]);
    if (!algbw || !busbw || *algbw <= 0) return std::nullopt;
    // All to all has the factor of all-gather, and rooted and point-to-point tests one of 1.
    const bool is_rooted = words[4] != "-1", reduces = words[3] != "none";
    if (is_rooted || !reduces) return std::nullopt;
    constexpr double close = 0.01;
    for (const auto collective : {Collective::all_reduce, Collective::reduce_scatter}) {
      const double factor = bus_factor(collective, ranks);
      if (std::abs(factor - 1) > 2 * close && std::abs(*busbw / *algbw / factor - 1) < close) return collective;
    }
    return std::nullopt;
  }

  ForeignRows rows_;
  const ReadOptions& options_;
};

}  // namespace

void read_nccl_tests_text(Results& results, const std::string& file, std::string_view text,
                          const ReadOptions& options) {
  NcclTests({results, file, text}, options).read_text();
}

void read_nccl_tests_json(Results& results, const std::string& file, std::string_view text,
                          const ReadOptions& options) {
  NcclTests({results, file, text}, options).read_json();
}

}  // namespace ringmark::analysis
