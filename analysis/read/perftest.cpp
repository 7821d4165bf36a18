#include <algorithm>
#include <array>
#include <set>
#include <utility>

#include <fmt/format.h>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/perftest_rows.hpp"
#include "analysis/read/torn_rows.hpp"

namespace ringmark::analysis {
namespace {

/// "#bytes", "#iterations", "BW peak[MB/sec]", "t_typical[usec]", …: the words of one column end in its unit.
std::vector<std::string> perftest_columns(std::string_view header) {
  std::vector<std::string> columns;
  std::string column;
  for (const auto word : words_of(header)) {
    column += fmt::format("{}{}", column.empty() ? "" : " ", word);
    if (word.starts_with('#') || word.ends_with(']') || word == "iterations")
      columns.push_back(std::exchange(column, ""));
  }
  if (!column.empty()) columns.push_back(column);
  return columns;
}

/// The value of "Link type       : IB" in a line with one or two of them.
std::string perftest_value(std::string_view line, std::string_view key) {
  const auto at = line.find(key);
  const auto colon = at == std::string_view::npos ? at : line.find(':', at);
  if (colon == std::string_view::npos) return "";
  const auto words = words_of(line.substr(colon + 1));
  return words.empty() ? "" : std::string(words.front());
}

/// "QPN 0x0131 PSN 0xc94686" of an address.
std::string queue_pair_in(std::string_view line) {
  const auto words = words_of(line);
  const auto at = std::find(words.begin(), words.end(), "QPN");
  return words.end() - at > 3 ? fmt::format("{} {}", at[1], at[3]) : "";
}

/// The title by the command: "ib_write_bw -b" is an "RDMA_Write Bidirectional BW Test". Empty if it is not a command of
/// perftest.
std::string title_by_command(std::string_view line) {
  bool adds_directions = false;
  std::string title, kind;
  for (const auto word : words_of(line)) {
    const bool has_letters = word.starts_with('-') && !word.starts_with("--");
    adds_directions = adds_directions || word.starts_with("--bid") || (has_letters && says(word, "b"));
    for (const auto& [program, operation] :
         {std::pair("ib_write_", "RDMA_Write"), std::pair("ib_read_", "RDMA_Read"), std::pair("ib_send_", "Send")}) {
      for (const auto& [end, test] : {std::pair("bw", "BW"), std::pair("lat", "Latency")}) {
        const auto name = std::string(program) + end;
        if (!word.ends_with(name) || (word.size() > name.size() && word[word.size() - name.size() - 1] != '/'))
          continue;
        title = operation;
        kind = test;
        adds_directions = false;
      }
    }
  }
  return title.empty() ? "" : fmt::format("{}{} {} Test", title, adds_directions ? " Bidirectional" : "", kind);
}

/// The memory that a command asks for; empty if it asks for none.
std::string_view memory_by_command(std::string_view line) {
  for (const std::string_view memory : {"cuda", "rocm", "musa", "mlu", "hl", "neuron", "opencl"}) {
    for (const char* flag : {"--use_", "--use-"}) {
      if (says(line, flag + std::string(memory))) return memory;
    }
  }
  return "";
}

/// True for a program of perftest whose test is not read.
bool is_other_program(std::string_view line) {
  const auto words = words_of(line);
  return std::any_of(words.begin(), words.end(), [](std::string_view word) {
    word = word.substr(word.rfind('/') + 1);
    return word.starts_with("ib_atomic_") || word.starts_with("raw_ethernet_");
  });
}

/// The memory of the buffers, if the line states it; empty otherwise.
std::string_view memory_in(std::string_view line) {
  using Said = std::pair<std::string_view, std::string_view>;
  for (const auto& [words, memory] :
       {Said("initializing CUDA", "cuda"), Said("initializing MUSA", "musa"), Said("initializing MLU", "mlu"),
        Said("Using ROCm Device", "rocm"), Said("type CUDA_MEM_MANAGED", "managed"), Said("type CUDA_MEM_HOST", "host"),
        Said("type CUDA_MEM_MALLOC", "host")}) {
    if (says(line, words)) return memory;
  }
  for (const auto& [key, memory] : {Said("Use ROCm memory", "rocm"), Said("Use MUSA memory", "musa")}) {
    if (perftest_value(line, key) == "ON") return memory;
  }
  return "";
}

class Perftest {
 public:
  explicit Perftest(ForeignRows& rows) : rows_(rows) {}

  void read() {
    for (const auto& line : rows_.lines()) {
      const std::string_view text = line.text;
      if (says(text, "#bytes") && says(text, "iterations")) {
        end();
        if (has_rows_) begin_test();
        if (setup_.title.empty()) take_command(line.number);
        command_ = {};
        columns_ = perftest_columns(text.substr(text.find("#bytes")));
        if (line_ == 0) line_ = line.number;
        torn_.begin(columns_.size());
      } else if (begins_table(text)) {
        end();
        columns_.clear();
      } else if (!columns_.empty() && read_row(words_of(text), line.number)) {
        has_rows_ = true;
      } else {
        torn_.other(line);
        read_setup(text, line.number);
      }
    }
    end();
  }

