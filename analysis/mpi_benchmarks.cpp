#include <algorithm>
#include <array>
#include <map>

#include <fmt/format.h>

#include "analysis/foreign.hpp"
#include "analysis/foreign_rows.hpp"
#include "base/errors.hpp"

namespace ringmark::analysis {
namespace {

class MpiBenchmarks {
 public:
  MpiBenchmarks(ForeignRows rows, const ReadOptions& options) : rows_(std::move(rows)), options_(options) {}

  void read_osu() {
    std::optional<Collective> collective;
    std::string called;  // the name in the line above
    bool over_nccl = false;
    for (const auto& [line, number] : rows_.whole_lines()) {
      if (line.starts_with("#")) {
        if (const auto words = words_of(line); words.size() > 3 && words[1] == "OSU") {
          collective = collective_called(words[3]);
          called = words[3];
          over_nccl = words[2] == "NCCL";
        }
        if (const auto words = words_of(line); words.size() > 2 && words[1] == "Datatype:")
          datatype_ = type_of(words[2]);
        if (line.starts_with("# Size") && line.find("Avg Latency(us)") != line.find_first_not_of(' ', 6)) {
          throw BadUsage(fmt::format("{}:{}: its first figure is not the average latency of a blocking collective",
                                     rows_.file(), number));
        }
        continue;
      }
      const auto words = words_of(line);
      if (words.size() < 2 || !number_in<std::uint64_t>(words[0])) continue;
      if (!collective) {
        const auto why = called.empty() ? "no line above says which collective this is"
                                        : fmt::format("'{}' is no collective that is known here", called);
        throw BadUsage(fmt::format("{}:{}: {}", rows_.file(), number, why));
      }
      if (!options_.ranks)
        throw BadUsage(fmt::format("{}: OSU does not write how many ranks there were; say --ranks N", rows_.file()));
      add_mpi(*collective, *options_.ranks, *number_in<std::uint64_t>(words[0]), number_in<double>(words[1]), {}, {},
              number, over_nccl);
    }
  }

  void read_imb() {
    std::optional<Collective> collective;
    std::string called;                   // the name in the line above
    std::map<std::string, int> left_out;  // by name: how many rows
    int ranks = 0;
    bool is_known = false;
    for (const auto& [line, number] : rows_.whole_lines()) {
      const auto words = words_of(line);
      if (!words.empty() && words[0].starts_with('#')) {
        if (words.size() > 2 && words[1] == "Benchmarking")
          collective = collective_called(words[2]), called = words[2], ranks = 0;
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
      if (!collective) {
        ++left_out[called.empty() ? "a benchmark that no line names" : called];
        continue;
      }
      if (ranks < 1) throw BadUsage(fmt::format("{}:{}: no line above says #processes", rows_.file(), number));
      if (!is_known)
        throw BadUsage(fmt::format("{}:{}: its columns are not t_min, t_max, t_avg", rows_.file(), number));
      add_mpi(*collective, ranks, *bytes, number_in<double>(words[4]), number_in<double>(words[2]),
              number_in<double>(words[3]), number);
    }
    if (!left_out.empty() && rows_.size() == 0)
      throw BadUsage(
          fmt::format("{}: {}, which is all that it holds, is not known here", rows_.file(), left_out.begin()->first));
    for (const auto& [what, rows] : left_out)
      rows_.note(
          fmt::format("{}: left out: what was measured of {} ({}), which is not known here", rows_.file(), what, rows));
  }

 private:
  void add_mpi(Collective collective, int ranks, std::uint64_t bytes, std::optional<double> time_us,
               std::optional<double> least, std::optional<double> most, std::size_t line, bool over_nccl = false) {
    if (ranks < 1 || bytes > (std::uint64_t{1} << 50))
      throw BadUsage(fmt::format("{}:{}: no such size", rows_.file(), line));
    auto row = rows_.row_of(over_nccl ? Transport::nccl : Transport::mpi, collective, ranks);
    row.nodes = options_.nodes.value_or(0);
    row.memory = over_nccl ? MemoryKind::cuda : MemoryKind::host;
    rows_.set_datatype(row, datatype_);
    if (reduces(collective)) row.op = ReduceOp::sum;
    // These tools give what one rank contributes, except for reduce_scatter.
    const bool times_ranks = has_block_per_rank(collective) && collective != Collective::reduce_scatter;
    row.size_bytes = times_ranks ? bytes * static_cast<std::uint64_t>(ranks) : bytes;
    row.time_us_min = least;
    row.time_us_max = most;
    rows_.add(row, time_us, line);
  }

  /// "MPI_INT.", as OSU writes it from its version 7 on.
  static std::string type_of(std::string_view text) {
    while (text.ends_with('.')) text.remove_suffix(1);
    constexpr std::array<std::pair<std::string_view, DataType>, 4> types{{{"MPI_CHAR", DataType::int8},
                                                                          {"MPI_INT", DataType::int32},
                                                                          {"MPI_FLOAT", DataType::float32},
                                                                          {"MPI_DOUBLE", DataType::float64}}};
    const auto found = std::find_if(types.begin(), types.end(), [&](const auto& each) { return each.first == text; });
    return found == types.end() ? std::string(text) : std::string(name(found->second));
  }

  ForeignRows rows_;
  const ReadOptions& options_;
  std::string datatype_ = "float32";  ///< the default of both tools
};

}  // namespace

void read_osu(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  MpiBenchmarks({results, file, text}, options).read_osu();
}

void read_imb(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  MpiBenchmarks({results, file, text}, options).read_imb();
}

}  // namespace ringmark::analysis
