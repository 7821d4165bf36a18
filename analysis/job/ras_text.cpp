#include <algorithm>
#include <map>

#include <fmt/format.h>

#include "analysis/job/readers.hpp"
#include "base/errors.hpp"
#include "base/text/line_cursor.hpp"

namespace ringmark::analysis::job {
namespace {

/// "0xcf264af53edbe986" for "cf264af53edbe986", and "0xf26" for "0f26".
std::string hash_named(std::string_view digits) {
  digits.remove_prefix(std::min(digits.find_first_not_of('0'), digits.size()));
  return fmt::format("0x{}", digits);
}

/// A report is a table of communicators, then headings ("DEAD", "#0-0 (cf26…) MISMATCH"), each with indented lines.
class RasTextReader {
 public:
  RasTextReader(Evidence& evidence, std::size_t source) : evidence_(evidence), source_(source) {}

  void take(std::string_view line) {
    if (line.find_first_not_of(" \t") == std::string_view::npos) {
      is_in_table_ = is_in_table_ && rows_ == 0;
      return;
    }
    if (line.starts_with("Group ") && line.ends_with("Errors")) {
      is_in_table_ = true;
      rows_ = 0;
      return;
    }
    LineCursor scan(line);
    const bool is_indented = line.starts_with(' ');
    scan.skip_blanks();
    if (is_in_table_) return take_row(scan);
    if (!is_indented) return take_heading(scan);
    if (take_difference(scan.rest()) || take_group(scan) || take_process(scan.rest()) || take_missing(scan)) return;
    take_rank(scan);
  }

 private:
  enum class Heading { none, incomplete, dead, error, mismatch };

  /// "    0         1        32         8       256       256   RUNNING      OK"
  void take_row(LineCursor scan) {
    const auto group = scan.number<int>();
    scan.skip_blanks();
    const auto communicators = scan.number<int>();
    scan.skip_blanks();
    if (!group || !communicators || !scan.number<int>()) return;
    scan.skip_blanks();
    scan.until(" ");  // ranks per node may be a range
    scan.skip_blanks();
    const auto ranks = scan.number<int>();
    scan.skip_blanks();
    if (!ranks || !scan.number<int>()) return;
    scan.skip_blanks();
    CommunicatorStatus status{source_, *communicators, *ranks, std::string(scan.until(" ")), false};
    scan.skip_blanks();
    status.is_ok = scan.until(" \r") == "OK";
    evidence_.statuses.push_back(status);
    sizes_[*group] = *ranks;
    ++rows_;
  }

  void take_heading(LineCursor scan) {
    heading_ = Heading::none;
    communicator_.reset();
    counts_ = nullptr;
    if (scan.skip("#")) {
      const auto group = scan.number<int>();
      if (!group || !scan.find("(")) return;
      communicator_ = evidence_.communicator(hash_named(scan.until(")")), "", /*has_job_ranks=*/false);
      if (const auto size = sizes_.find(*group); size != sizes_.end())
        evidence_.communicators[*communicator_].size = size->second;
      scan.skip(") ");
    }
    if (scan.skip("INCOMPLETE")) heading_ = Heading::incomplete;
    if (scan.skip("DEAD")) heading_ = Heading::dead;
    if (scan.skip("ERROR")) heading_ = Heading::error;
    if (scan.skip("MISMATCH")) heading_ = Heading::mismatch;
  }

  /// "Communicator ranks have different AllGather operation counts"
  bool take_difference(std::string_view line) {
    LineCursor scan(line);
    if (!scan.skip("Communicator ranks have different ")) return false;
    counts_ = nullptr;
    const auto operation = scan.until(" ");
    if (communicator_ && scan.rest().find("operation counts") != std::string_view::npos) {
      evidence_.counts.push_back({source_, *communicator_, operation_named(operation)});
      counts_ = &evidence_.counts.back();
    }
    return true;
  }

  /// "30 ranks have launched up to operation 640", "2 ranks have not launched any operations", "3 ranks reported …"
  bool take_group(LineCursor scan) {
    const auto ranks = scan.number<int>();
    if (!ranks || !scan.skip(" ranks ")) return false;
    detail_ = scan.skip("reported ") ? std::string(scan.rest()) : "";
    if (counts_ == nullptr) return true;
    if (scan.skip("have launched up to operation ")) {
      counts_->groups.push_back({scan.number<std::uint64_t>().value_or(0), *ranks});
    } else if (scan.skip("have not launched")) {
      counts_->groups.push_back({0, *ranks});
    }
    return true;
  }

