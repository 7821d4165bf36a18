#include <fmt/format.h>

#include "analysis/commands/commands.hpp"
#include "analysis/commands/input.hpp"
#include "analysis/job/diagnosis.hpp"
#include "analysis/job/read_evidence.hpp"
#include "base/errors.hpp"
#include "base/text/printable.hpp"
#include "base/write_file.hpp"
#include "results/files/rank_hosts.hpp"

namespace ringmark::analysis {
namespace {

std::vector<job::BaselineRow> baseline_of(const std::string& file) {
  if (file.empty()) return {};
  const auto results = Input::read_all({file}, {});
  const auto& table = results.table;
  std::vector<job::BaselineRow> rows;
  for (const auto row : Input::usable(table)) {
    const auto size_bytes = table.figure(row, "size_bytes"), ranks = table.figure(row, "ranks"),
               busbw_GBps = table.figure(row, "busbw_GBps");
    if (size_bytes && ranks && busbw_GBps)
      rows.push_back({table.cell(row, "collective"), static_cast<int>(*ranks), *size_bytes, *busbw_GBps});
  }
  if (rows.empty()) throw BadUsage(fmt::format("--baseline {}: no row has a bus bandwidth", file));
  return rows;
}

class JobCommand final : public Command {
 public:
  explicit JobCommand(Flags& program)
      : Command(program.subcommand(
            "job", "the rank that a running or hung job is waiting for, from what its ranks recorded")) {
    constexpr int most = 1 << 20;
    flags.group("Evidence");
    flags
        .texts("files", files_,
               "PyTorch Flight Recorder dumps (pickle, JSON) and watchdog logs; NCCL RAS reports (text, JSON), "
               "Inspector logs and profiler traces; folders and glob patterns of these")
        .required();
    flags.number("--ranks", waits_.ranks, 1, most,
                 "number of ranks of the job, in case the highest ranks left no file");
    flags.text("--hosts", hosts_, "host of each rank, in rank order: node[01-04]*8", "LIST");
    flags.seconds("--least-wait", waits_.least, 0, 1e6, "ignore shorter waits as normal");
    flags.group("Slow collectives");
    flags.file("--baseline", baseline_, "results of this cluster, to compare the collectives in Inspector logs with");
    flags.percent("--slower-than", tolerated_percent_, 0, 100, "report bus bandwidths this far below the baseline");
    flags.group("Output");
    flags.file("--json", json_, "also write the findings to this file, job/1");
    flags.examples(
        {"ringmark-analyze job /tmp/nccl_trace_rank_*", "ringmark-analyze job dumps ras.txt --hosts 'node[01-04]*8'",
         "ringmark-analyze job nccl-inspector-1234 --baseline results.csv"},
        "Exit status: 0 no problem found; 1 a problem was found; 2 bad usage, or a file that cannot be read;\n"
        "5 something is wrong, but no rank or source can be named.");
  }

  int run() const override {
    auto evidence = job::read_evidence(files_);
    if (!hosts_.empty()) evidence.hosts = parse_rank_hosts(hosts_);
    for (const auto& note : evidence.notes) tell(note);
    const auto diagnosis = job::diagnose(
        evidence, {.waits = waits_, .baseline = baseline_of(baseline_), .tolerated_share = tolerated_percent_ / 100});
    fmt::print("{}", without_controls(print(evidence, diagnosis)));
    if (!json_.empty()) write_file(json_, to_json(evidence, diagnosis));
    if (diagnosis.findings.empty()) return exit_ok;
    return diagnosis.is_undecided() ? exit_undecided : exit_wrong;
  }

 private:
  std::vector<std::string> files_;
  job::WaitOptions waits_;
  std::string hosts_, baseline_, json_;
  double tolerated_percent_ = 20;
};

}  // namespace

std::unique_ptr<Command> add_job(Flags& program) { return std::make_unique<JobCommand>(program); }

}  // namespace ringmark::analysis