 private:
  void read_setup(std::string_view text, std::size_t line) {
    const auto begin = text.find_first_not_of(" \t");
    if (begin == std::string_view::npos) return;
    if (const auto title = title_by_command(text); !title.empty() || is_other_program(text))
      command_ = {title, std::string(text)};
    const auto words = text.substr(begin);
    const bool is_title =
        words.ends_with(" Test") && (says(words, "BW") || says(words, "Latency")) && !says(words, "# ");
    const bool is_gpu = says(words, "initializing ") || says(words, "Picking device No.");
    // Lines of the GPU's driver come before the title.
    if ((is_title || is_gpu) && (has_rows_ || (is_title && !setup_.title.empty()))) begin_test();
    if (const auto memory = memory_in(words); !memory.empty()) setup_.memory = memory;
    if (is_title) {
      setup_.title = words;
      line_ = line;
    }
    if (says(text, "local address:")) local_ = queue_pair_in(text);
    if (says(text, "remote address:")) remote_ = queue_pair_in(text);
    if (const auto value = perftest_value(text, "Link type"); !value.empty()) setup_.link_type = value;
    if (const auto value = perftest_value(text, "Transport type"); !value.empty()) setup_.transport_type = value;
    if (const auto value = perftest_value(text, "Connection type"); !value.empty()) setup_.connection = value;
    if (perftest_value(text, "Dual-port") == "ON") setup_.has_two_ports = true;
    if (const auto value = number_in<int>(perftest_value(text, "Number of qps"))) setup_.queue_pairs = *value;
  }

  /// For an excerpt without the lines above the table.
  void take_command(std::size_t line) {
    if (command_.first.empty()) return;
    setup_.title = command_.first;
    const auto& text = command_.second;
    if (const auto memory = memory_by_command(text); !memory.empty()) setup_.memory = memory;
    setup_.has_two_ports |= says(text, " -O") || says(text, "--dualport");
    rows_.guess(line, fmt::format("assumed to be a '{}', from the command above it", setup_.title));
  }

  void end() {
    if (const auto why = torn_.end(); !why.empty()) refuse(why);
  }

  void refuse(const std::string& why) {
    if (!is_refused_) rows_.refuse(line_, why);
    is_refused_ = true;
    torn_.drop();
  }

  void begin_test() {
    end();
    setup_ = {};
    columns_.clear();
    has_rows_ = is_refused_ = is_begun_ = false;
    line_ = 0;
    local_.clear();
    remote_.clear();
  }

  std::optional<double> figure(const Words& words, std::string_view column) const {
    return figure_below(column, columns_, words);
  }

  /// perftest's MB are 2^20 bytes.
  std::optional<double> bandwidth_GBps(const Words& words) const {
    constexpr double mebibyte = 1048576, gigabit = 125'000'000;
    constexpr std::array<std::pair<std::string_view, double>, 3> units{
        {{"BW average[MB/sec]", mebibyte}, {"BW average[MiB/sec]", mebibyte}, {"BW average[Gb/sec]", gigabit}}};
    for (const auto& [column, bytes] : units) {
      if (const auto value = figure(words, column)) return *value * bytes / 1e9;
    }
    return std::nullopt;
  }

  bool read_row(const Words& words, std::size_t line) {
    // --cpu_util and the like add words whose columns follow those of all tests.
    if (words.size() < 3 || words.size() + 1 < columns_.size()) return false;
    const auto bytes = number_in<std::uint64_t>(words[0]);
    const auto iterations = number_in<std::uint64_t>(words[1]);
    if (!bytes || !iterations || words.size() < columns_.size() || !are_numbers(words)) return false;
    if (is_refused_) return true;
    auto why = why_no_link(setup_);
    PerftestRow row{.bytes = *bytes, .iterations = *iterations, .GBps = bandwidth_GBps(words), .line = line};
    row.typical_us = figure(words, "t_typical[usec]");
    row.least_us = figure(words, "t_min[usec]");
    row.most_us = figure(words, "t_max[usec]");
    row.average_us = figure(words, "t_avg[usec]");
    row.p99_us = figure(words, "99% percentile[usec]");
    if (why.empty() && !row.GBps && !row.typical_us && !row.average_us)
      why = "its columns have neither the average bandwidth nor the time";
    if (!why.empty()) {
      refuse(why);
      return true;
    }
    if (!is_begun_) {
      if (!local_.empty() && seen_.contains({remote_, local_})) {
        rows_.note(fmt::format("{}: left out: the other end's report of the same test", rows_.at(line_)));
        is_refused_ = true;
        torn_.drop();
        return true;
      }
      seen_.emplace(local_, remote_);
      rows_.begin_launch(line_);
    }
    is_begun_ = true;
    torn_.row(*bytes);
    add_perftest_row(rows_, setup_, row);
    return true;
  }

  ForeignRows& rows_;
  TornRows torn_{rows_};
  PerftestSetup setup_;
  std::vector<std::string> columns_;
  bool has_rows_ = false, is_refused_ = false, is_begun_ = false;
  std::size_t line_ = 0;
  std::string local_, remote_;
  std::pair<std::string, std::string> command_;         ///< the title that it means, and its line
  std::set<std::pair<std::string, std::string>> seen_;  ///< ends of the tests so far, the one that reports first
};

}  // namespace

void read_perftest_text(ForeignRows& rows) { Perftest(rows).read(); }

}  // namespace ringmark::analysis
