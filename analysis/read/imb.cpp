#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/mpi_rows.hpp"
#include "analysis/read/torn_rows.hpp"

namespace ringmark::analysis {
namespace {

class Imb {
 public:
  explicit Imb(ForeignRows& rows) : rows_(rows) {}

  void read() {
    for (const auto& line : rows_.lines()) {
      const auto words = words_of(without_hash(line.text));
      if (words.empty()) continue;
      if (words[0] == "bytes" && words.size() > 1 && (words[1] == "#repetitions" || words[1] == "repetitions")) {
        end();
        columns_.assign(words.begin(), words.end());
        if (collective_ && !is_refused_) torn_.begin(columns_.size());
      } else if (!is_row(words)) {
        if (begins_table(line.text)) end();
        if (!says_why_no_row(line.text)) torn_.other(line);
        read_header(line.text, words, line.number);
      } else if (words.size() == columns_.size() && are_numbers(words)) {
        read_row(words, line.number);
      } else if (columns_.empty() && !called_.empty()) {
        refuse("the line that names its columns, '#bytes #repetitions t_min[usec] ...', is missing");
      } else {
        torn_.other(line);
      }
    }
    end();
    for (const auto& [called, left_out] : left_out_) {
      rows_.refuse(left_out.line, fmt::format("IMB's {} ({} rows) is not read: only blocking collectives with blocks "
                                              "of equal size are; ringmark-link and perftest measure links",
                                              called, left_out.rows));
    }
  }

 private:
  static bool is_row(const Words& words) {
    return words.size() > 2 && number_in<std::uint64_t>(words[0]) && number_in<std::uint64_t>(words[1]) &&
           number_in<double>(words[2]);
  }

  /// "2097152            0 out-of-mem.; needed X=  0.010 GB", printed instead of a row.
  static bool says_why_no_row(std::string_view line) { return says(line, "out-of-mem.") || says(line, "time-out."); }

  /// The last word, except the row number that a spreadsheet may have added.
  static std::string_view last_name_in(const Words& words) {
    return words.size() > 1 && number_in<int>(words.back()) ? words[words.size() - 2] : words.back();
  }

  void read_header(std::string_view line, const Words& words, std::size_t number) {
    if (says(line, "MPI Benchmarks")) {
      is_new_ = true;
      memory_ = "host";
      data_type_ = name(DataType::uint8);
      reduction_type_ = name(DataType::float32);
      reduce_op_ = name(ReduceOp::sum);
    }
    if (words[0] == "MPI_Op") reduce_op_ = op_called(last_name_in(words));
    if (says(line, "MPI_Datatype for reductions")) {
      reduction_type_ = type_called(last_name_in(words));
    } else if (says(line, "MPI_Datatype")) {
      data_type_ = type_called(last_name_in(words));
    }
    if (begins_table(line)) called_.clear(), columns_.clear();  // another tool's, unless the title is below
    // IMB-MPI1-GPU's default since 2021.3; no line names the GPU's kind.
    const auto is_for_gpus = [](std::string_view word) { return says(word, "IMB-") && word.ends_with("-GPU"); };
    if (std::any_of(words.begin(), words.end(), is_for_gpus)) memory_ = "device";
    const auto option = std::find(words.begin(), words.end(), "-mem_alloc_type");
    if (words.end() - option > 1) memory_ = option[1] == "cpu" ? "host" : std::string(option[1]);
    if (is_title_of_imb(line)) {
      called_ = words[1];
      constexpr std::string_view several_groups = "Multi-";
      const auto single = words[1].substr(words[1].starts_with(several_groups) ? several_groups.size() : 0);
      collective_ = collective_called(single);
      counts_blocks_ = collective_ == Collective::reduce_scatter && single != "Reduce_scatter";
      ranks_ = 0;
      groups_ = 1;
      is_refused_ = false;
      columns_.clear();
      line_ = number;
      const bool has_mode = words.size() > 2 && last_name_in(words) != words[1];
      if (has_mode && collective_) called_ += fmt::format(" {}", words[2]), collective_.reset();
      if (std::find(words.begin(), words.end(), "#repetitions") != words.end())
        refuse("its rows begin with names of benchmarks, which IMB does not print; give IMB's own output");
    }
    const auto is_processes = [](std::string_view word) { return word == "#processes" || word == "processes"; };
    const auto processes = std::find_if(words.begin(), words.end(), is_processes);
    if (words.end() - processes > 2 && processes[1] == "=") ranks_ = number_in<int>(processes[2]).value_or(0);
    if (says(line, "groups of")) {
      const auto of = std::find(words.begin(), words.end(), "groups");
      if (of != words.begin() && of != words.end()) groups_ = number_in<int>(of[-1]).value_or(1);
    }
  }

  void end() {
    if (const auto why = torn_.end(); !why.empty()) refuse(why);
  }

  void refuse(const std::string& why) {
    if (!is_refused_) rows_.refuse(line_, why);
    is_refused_ = true;
    torn_.drop();
  }

  std::optional<double> figure(const Words& words, std::string_view column) const {
    return figure_below(column, columns_, words);
  }

  void read_row(const Words& words, std::size_t line) {
    const auto bytes = number_in<std::uint64_t>(words[0]);
    if (!bytes || is_refused_) return;
    if (line_ == 0) line_ = line;
    if (!collective_) {
      if (called_.empty()) return refuse("no line above names the benchmark");
      ++left_out_.try_emplace(called_, LeftOut{line_, 0}).first->second.rows;
      return;
    }
    if (groups_ > 1) return refuse(fmt::format("{} ran in {} concurrent groups (-multi)", called_, groups_));
    if (ranks_ < 1) return refuse("no line above gives #processes");
    const auto average = figure(words, "t_avg[usec]");
    if (!figure(words, "t_min[usec]") || !average) return refuse("its columns are not t_min, t_max, t_avg");
    if (is_new_) rows_.begin_launch(line_);
    is_new_ = false;
    MpiRow row;
    row.collective = *collective_;
    row.ranks = ranks_;
    row.bytes = *bytes;
    row.counts_blocks = counts_blocks_;
    row.op = reduce_op_;
    row.datatype = reduces(*collective_) ? reduction_type_ : data_type_;
    row.memory = memory_;
    row.time_us = average;
    row.least_us = figure(words, "t_min[usec]");
    row.most_us = figure(words, "t_max[usec]");
    if (const auto defects = figure(words, "defects")) row.is_right = *defects == 0;
    row.line = line;
    torn_.row(*bytes);
    add_mpi_row(rows_, row);
  }

  struct LeftOut {
    std::size_t line;
    int rows;
  };

  ForeignRows& rows_;
  TornRows torn_{rows_};
  std::map<std::string, LeftOut> left_out_;  ///< benchmarks that are not known, by name
  std::string called_, memory_ = "host";
  /// Without -data_type all versions send bytes and reduce floats.
  std::string data_type_ = std::string(name(DataType::uint8)), reduction_type_ = std::string(name(DataType::float32));
  std::string reduce_op_ = std::string(name(ReduceOp::sum));
  std::optional<Collective> collective_;
  std::vector<std::string> columns_;
  int ranks_ = 0, groups_ = 1;
  bool is_refused_ = false, is_new_ = true, counts_blocks_ = false;
  std::size_t line_ = 0;
};

}  // namespace

void read_imb(ForeignRows& rows) { Imb(rows).read(); }

}  // namespace ringmark::analysis
