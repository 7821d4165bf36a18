#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include <fmt/format.h>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/mpi_rows.hpp"
#include "analysis/read/torn_rows.hpp"
#include "base/text/spelling.hpp"

namespace ringmark::analysis {
namespace {

/// "# OSU MPI-CUDA Allreduce Latency Test v7.4"
struct OsuTitle {
  std::string library, memory, benchmark;
  std::string whole;  ///< what was measured, in the tool's words: "Multi Latency"
  std::optional<double> version;
};

OsuTitle osu_title(const Words& words) {
  OsuTitle title;
  const auto library = words[1];
  const auto dash = std::min(library.find('-'), library.size());
  title.library = library.substr(0, dash);
  title.memory = "host";
  if (dash < library.size()) {
    title.memory = library.substr(dash + 1);
    for (char& c : title.memory) c = static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  }
  if (title.library == "NCCL" && dash == library.size()) title.memory = "cuda";
  for (std::size_t i = 2; i < words.size() && words[i] != "Latency" && words[i] != "Test"; ++i) {
    if (words[i] == "MANAGED") {
      title.memory = "managed";
    } else {
      title.benchmark += fmt::format("{}{}", title.benchmark.empty() ? "" : " ", words[i]);
    }
  }
  for (std::size_t i = 2; i < words.size() && words[i] != "Test" && !words[i].starts_with("v"); ++i)
    title.whole += fmt::format("{}{}", title.whole.empty() ? "" : " ", words[i]);
  if (words.back().starts_with('v')) {
    const auto number = words.back().substr(1);
    title.version = number_in<double>(number.substr(0, number.find('.', number.find('.') + 1)));
  }
  return title;
}

/// "All-to-All Personalized Exchange" is an all_to_all. Every other word makes it another benchmark.
std::optional<Collective> osu_collective(const std::string& benchmark) {
  constexpr std::string_view exchange = " Personalized Exchange";
  return collective_called(benchmark.ends_with(exchange) ? benchmark.substr(0, benchmark.size() - exchange.size())
                                                         : benchmark);
}

/// "Size", "Avg Latency(us)", …, "Validation": the words of one column end in its unit.
std::vector<std::string> osu_columns(std::string_view header) {
  std::vector<std::string> columns;
  std::string column;
  for (const auto word : words_of(without_hash(header))) {
    column += fmt::format("{}{}", column.empty() ? "" : " ", word);
    const bool is_end =
        word.ends_with(')') || word.ends_with("/s") || word == "Size" || word == "Iterations" || word == "Validation";
    if (is_end) columns.push_back(std::exchange(column, ""));
  }
  if (!column.empty()) columns.push_back(column);
  return columns;
}

/// The reason why a benchmark is not one of the collectives that are read.
std::string_view why_not_read(const OsuTitle& title) {
  constexpr std::string_view links = "it measures a link; give results of perftest or ringmark-link";
  const auto name = letters_of(title.benchmark);
  if (name.starts_with("nonblocking")) return "non-blocking collectives overlap with computation";
  if (name.find("persistent") != std::string::npos) return "persistent collectives are not supported";
  for (const std::string_view link :
       {"bandwidth", "bibandwidth", "multiplebandwidth", "bidirectionalbandwidth", "multi", "multipair",
        "multithreaded", "put", "get", "accumulate", "atomics", "mpiput"}) {
    if (name.starts_with(link)) return links;
  }
  if (name.empty()) return links;
  if (name.ends_with("v") || name.ends_with("w") || name.find("allv") != std::string::npos ||
      name.find("allw") != std::string::npos)
    return "its blocks are of unequal sizes, which its rows do not show";
  return "Ringmark has no such collective";
}

class Osu {
 public:
  explicit Osu(ForeignRows& rows) : rows_(rows) {}

  void read() {
    for (const auto& line : rows_.lines()) {
      const auto words = words_of(without_hash(line.text));
      if (words.size() > 2 && is_title_of_osu(line.text)) {
        begin(words, line.number);
      } else if (is_in_table_ && begins_table(line.text)) {
        end();
        is_in_table_ = false;
      } else if (is_in_table_ && words.size() > 1 && words[0] == "Datatype:") {
        datatype_ = type_called(words[1]);
      } else if (is_in_table_ && words.size() > 1 && words[0] == "Size") {
        columns_ = osu_columns(line.text);
        const bool has_check = std::find(columns_.begin(), columns_.end(), "Validation") != columns_.end();
        if (!is_refused_) torn_.begin(columns_.size(), has_check ? 1 : 0);
      } else if (is_in_table_ && !columns_.empty()) {
        if (!is_row(words)) {
          torn_.other(line);
        } else if (!is_refused_) {
          read_row(words, line.number);
        }
      } else if (is_in_table_ && columns_.empty() && words.size() > 1 && are_numbers(words)) {
        refuse("the line that names its columns, '# Size  Avg Latency(us)', is missing");
      }
    }
    end();
  }

