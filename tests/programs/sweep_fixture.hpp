// A folder for sweeps and their results, and a fake to launch.
#pragma once

#include <chrono>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "base/system/files.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

/// FAULT decides what becomes of a launch. A file `down` beside it means that no process can be started, `outage` that
/// this begins with the tenth setting, and `hold` that a slow launch goes on.
inline constexpr auto fake_launcher = R"sh(#!/bin/bash
# stands for a launcher and the program under it
here=$(dirname "$0")
[ -e "$here/down" ] && { echo "ssh: connect to host b: No route to host"; exit 255; }
for word in "$@"; do
  case $word in
    describe-node) exec "$@" ;;
    --csv=*) csv=${word#--csv=} ;;
    --failures=*) failures=${word#--failures=} ;;
    --run-id=*) run_id=${word#--run-id=} ;;
    --repetition=*) repetition=${word#--repetition=} ;;
    --iters=10) tenth=yes ;;
  esac
done
[ -n "$tenth" ] && [ -e "$here/outage" ] && mv "$here/outage" "$here/down" && {
  lost='"rank":2,"host":"b","reason":"its connection closed"'
  echo '{"schema":"failure/1","rank":0,"host":"a","exit_status":3,"text":"gone","lost":{'"$lost"'}}' >"$failures"
  echo "[mpiexec] assert failed"
  exit 255
}
case $FAULT in
  stuck)
    lost='"rank":2,"host":"b","reason":"its host is silent"'
    echo '{"schema":"failure/1","rank":0,"host":"a","exit_status":3,"text":"gone","lost":{'"$lost"'}}' >"$failures"
    sleep 1000 ;;
  hang) trap '' TERM; setsid sleep 1000 & sleep 1000 ;;
  crash) echo "about to crash"; kill -SEGV $$ ;;
  unsupported) echo "ringmark: --transport warp: there is no warp drive"; exit 4 ;;
  slow) while [ -e "$here/hold" ]; do sleep 0.02; done ;;
esac
{ read -r header; read -r row; } <"$here/row.csv"
row=${row/RUN_ID/$run_id}
printf '%s\n%s\n' "$header" "${row/,987654,/,$repetition,}" >"$csv"
)sh";

class Sweeps : public testing::Test {
 protected:
  Sweeps() {
    std::ofstream(results_.file("fake")) << fake_launcher;
    std::filesystem::permissions(results_.file("fake"), std::filesystem::perms::owner_all);
    Record row{.run_id = "RUN_ID",
               .transport = Transport::tcp,
               .collective = Collective::all_reduce,
               .datatype = DataType::float32,
               .ranks = 4};
    row.repetition = 987654;
    row.size_bytes = 1024;
    row.time_us_p50 = 10;
    row.status = Status::ok;
    std::ofstream(results_.file("row.csv")) << write_csv(record_header()) << write_csv(to_csv(row));
  }

  std::string write_sweep(const std::string& rest, const std::string& name = "s.yaml") {
    std::ofstream(results_.file(name)) << "question: Does it survive?\nprogram: all-reduce\nranks: 4\n"
                                       << "launcher: {command: [" << results_.file("fake") << ", \"{command}\"]}\n"
                                       << rest;
    return results_.file(name);
  }

  /// Empty: that it is there says something to the launcher.
  static void make_file(const std::string& path) { const std::ofstream file(path); }
  static std::string sweep(const std::string& words) { return bin + "/ringmark-sweep " + words; }
  std::string folder(const std::string& name) const { return results_.file(name); }

  struct Row {
    std::size_t launch;
    std::string a, fault;
    Status status;
    int repetition;
    bool operator==(const Row&) const = default;
  };
  /// The cells that no interruption of the sweep may change.
  std::vector<Row> rows_in(const std::string& name) const {
    std::vector<Row> rows;
    for (const auto& record : results_.records(name + "/results.csv")) {
      const auto value = [&](const char* variable) {
        return record.extra.contains(variable) ? record.extra.at(variable) : "";
      };
      rows.push_back({record.launch.value_or(0), value("iters"), value("FAULT"), record.status, record.repetition});
    }
    return rows;
  }

  /// Starts a command, kills it with SIGKILL after a while, and says whether it had ended before.
  static bool ended_before(const std::string& line, std::chrono::milliseconds wait) {
    const pid_t child = ::fork();
    if (child == 0) {
      ::execlp("bash", "bash", "-c", ("exec " + line + " >/dev/null 2>&1").c_str(), nullptr);
      ::_exit(127);
    }
    std::this_thread::sleep_for(wait);
    int status = 0;
    const bool ended = ::waitpid(child, &status, WNOHANG) == child;
    if (ended) {
      EXPECT_EQ(status, 0) << line;
    } else {
      ::kill(child, SIGKILL);
      ::waitpid(child, &status, 0);
    }
    return ended;
  }

  /// Kills a sweep and goes on with it until it ends by itself; returns the number of kills. It waits `shortest_ms`
  /// and up to `longest_ms` more for each, and half as long again once so many in succession as `most_in_vain` came
  /// before anything was done: on a slow machine the start alone takes longer than on another the whole.
  int kills_until_it_ends(const std::string& name, const std::string& beginning, unsigned shortest_ms,
                          unsigned longest_ms, int most_in_vain) const {
    const auto journal = [&] { return read_if_readable(folder(name) + "/journal"); };
    std::mt19937 random(1);
    auto line = beginning;
    std::string before;
    int kills = 0;
    for (int in_vain = 0; kills < 5000; ++kills) {
      if (ended_before(line, std::chrono::milliseconds(shortest_ms + random() % longest_ms))) break;
      in_vain = journal() == before ? in_vain + 1 : 0;
      if (in_vain == most_in_vain) longest_ms += longest_ms / 2, in_vain = 0;
      before = journal();
      line = going_on(name, beginning);
    }
    return kills;
  }

  /// How one that was killed goes on. Killed before its journal was begun, it has nothing to go on with, and begins
  /// anew.
  std::string going_on(const std::string& name, const std::string& beginning) const {
    if (read_if_readable(folder(name) + "/journal").find('\n') != std::string::npos)
      return sweep("resume " + folder(name));
    std::filesystem::remove_all(folder(name));
    return beginning;
  }

  /// The number of processes of a sweep's launches on this machine.
  int processes_of(const std::string& name) const {
    const auto head = nlohmann::json::parse(read_if_readable(folder(name) + "/journal").substr(0, line_length(name)));
    const auto count =
        run("grep -lzs '^RINGMARK_LAUNCH=" + head["run_id"].get<std::string>() + "/' /proc/[0-9]*/environ | wc -l");
    return std::stoi(count.output);
  }
  std::size_t line_length(const std::string& name) const {
    return read_if_readable(folder(name) + "/journal").find('\n');
  }

  /// A shell command that ends once a file is there.
  static std::string wait_for(const std::string& file) { return "while [ ! -e " + file + " ]; do sleep 0.02; done"; }

  ResultFolder results_;
};

}  // namespace ringmark::testing_support
