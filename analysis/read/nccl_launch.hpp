// One launch of nccl-tests, from its text or its JSON.
#pragma once

#include <map>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "analysis/read/foreign_rows.hpp"

namespace ringmark::analysis {

/// A placement's facts that are only in JSON that an earlier version of Ringmark wrote in nccl-tests' layout.
struct NcclOutcome {
  Status status = Status::ok;
  std::string detail;
  std::vector<Caveat> caveats{};
  std::optional<Network> network;
};

/// A row of a placement, in the tool's words.
struct NcclFigures {
  std::size_t line = 0;
  bool is_in_place = false;
  std::uint64_t size_bytes = 0, count = 0;
  std::string type, redop, root;       ///< `redop` and `root` are empty if the tool does not write them
  std::string time, algbw, busbw;      ///< as printed
  double us_of_time = 1;               ///< microseconds of its unit
  std::string wrong = "N/A";           ///< the number of wrong elements; empty if checked, but not counted
  std::optional<double> deviation{};   ///< the largest relative one, where wrong elements are not counted
  std::optional<NcclOutcome> outcome;  ///< nothing for output of nccl-tests
  std::optional<Record> own;           ///< the row that Ringmark measured, in its own JSON
};

/// The same of the whole document.
struct NcclOrigin {
  std::string run_id;
  std::optional<Transport> transport;
  std::optional<MemoryKind> memory;
  std::optional<Network> network;
  std::optional<Timing> timing;
};

/// An entry of the list of ranks that nccl-tests prints.
struct NcclRank {
  int number, group;
  std::string host;  ///< empty if the list does not name it
};

struct NcclLaunch {
  std::size_t line = 0;                 ///< on which it begins
  int headers = 0;                      ///< above the rows, with only # lines between
  std::string program;                  ///< by the tool itself: "all_reduce_perf"
  std::set<std::string> commands;       ///< collectives of the programs that lines above the table name
  int ranks_of_process = 0;             ///< threads times GPUs; 0 if the file does not say
  std::vector<NcclRank> ranks;          ///< in the order of the list
  bool is_list_cut = false;             ///< the tool left ranks out of its list
  bool is_of_rccl = false;              ///< AMD's RCCL, whose memory is not CUDA
  std::string nccl_version;             ///< "2.28.9"; empty if the file does not say
  std::set<int> in_nccl_log;            ///< nranks of NCCL's communicators
  std::optional<double> out_of_bounds;  ///< wrong values, from the line below the table
  std::vector<NcclFigures> rows;
  std::optional<NcclOrigin> origin;  ///< nothing for output of nccl-tests
};

/// Adds its rows, or refuses it with the reason, such as a contradiction in the file.
void add_launch(ForeignRows& rows, const NcclLaunch& launch);

/// The program in a word such as "./build/all_reduce_perf": "all_reduce". Nothing if it is not one of nccl-tests.
std::optional<std::string> nccl_program(std::string_view word);
/// The programs of a command, including that of a script's option: "run_nccl_tests.sh -t all_gather".
std::set<std::string> nccl_programs_in(const Words& command);

}  // namespace ringmark::analysis