 private:
  void end() {
    if (const auto why = torn_.end(); !why.empty()) refuse(why);
  }

  void begin(const Words& words, std::size_t line) {
    end();
    title_ = osu_title(words);
    columns_.clear();
    datatype_.clear();
    is_in_table_ = true;
    is_refused_ = is_begun_ = false;
    begin_line_ = line;
    collective_ = osu_collective(title_.benchmark);
    if (title_.library != "MPI" && title_.library != "NCCL") {
      refuse(fmt::format("OSU's {} benchmarks are not read, only collectives over MPI and NCCL", title_.library));
    } else if (title_.benchmark == "Barrier") {
      refuse("OSU's Barrier moves no bytes, and Ringmark does not measure barriers");
    } else if (!collective_) {
      refuse(fmt::format("OSU's '{}' is not read: {}", title_.whole, why_not_read(title_)));
    }
    // Before 7.1 the types are fixed, and not written.
    constexpr double first_with_types = 7.1;
    if (collective_ && title_.version && *title_.version < first_with_types)
      datatype_ = name(reduces(*collective_) ? DataType::float32 : DataType::int8);
  }

  void refuse(const std::string& why) {
    if (!is_refused_) rows_.refuse(begin_line_, why);
    is_refused_ = true;
    torn_.drop();
  }

  std::optional<double> figure(const Words& words, std::string_view column) const {
    return figure_below(column, columns_, words);
  }

  void read_row(const Words& words, std::size_t line) {
    constexpr std::array<std::string_view, 4> averages{"Avg Latency(us)", "Avg Lat(us)", "Latency(us)", "Latency (us)"};
    const bool is_average = columns_.size() > 1 && std::count(averages.begin(), averages.end(), columns_[1]) > 0;
    if (!is_average) {
      return refuse(fmt::format("its second column is '{}', but OSU's blocking collectives have 'Avg Latency(us)'",
                                columns_.size() > 1 ? columns_[1] : ""));
    }
    if (!rows_.options().ranks) return refuse("OSU does not print the number of ranks; give --ranks N");
    if (!is_begun_) rows_.begin_launch(begin_line_);
    is_begun_ = true;
    MpiRow row;
    row.transport = title_.library == "NCCL" ? Transport::nccl : Transport::mpi;
    row.collective = *collective_;
    row.ranks = *rows_.options().ranks;
    row.bytes = number_in<std::uint64_t>(words[0]).value_or(0);
    row.datatype = datatype_;
    row.memory = title_.memory;
    row.time_us = number_in<double>(words[1]);
    row.least_us = figure(words, "Min Latency(us)");
    row.most_us = figure(words, "Max Latency(us)");
    row.is_right = validation(words);
    row.line = line;
    torn_.row(row.bytes);
    add_mpi_row(rows_, row);
  }

  /// False for other programs' lines below a table: "304 atoms".
  bool is_row(const Words& words) const {
    if (words.size() != columns_.size() || !number_in<std::uint64_t>(words[0])) return false;
    for (std::size_t i = 1; i < words.size(); ++i) {
      if (columns_[i] != "Validation" && !number_in<double>(words[i])) return false;
    }
    return true;
  }

  std::optional<bool> validation(const Words& words) const {
    const auto column = std::find(columns_.begin(), columns_.end(), "Validation");
    if (column == columns_.end()) return std::nullopt;
    const auto word = words[static_cast<std::size_t>(column - columns_.begin())];
    return word == "Pass" ? std::optional(true) : word == "Fail" ? std::optional(false) : std::nullopt;
  }

  ForeignRows& rows_;
  TornRows torn_{rows_};
  OsuTitle title_;
  std::optional<Collective> collective_;
  std::string datatype_;
  std::vector<std::string> columns_;
  bool is_in_table_ = false, is_refused_ = false, is_begun_ = false;
  std::size_t begin_line_ = 0;
};

}  // namespace

void read_osu(ForeignRows& rows) { Osu(rows).read(); }

}  // namespace ringmark::analysis