  /// "Process 3487984 on node 172.16.64.213 managing GPU 5"
  bool take_process(std::string_view line) {
    LineCursor scan(line);
    if (!scan.skip("Process ")) return false;
    const auto process = line.substr(std::string_view("Process ").size());
    if (heading_ != Heading::incomplete && heading_ != Heading::dead) return true;
    const auto text = fmt::format("process {}", process.substr(0, process.find(" managing")));
    evidence_.statements.push_back({.source = source_, .liveness = liveness(), .process = text});
    return true;
  }

  /// "The missing rank: 21", as NCCL 2.24 and 2.25 print it.
  bool take_missing(LineCursor scan) {
    if (!scan.skip("The missing rank")) return false;
    scan.find(": ");
    for (auto rank = scan.number<int>(); rank; rank = scan.number<int>()) {
      add_statement({*rank, ""});
      if (!scan.skip(",")) break;
    }
    return true;
  }

  /// "Rank 12 -- GPU 4 managed by process 323032 on node 10.137.190.124", possibly with what it did before the dashes.
  void take_rank(LineCursor scan) {
    if (!scan.skip("Rank ")) return;
    const auto number = scan.number<int>();
    if (!number) return;
    RankName rank{*number, ""};
    const auto said = scan.rest().substr(0, scan.rest().find(" -- "));
    if (scan.find(" on node ")) rank.host = scan.until(" \r");
    if (counts_ != nullptr) {
      take_counted(rank, said);
    } else if (heading_ != Heading::mismatch) {
      LineCursor what(said);
      if (what.skip(" reported ")) detail_ = what.rest();
      add_statement(rank);
    }
  }

  void take_counted(const RankName& rank, std::string_view said) {
    LineCursor what(said);
    if (what.skip(" has launched up to operation ")) {
      counts_->groups.push_back({what.number<std::uint64_t>().value_or(0), 1, {rank}});
    } else if (what.skip(" has not launched")) {
      counts_->groups.push_back({0, 1, {rank}});
    } else if (!counts_->groups.empty()) {
      counts_->groups.back().listed.push_back(rank);
    }
  }

  Liveness liveness() const {
    return heading_ == Heading::dead    ? Liveness::dead
           : heading_ == Heading::error ? Liveness::error
                                        : Liveness::unresponsive;
  }
  void add_statement(const RankName& rank) {
    if (communicator_ && heading_ != Heading::none)
      evidence_.statements.push_back(
          {.source = source_, .communicator = communicator_, .rank = rank, .liveness = liveness(), .detail = detail_});
  }

  Evidence& evidence_;
  std::size_t source_;
  Heading heading_ = Heading::none;
  std::optional<std::size_t> communicator_;
  CountDifference* counts_ = nullptr;  ///< the last of the evidence's, or none
  std::string detail_;                 ///< the error of the ranks that follow
  std::map<int, int> sizes_;           ///< ranks of each communicator, by group
  bool is_in_table_ = false;
  int rows_ = 0;
};

constexpr std::string_view version_mark = "NCCL version ", compiler_mark = " compiled with CUDA ";

}  // namespace

void check_ras_version(const JobFile& file, std::string_view version) {
  LineCursor scan(version);
  const auto major = scan.number<int>();
  const int minor = scan.skip(".") ? scan.number<int>().value_or(0) : 0;
  constexpr int first = 24, last = 30;
  if (major != 2 || minor < first || minor > last)
    throw BadUsage(fmt::format("{}: a RAS report of NCCL {}; this Ringmark reads those of NCCL 2.{} to 2.{}", file.path,
                               version, first, last));
}

bool is_ras_text(std::string_view text) {
  const auto at = text.find(version_mark);
  return at != std::string_view::npos && text.find(compiler_mark, at) != std::string_view::npos &&
         text.find("Communicators...", at) != std::string_view::npos;
}

void read_ras_text(Evidence& evidence, const JobFile& file, std::string_view text) {
  std::optional<RasTextReader> report;
  for (std::size_t begin = 0; begin < text.size();) {
    const auto end = std::min(text.find('\n', begin), text.size());
    auto line = text.substr(begin, end - begin);
    begin = end + 1;
    if (line.ends_with('\r')) line.remove_suffix(1);
    LineCursor scan(line);
    if (scan.skip(version_mark) && scan.rest().find(compiler_mark) != std::string_view::npos) {
      const auto version = scan.until(" ");
      check_ras_version(file, version);
      evidence.sources.push_back({file.path, SourceKind::ras, std::string(version), file.modified});
      report.emplace(evidence, evidence.sources.size() - 1);
    } else if (report) {
      report->take(line);
    }
  }
}

}  // namespace ringmark::analysis::job
