#include "analysis/foreign.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <map>
#include <set>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "transports/errors.hpp"
#include "transports/operation.hpp"

namespace ringmark::analysis {
namespace {

using Words = std::vector<std::string_view>;

struct Line {
  std::string_view text;
  std::size_t number;
};

std::vector<Line> lines_of(std::string_view text) {
  std::vector<Line> lines;
  for (std::size_t number = 1; !text.empty(); ++number) {
    const auto end = std::min(text.find('\n'), text.size());
    auto line = text.substr(0, end);
    if (line.ends_with('\r')) line.remove_suffix(1);
    lines.push_back({line, number});
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return lines;
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

template <class Number>
std::optional<Number> number_in(std::string_view word) {
  Number value{};
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
  if constexpr (std::is_floating_point_v<Number>) {
    if (!std::isfinite(value)) return std::nullopt;
  }
  return value;
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

/// The collective that a name speaks of, the longest if several do: "reduce_scatter" is no "reduce".
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

/// The collective of exactly that name: "Allgatherv" is none of ours.
std::optional<Collective> collective_called(std::string_view word) {
  const auto letters = letters_of(word);
  if (letters == "bcast") return Collective::broadcast;
  for (const auto collective : all_collectives()) {
    if (letters_of(name(collective)) == letters) return collective;
  }
  return std::nullopt;
}

bool has_block_per_rank(Collective collective) {
  return collective == Collective::all_gather || collective == Collective::reduce_scatter ||
         collective == Collective::all_to_all;
}

class Foreign {
 public:
  Foreign(Results& results, const std::string& file, std::string_view text, const ReadOptions& options)
      : results_(results), file_(file), text_(text), options_(options) {}

  void nccl_tests_text() {
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
    for (const auto& [line, number] : whole_lines()) {
      const auto words = words_of(line);
      if (line.starts_with("#")) {
        if (line.find("Collective test starting") != std::string_view::npos) {
          collective = collective_in(line);
          if (!collective)
            throw BadUsage(fmt::format("{}:{}: a test of no collective that is known here", file_, number));
        }
        if (words.size() > 1 && words[1] == "Rank") count_rank(words, ranks, hosts);
        if (words.size() > 1 && words[1] == "size") both = std::count(words.begin(), words.end(), "busbw") == 2;
        continue;
      }
      constexpr std::size_t fields_before = 5, fields_each = 4;
      const auto wanted = fields_before + fields_each * (both ? 2 : 1);
      // A word that stands for a number, as in a line of a debug log, is no row.
      if (words.size() < wanted || !number_in<std::uint64_t>(words[0]) || !number_in<std::uint64_t>(words[1])) continue;
      found.push_back({{words.begin(), words.begin() + static_cast<std::ptrdiff_t>(wanted)}, number, both});
    }
    if (ranks == 0) ranks = options_.ranks.value_or(0);
    if (ranks == 0) throw BadUsage(fmt::format("{}: it does not list its ranks; say --ranks N", file_));
    if (!collective) {
      collective = collective_in(std::filesystem::path(file_).filename().string());
      const char* how = "the file's name";
      if (!collective && !found.empty()) collective = by_factor(found.back().words, ranks), how = "busbw / algbw";
      if (!collective) {
        throw BadUsage(fmt::format("{}: it does not say which collective it measured; name the file after it", file_));
      }
      results_.notes.push_back(fmt::format("{}: taken for {}, by {}", file_, name(*collective), how));
    }
    for (const auto& [words, number, two] : found) {
      for (int in_place = 0; in_place < (two ? 2 : 1); ++in_place) {
        const auto at = static_cast<std::size_t>(5 + 4 * in_place);
        auto row = row_of("nccl", *collective, ranks);
        row.nodes = static_cast<int>(hosts.size());
        row.memory = "cuda";
        row.datatype = spelled(words[2]);
        row.op = words[3] == "none" ? "" : words[3];
        row.in_place = in_place;
        row.size_bytes = *number_in<std::uint64_t>(words[0]);
        row.count = *number_in<std::uint64_t>(words[1]);
        set_wrong(row, words[at + 3]);
        add(row, number_in<double>(words[at]), number);
      }
    }
  }

  void nccl_tests_json() {
    nlohmann::json json;
    try {
      json = nlohmann::json::parse(text_);
      const auto& devices = json.at("config").at("devices");
      const int ranks = static_cast<int>(devices.size());
      std::set<std::string> hosts;
      for (const auto& device : devices) hosts.insert(device.value("hostname", device.value("host", "")));
      if (ranks == 0) throw BadUsage(fmt::format("{}: it lists no device", file_));
      const auto program = json.at("args").at(0).get<std::string>();
      const auto collective = collective_in(std::filesystem::path(program).filename().string());
      if (!collective) throw BadUsage(fmt::format("{}: '{}' names no collective", file_, program.substr(0, 40)));
      for (const auto& result : json.at("results")) {
        for (const std::string side : {"out_of_place", "in_place"}) {
          if (!result.contains(side)) continue;
          auto row = row_of("nccl", *collective, ranks);
          row.nodes = static_cast<int>(hosts.size());
          row.memory = "cuda";
          row.datatype = spelled(result.at("type").get<std::string>());
          row.op = result.at("redop").get<std::string>();
          if (row.op == "none") row.op.clear();
          row.in_place = side == "in_place" ? 1 : 0;
          row.size_bytes = result.at("size").get<std::uint64_t>();
          row.count = result.at("count").get<std::uint64_t>();
          const auto& figures = result.at(side);
          if (const auto wrong = figures.find("nwrong"); wrong != figures.end()) {
            set_wrong(row, wrong->is_string() ? wrong->get<std::string>() : wrong->dump());
          }
          const auto time = figures.find("time");
          add(row, time != figures.end() && time->is_number() ? std::optional(time->get<double>()) : std::nullopt, 1);
        }
      }
    } catch (const nlohmann::json::exception& error) {
      throw BadUsage(fmt::format("{}: not the JSON of nccl-tests: {}", file_, error.what()));
    }
  }

  void osu() {
    std::optional<Collective> collective;
    std::string other;
    bool over_nccl = false;
    for (const auto& [line, number] : whole_lines()) {
      if (line.starts_with("#")) {
        if (const auto words = words_of(line); words.size() > 3 && words[1] == "OSU") {
          collective = collective_called(words[3]);
          other = words[3];
          over_nccl = words[2] == "NCCL";
        }
        if (line.starts_with("# Size") && line.find("Avg Latency(us)") != line.find_first_not_of(' ', 6)) {
          throw BadUsage(fmt::format("{}:{}: its first figure is not the average latency of a blocking collective",
                                     file_, number));
        }
        continue;
      }
      const auto words = words_of(line);
      if (words.size() < 2 || !number_in<std::uint64_t>(words[0])) continue;
      if (!collective) {
        const auto why = other.empty() ? "no line above says which collective this is"
                                       : fmt::format("'{}' is no collective that is known here", other);
        throw BadUsage(fmt::format("{}:{}: {}", file_, number, why));
      }
      if (!options_.ranks)
        throw BadUsage(fmt::format("{}: OSU does not write how many ranks there were; say --ranks N", file_));
      add_mpi(*collective, *options_.ranks, *number_in<std::uint64_t>(words[0]), number_in<double>(words[1]), {}, {},
              number, over_nccl);
    }
  }

  void imb() {
    std::optional<Collective> collective;
    std::string other;
    std::map<std::string, int> left_out;
    int ranks = 0;
    bool is_known = false;
    for (const auto& [line, number] : whole_lines()) {
      const auto words = words_of(line);
      if (!words.empty() && words[0].starts_with('#')) {
        if (words.size() > 2 && words[1] == "Benchmarking")
          collective = collective_called(words[2]), other = words[2], ranks = 0;
        if (words.size() > 1 && words[0] == "#bytes") {
          is_known =
              line.find("t_min[usec]") != std::string_view::npos && words.size() > 4 && words[4] == "t_avg[usec]";
        }
        const auto processes = std::find(words.begin(), words.end(), "#processes");
        if (words.end() - processes > 2) ranks = number_in<int>(processes[2]).value_or(0);
        continue;
      }
      if (words.size() < 5) continue;
      const auto bytes = number_in<std::uint64_t>(words[0]);
      if (!bytes || !number_in<std::uint64_t>(words[1])) continue;
      if (ranks < 1) throw BadUsage(fmt::format("{}:{}: no line above says #processes", file_, number));
      if (!is_known) throw BadUsage(fmt::format("{}:{}: its columns are not t_min, t_max, t_avg", file_, number));
      if (!collective) {
        ++left_out[other];
        continue;
      }
      add_mpi(*collective, ranks, *bytes, number_in<double>(words[4]), number_in<double>(words[2]),
              number_in<double>(words[3]), number);
    }
    for (const auto& [what, rows] : left_out)
      results_.notes.push_back(fmt::format("{}: left out: {} rows of {}, which is not known here", file_, rows, what));
  }

 private:
  /// What a writer that was stopped left of a number is another number.
  std::vector<Line> whole_lines() {
    auto lines = lines_of(text_);
    if (lines.empty() || text_.ends_with('\n')) return lines;
    const auto first = lines.back().text.find_first_not_of(" \t");
    if (first == std::string_view::npos || std::isdigit(static_cast<unsigned char>(lines.back().text[first])) == 0)
      return lines;
    results_.notes.push_back(fmt::format("{}:{}: the last line does not end, and may be cut off; it is left out", file_,
                                         lines.back().number));
    lines.pop_back();
    return lines;
  }

  Record row_of(std::string transport, Collective collective, int ranks) const {
    Record row;
    row.run_id = file_;
    row.transport = std::move(transport);
    row.algorithm = "auto";
    row.collective = name(collective);
    row.timing = "batch";
    row.ranks = ranks;
    row.samples = 1;
    row.status = "ok";
    return row;
  }

  void add_mpi(Collective collective, int ranks, std::uint64_t bytes, std::optional<double> time_us,
               std::optional<double> least, std::optional<double> most, std::size_t line, bool over_nccl = false) {
    if (ranks < 1 || bytes > (std::uint64_t{1} << 50)) throw BadUsage(fmt::format("{}:{}: no such size", file_, line));
    auto row = row_of(over_nccl ? "nccl" : "mpi", collective, ranks);
    row.memory = over_nccl ? "cuda" : "host";
    row.datatype = "float32";
    row.op = reduces(collective) ? "sum" : "";
    // These tools give what one rank contributes, except for reduce_scatter.
    const bool times_ranks = has_block_per_rank(collective) && collective != Collective::reduce_scatter;
    row.size_bytes = times_ranks ? bytes * static_cast<std::uint64_t>(ranks) : bytes;
    row.time_us_min = least;
    row.time_us_max = most;
    add(row, time_us, line);
  }

  void add(Record& row, std::optional<double> time_us, std::size_t line) {
    if (!time_us || *time_us <= 0) {
      row.status = "failed";
      row.detail = "the file has no time for it";
    } else {
      row.time_us_p50 = row.time_us_mean = *time_us;
      row.algbw_GBps = static_cast<double>(row.size_bytes) / *time_us / 1e3;
      row.busbw_GBps = *row.algbw_GBps * bus_factor(*parse_collective(row.collective), row.ranks);
      if (row.wrong_elements.value_or(0) > 0) row.status = "wrong";
      if (!unread_wrong_.empty()) {
        row.status = "failed";
        row.detail = "its number of wrong elements is " + unread_wrong_;
      }
    }
    results_.table.add(row, file_, line);
  }

  /// "0", "1.2e+06", or "N/A" where nothing was checked.
  void set_wrong(Record& row, std::string_view text) {
    const auto wrong = number_in<double>(text);
    unread_wrong_ = wrong || text == "N/A" || text == "null" ? "" : std::string(text.substr(0, 20));
    if (wrong && *wrong >= 0 && *wrong < 1e18) row.wrong_elements = static_cast<std::uint64_t>(*wrong);
  }

  static void count_rank(const Words& words, int& ranks, std::set<std::string>& hosts) {
    ++ranks;
    for (std::size_t i = 0; i + 1 < words.size(); ++i) {
      if (words[i] == "on") hosts.emplace(words[i + 1]);
    }
  }

  static std::string spelled(std::string_view type) {
    const auto known = parse_datatype(type);
    return known ? std::string(name(*known)) : std::string(type);
  }

  /// busbw / algbw tells an all_reduce from what moves half as much; where several collectives have it, nothing does.
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

  Results& results_;
  const std::string& file_;
  std::string_view text_;
  const ReadOptions& options_;
  std::string unread_wrong_;  ///< of the row that is being read
};

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
  Foreign reader(results, file, text, options);
  switch (format_of(text)) {
    case Format::nccl_tests_text:
      return reader.nccl_tests_text();
    case Format::nccl_tests_json:
      return reader.nccl_tests_json();
    case Format::osu:
      return reader.osu();
    case Format::imb:
      return reader.imb();
    case Format::none:
      break;
  }
}

}  // namespace ringmark::analysis
