// ringmark-sweep as a user runs it. Most tests put a fake in place of mpirun and of what it starts, so that launches
// take milliseconds and fail on demand; those of the lab and of Slurm start the real ones.
#include <csignal>
#include <filesystem>
#include <fstream>
#include <random>
#include <thread>

#include <fmt/format.h>
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>
#include <sys/wait.h>
#include <unistd.h>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "transports/system/host.hpp"

namespace ringmark {
namespace {

using namespace testing_support;

/// FAULT decides what becomes of a launch. A file `down` beside it means that no process can be started, `outage` that
/// this begins with the tenth setting, and `hold` that a slow launch goes on.
constexpr auto fake_launcher = R"sh(#!/bin/bash
# stands for a launcher and the program under it
here=$(dirname "$0")
[ -e "$here/down" ] && { echo "ssh: connect to host b: No route to host"; exit 255; }
for word in "$@"; do
  case $word in
    describe-node) exec "$@" ;;
    --csv=*) csv=${word#--csv=} ;;
    --run-id=*) run_id=${word#--run-id=} ;;
    --repetition=*) repetition=${word#--repetition=} ;;
    --iters=10) [ -e "$here/outage" ] && mv "$here/outage" "$here/down" && exit 255 ;;
  esac
done
case $FAULT in
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
    Record row{.run_id = "RUN_ID", .transport = "tcp", .collective = "all_reduce", .datatype = "float32", .ranks = 4};
    row.repetition = 987654;
    row.size_bytes = 1024;
    row.time_us_p50 = 10;
    row.status = "ok";
    std::ofstream(results_.file("row.csv")) << write_csv(record_header()) << write_csv(to_csv(row));
  }

  std::string write_sweep(const std::string& rest, const std::string& name = "s.yaml") {
    std::ofstream(results_.file(name)) << "question: Does it survive?\nprogram: all-reduce\nranks: 4\n"
                                       << "launcher: {command: [" << results_.file("fake") << ", \"{command}\"]}\n"
                                       << rest;
    return results_.file(name);
  }

  static std::string sweep(const std::string& words) { return bin + "/ringmark-sweep " + words; }
  std::string folder(const std::string& name) const { return results_.file(name); }

  struct Row {
    std::string launch, a, fault, status;
    int repetition;
    bool operator==(const Row&) const = default;
  };
  /// What must be the same however often a sweep was interrupted.
  std::vector<Row> rows_in(const std::string& name) const {
    std::vector<Row> rows;
    for (const auto& record : results_.records(name + "/results.csv")) {
      const auto value = [&](const char* variable) {
        return record.extra.contains(variable) ? record.extra.at(variable) : "";
      };
      rows.push_back({record.run_id.substr(record.run_id.find('.')), value("iters"), value("FAULT"), record.status,
                      record.repetition});
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

  /// Of a sweep's launches, on this machine.
  int processes_of(const std::string& name) const {
    const auto head = nlohmann::json::parse(read_file(folder(name) + "/journal").substr(0, line_length(name)));
    const auto count =
        run("grep -lzs '^RINGMARK_LAUNCH=" + head["run_id"].get<std::string>() + "/' /proc/[0-9]*/environ | wc -l");
    return std::stoi(count.output);
  }
  std::size_t line_length(const std::string& name) const { return read_file(folder(name) + "/journal").find('\n'); }

  /// A shell command that ends once a file is there.
  static std::string wait_for(const std::string& file) { return "while [ ! -e " + file + " ]; do sleep 0.02; done"; }

  ResultFolder results_;
};

TEST_F(Sweeps, hundreds_of_kills_at_any_moment_lose_and_repeat_nothing) {
  const auto file = write_sweep("variables: {iters: {from: 1, to: 60, step: 1}}\nrepetitions: 6\n");
  ASSERT_EQ(run(sweep("run " + file + " -o " + folder("calm"))).status, 0);
  const auto expected = rows_in("calm");
  ASSERT_EQ(expected.size(), 360U);
  const auto journal = [&] { return read_file(folder("stormy") + "/journal"); };
  std::mt19937 random(1);
  auto line = sweep("run " + file + " -o " + folder("stormy"));
  int kills = 0, in_vain = 0;
  unsigned longest_ms = 10;  // where a machine is fast, it must not get through with a few kills
  for (std::string before; kills < 5000; ++kills) {
    if (ended_before(line, std::chrono::milliseconds(5 + random() % longest_ms))) break;
    // Longer, where it is so slow that nothing gets done.
    in_vain = journal() == before ? in_vain + 1 : 0;
    if (in_vain == 10) longest_ms += longest_ms / 2, in_vain = 0;
    before = journal();
    // Killed before the journal was begun, there is nothing to go on with, and the message says so.
    if (before.find('\n') == std::string::npos) {
      std::filesystem::remove_all(folder("stormy"));
    } else {
      line = sweep("resume " + folder("stormy"));
    }
  }
  EXPECT_GT(kills, 100);
  EXPECT_EQ(rows_in("stormy"), expected);
  EXPECT_EQ(run(sweep("resume " + folder("stormy"))).status, 0) << "resuming what is complete changes nothing";
  EXPECT_EQ(rows_in("stormy"), expected);
  RecordProperty("kills", kills);
}

TEST_F(Sweeps, faults_become_rows_and_a_hopeless_setting_is_given_up) {
  const auto file = write_sweep(
      "variables: {FAULT: [unset, hang, crash, unsupported]}\nrepetitions: 5\ndeadline: 5s\n"
      "grace: 100ms\n");
  const auto result = run(sweep("run " + file + " -o " + folder("f")));
  EXPECT_EQ(result.status, 3) << result.output;
  std::map<std::string, std::vector<Record>> by_fault;
  for (const auto& record : results_.records("f/results.csv")) by_fault[record.extra.at("FAULT")].push_back(record);
  for (const auto& [fault, records] : by_fault) EXPECT_EQ(records.size(), 5U) << fault;
  for (const auto& record : by_fault["unset"]) EXPECT_EQ(record.status, "ok");
  for (const auto& record : by_fault["unsupported"]) {
    EXPECT_EQ(record.status, "unsupported");
    EXPECT_TRUE(has(record.detail, "no warp drive")) << record.detail;
  }
  for (const std::string fault : {"hang", "crash"}) {
    for (std::size_t i = 0; i < 5; ++i) {
      const auto& record = by_fault[fault][i];
      EXPECT_EQ(record.status, i < 3 && fault == "hang" ? "timeout" : "failed");
      const std::string why = i >= 3            ? "not tried again: it failed 3 times in the same way"
                              : fault == "hang" ? "ended at its deadline of 5 s"
                                                : "killed by signal 11: about to crash";
      EXPECT_TRUE(has(record.detail, why)) << record.detail;
    }
  }
  EXPECT_EQ(processes_of("f"), 0) << "also none that left its process group and ignores TERM";
  EXPECT_TRUE(has(result.output, "failed launches: 10")) << result.output;
  // Each row leads to its launch's output.
  const auto& crash = by_fault["crash"][0];
  const auto launch = std::stoi(crash.run_id.substr(crash.run_id.find('.') + 1));
  EXPECT_TRUE(has(read_file(folder("f") + fmt::format("/logs/{:06}.log", launch)), "about to crash"));
}

TEST_F(Sweeps, a_cluster_that_is_down_stops_the_sweep_and_is_no_result) {
  const auto file = write_sweep("variables: {iters: {from: 1, to: 20, step: 1}}\n");
  const auto down = results_.file("down");
  std::ofstream(down.c_str());
  const auto at_once = run(sweep("run " + file + " -o " + folder("d")));
  EXPECT_EQ(at_once.status, 3);
  EXPECT_TRUE(has(at_once.output, "No route to host") && has(at_once.output, "resume " + folder("d")))
      << at_once.output;
  std::filesystem::remove(down);
  // And in the middle of it.
  std::ofstream(results_.file("outage").c_str());
  const auto later = run(sweep("resume " + folder("d")));
  EXPECT_EQ(later.status, 3);
  EXPECT_TRUE(has(later.output, "no process can be started on every node")) << later.output;
  std::filesystem::remove(down);
  EXPECT_EQ(run(sweep("resume " + folder("d"))).status, 0);
  const auto rows = rows_in("d");
  EXPECT_EQ(rows.size(), 20U);
  for (const auto& row : rows) EXPECT_EQ(row.status, "ok");
}

TEST_F(Sweeps, an_interrupt_keeps_what_was_done_and_leaves_nothing_running) {
  const auto file = write_sweep("variables: {FAULT: [unset, slow]}\norder: listed\n");
  std::ofstream(results_.file("hold").c_str());
  const auto result = run("set -m; " + sweep("run " + file + " -o " + folder("i")) + " & " +
                          wait_for(folder("i") + "/logs/000002.log") + "; kill -INT $!; wait $!; echo status $?");
  EXPECT_TRUE(has(result.output, "status 130")) << result.output;
  EXPECT_TRUE(has(result.output, "Go on with: ringmark-sweep resume " + folder("i"))) << result.output;
  EXPECT_EQ(rows_in("i").size(), 1U);
  EXPECT_EQ(processes_of("i"), 0);
  const auto manifest = nlohmann::json::parse(read_file(folder("i") + "/manifest.json"));
  EXPECT_EQ(manifest["sittings"][0]["how"], "interrupted");
  std::filesystem::remove(results_.file("hold"));
  EXPECT_EQ(run(sweep("resume " + folder("i"))).status, 0);
  EXPECT_EQ(rows_in("i").size(), 2U);
}

TEST_F(Sweeps, one_folder_has_one_runner) {
  const auto file = write_sweep("variables: {FAULT: [slow]}\n");
  std::ofstream(results_.file("hold").c_str());
  const auto result =
      run(sweep("run " + file + " -o " + folder("t")) + " & " + wait_for(folder("t") + "/logs/000001.log") + "; " +
          sweep("resume " + folder("t")) + "; echo second $?; rm " + results_.file("hold") + "; wait");
  EXPECT_TRUE(has(result.output, "another runner is at work") && has(result.output, "second 2")) << result.output;
  EXPECT_EQ(rows_in("t").size(), 1U);
}

TEST_F(Sweeps, bad_input_is_refused_with_status_2_before_anything_starts) {
  const auto refused = [&](const std::string& words, const std::string& what) {
    const auto result = run(sweep(words));
    EXPECT_EQ(result.status, 2) << words << ": " << result.output;
    EXPECT_TRUE(has(result.output, what)) << words << ": " << result.output;
  };
  const auto good = write_sweep("");
  refused("run /no/such.yaml -o " + folder("x"), "cannot be read");
  refused("run " + results_.path() + " -o " + folder("x"), "cannot be read");
  refused("run " + good, "-o FOLDER");
  refused("resume " + folder("x"), "holds no sweep");
  refused("fly", "");
  refused("run " + write_sweep("arguments: {itres: 3}\n", "bad.yaml") + " -o " + folder("x"), "bad.yaml:5: ");
  refused("tune " + good + " -o " + folder("x"), "nothing to tune");
  const std::string two = "variables: {transport: [tcp, mpi]}\n";
  refused("tune " + write_sweep(two, "vague.yaml") + " -o " + folder("x"), "tune.objective is missing");
  refused("tune " + write_sweep(two + "tune: {objective: 1G}\n", "far.yaml") + " -o " + folder("x"), "lies outside");
  refused(
      "tune " + write_sweep(two + "arguments: {sizes: 1K}\n", "two.yaml") + " --surface " + results_.file("row.csv"),
      "has no row for transport=mpi");
  refused("tune " + good + " --search simplex --surface " + results_.file("row.csv"), "");
  EXPECT_FALSE(std::filesystem::exists(folder("x")));
  ASSERT_EQ(run(sweep("run " + good + " -o " + folder("once"))).status, 0);
  refused("run " + good + " -o " + folder("once"), "holds a sweep already");
  std::ofstream(folder("once") + "/sweep.yaml", std::ios::app) << "# more\n";
  refused("resume " + folder("once"), "was changed since");
}

TEST_F(Sweeps, a_dry_run_prints_every_command_and_starts_nothing) {
  const auto file =
      write_sweep("variables: {iters: [1, 2], NCCL_ALGO: [unset, Ring]}\nrepetitions: 2\norder: listed\n");
  const auto result = run(sweep("run --dry-run " + file));
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output,
                  results_.file("fake") + " /usr/bin/env NCCL_ALGO=Ring " + bin + "/ringmark-all-reduce --iters=2\n"))
      << result.output;
  EXPECT_TRUE(has(result.output, "8 launches of 4 settings")) << result.output;
}

TEST_F(Sweeps, a_full_disk_and_a_read_only_folder_stop_it_and_it_goes_on_afterwards) {
  if (run("unshare -rm true").status != 0) GTEST_SKIP() << "no mount namespaces here (unshare -rm fails)";
  const auto file = write_sweep("variables: {iters: {from: 1, to: 200, step: 1}}\n");
  std::filesystem::create_directories(folder("disk"));
  const auto disk = folder("disk"), there = disk + "/s";
  const auto result =
      run("unshare -rm bash -c 'mount -t tmpfs -o size=60k none " + disk + " && " +
          sweep("run " + file + " -o " + there) + "; echo full $?; mount -o remount,ro " + disk + "; " +
          sweep("resume " + there) + "; echo read-only $?; mount -o remount,rw,size=10m " + disk + "; " +
          sweep("resume " + there) + "; echo roomy $?; cp -r " + there + " " + folder("copy") + "'");
  EXPECT_TRUE(has(result.output, "full 3") && has(result.output, "No space left")) << result.output;
  EXPECT_TRUE(has(result.output, "read-only 3") && has(result.output, "Read-only file system")) << result.output;
  EXPECT_TRUE(has(result.output, "roomy 0")) << result.output;
  const auto rows = rows_in("copy");
  EXPECT_EQ(rows.size(), 200U);
  for (const auto& row : rows) EXPECT_EQ(row.status, "ok");
}

TEST_F(Sweeps, tuning_goes_on_where_it_was_killed_and_writes_files_to_use) {
  const auto file = write_sweep(
      "variables: {iters: {from: 1, to: 30, step: 1}, NCCL_ALGO: [unset, Ring]}\n"
      "arguments: {sizes: 1K}\ntune: {objective: 1K, budget: {launches: 40}, verify: 3}\n");
  ASSERT_EQ(run(sweep("tune " + file + " -o " + folder("calm"))).status, 0);
  const auto tried = read_file(folder("calm") + "/tried.csv");
  std::mt19937 random(2);
  const auto wait = [&](int kills) {
    return std::chrono::milliseconds(150 + random() % (250 + 20 * static_cast<unsigned>(kills)));
  };
  auto line = sweep("tune " + file + " -o " + folder("stormy"));
  for (int kills = 0; kills < 100 && !ended_before(line, wait(kills)); ++kills)
    line = sweep("resume " + folder("stormy"));
  EXPECT_EQ(read_file(folder("stormy") + "/tried.csv"), tried);
  EXPECT_EQ(rows_in("stormy"), rows_in("calm"));
  // All launches took the same time, so the default stays.
  EXPECT_TRUE(has(read_file(folder("calm") + "/best.env"), "unset NCCL_ALGO\n"));
  EXPECT_TRUE(has(read_file(folder("calm") + "/best.env"), "# Keep the default"))
      << read_file(folder("calm") + "/best.env");
}

TEST_F(Sweeps, the_documented_example_can_be_planned) {
  const auto text = read_file(RINGMARK_SOURCE_DIR "/docs/SWEEPS.md");
  const auto begin = text.find("```yaml\n") + 8;
  std::ofstream(results_.file("doc.yaml")) << text.substr(begin, text.find("```", begin) - begin);
  const auto plan = run(sweep("run --dry-run " + results_.file("doc.yaml")));
  EXPECT_EQ(plan.status, 0) << plan.output;
}

TEST_F(Sweeps, shipped_ones_are_listed_with_their_questions_and_can_be_planned) {
  const auto listing = run(sweep("list " RINGMARK_SOURCE_DIR "/sweeps"));
  EXPECT_EQ(listing.status, 0);
  int sweeps = 0;
  for (const auto& entry : std::filesystem::directory_iterator(RINGMARK_SOURCE_DIR "/sweeps")) {
    if (entry.path().extension() != ".yaml") continue;
    ++sweeps;
    EXPECT_TRUE(has(listing.output, entry.path().filename())) << listing.output;
    const auto plan = run(sweep("run --dry-run " + entry.path().string()));
    EXPECT_EQ(plan.status, 0) << entry.path() << plan.output;
    EXPECT_TRUE(has(plan.output, " launches of ")) << plan.output;
  }
  EXPECT_GE(sweeps, 9);
}

class SweepsInLab : public Sweeps {
 protected:
  void SetUp() override {
    if (const auto reason = why_no_lab(); !reason.empty()) GTEST_SKIP() << reason;
  }
  static std::string lab(int hosts, const std::string& words) {
    return bin + "/ringmark-lab run --hosts " + std::to_string(hosts) + " --rate 1gbit -- " + sweep(words);
  }
};

/// Before the real mpirun: hangs or crashes if FAULT says so.
constexpr auto faulty_launcher = R"sh(#!/bin/bash
case $FAULT in
  hang) trap '' TERM; sleep 1000 ;;
  crash) kill -SEGV $$ ;;
esac
exec "$@"
)sh";

TEST_F(SweepsInLab, a_sweep_over_tcp_and_mpi_with_faults_survives_five_kills) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("faulty")) << faulty_launcher;
  std::filesystem::permissions(results_.file("faulty"), std::filesystem::perms::owner_all);
  std::ofstream(results_.file("s.yaml"))
      << "question: Does a sweep survive the night?\nprogram: all-reduce\nranks: 2\n"
      << "launcher: {command: [" << results_.file("faulty") << ", mpirun.mpich, -n, \"{ranks}\", \"{command}\"]}\n"
      << "arguments: {sizes: [1K, 64K], iters: 5, warmup: 1, in-place: \"no\"}\n"
      << "variables: {transport: [tcp, mpi, verbs], algorithm: [unset, ring], FAULT: [unset, hang, crash]}\n"
      << "exclude: [{transport: [mpi, verbs], algorithm: ring}, {transport: [mpi, verbs], FAULT: [hang, crash]},\n"
      << "          {algorithm: ring, FAULT: [hang, crash]}]\n"
      << "repetitions: 7\ndeadline: 12s\ngrace: 300ms\n";
  const auto key = [&](const std::string& name) {
    std::vector<std::string> rows;
    for (const auto& record : results_.records(name + "/results.csv")) {
      rows.push_back(fmt::format("{} {} {} {} {} {} {}", record.run_id.substr(record.run_id.find('.')),
                                 record.transport, record.extra.at("FAULT"), record.algorithm, record.repetition,
                                 record.size_bytes, record.status));
    }
    return rows;
  };
  const auto calm = run(lab(2, "run " + results_.file("s.yaml") + " -o " + folder("calm")), 180);
  EXPECT_EQ(calm.status, 3) << calm.output;
  const auto expected = key("calm");
  ASSERT_EQ(expected.size(), 7U * (2 + 2 + 2 + 1 + 1 + 1)) << calm.output;
  auto words = "run " + results_.file("s.yaml") + " -o " + folder("stormy");
  for (int kills = 0; kills < 5; ++kills) {
    // The journal tells when some launches more are done, whatever the speed of the machine.
    const auto wanted = 4 + 6 * kills;
    const auto line = lab(2, words) + " & while [ $(wc -l <" + folder("stormy") +
                      "/journal 2>/dev/null || echo 0) -lt " + std::to_string(wanted) +
                      " ]; do sleep 0.05; done; sleep 0.$((RANDOM % 10)); "
                      "pkill -KILL -f '^" +
                      bin + "/ringmark-sweep .*" + folder("stormy") + "$'; wait";
    EXPECT_NE(run(line, 120).status, 124);
    words = "resume " + folder("stormy");
  }
  const auto last = run(lab(2, words), 180);
  EXPECT_EQ(last.status, 3) << last.output;
  EXPECT_EQ(key("stormy"), expected);
}

TEST_F(SweepsInLab, open_mpi_launches_the_same_sweep) {
  if (const auto reason = why_no_mpi("openmpi"); !reason.empty()) GTEST_SKIP() << reason;
  std::ofstream(results_.file("s.yaml"))
      << "question: Do the launchers agree?\nprogram: all-reduce\nranks: 2\nlauncher: openmpi\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nvariables: {transport: [tcp, mpi]}\n";
  const auto result = run(lab(2, "run " + results_.file("s.yaml") + " -o " + folder("o")), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& record : results_.records("o/results.csv")) {
    EXPECT_EQ(record.status, "ok") << record.detail;
    EXPECT_EQ(record.nodes, 2);
  }
  const auto manifest = nlohmann::json::parse(read_file(folder("o") + "/manifest.json"));
  EXPECT_TRUE(manifest["sittings"][0]["nodes"].contains("host-1")) << manifest.dump();
}

TEST_F(SweepsInLab, the_smoke_sweep_runs_and_answers_its_question) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto result = run(lab(4, "run " RINGMARK_SOURCE_DIR "/sweeps/smoke.yaml -o " + folder("smoke")), 120);
  EXPECT_EQ(result.status, 0) << result.output;
  EXPECT_TRUE(has(result.output, "Does everything run") && has(result.output, "transport=tcp")) << result.output;
  EXPECT_TRUE(has(read_file(folder("smoke") + "/samples.jsonl"), "\"time_us\""));
}

TEST_F(Sweeps, slurm_launches_ranks_that_find_each_other) {
  if (const auto reason = why_no_mpi("mpich"); !reason.empty()) GTEST_SKIP() << reason;
  const auto cluster = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm start " + results_.path());
  if (cluster.status != 0) GTEST_SKIP() << "no Slurm can be started here: " << cluster.output;
  std::ofstream(results_.file("s.yaml"))
      << "question: Does srun start ranks?\nprogram: all-reduce\nranks: 2\nranks_per_node: 2\n"
      << "launcher: {kind: srun, arguments: [--mpi=pmi2, --overcommit]}\n"
      << "arguments: {sizes: 1K, iters: 5, in-place: \"no\"}\nvariables: {transport: [tcp, mpi]}\ndeadline: 60s\n";
  const auto result = run("export SLURM_CONF=" + results_.file("slurm.conf") + "; " +
                              sweep("run " + results_.file("s.yaml") + " -o " + folder("l")),
                          150);
  const auto end = run("bash " RINGMARK_SOURCE_DIR "/tests/programs/slurm stop " + results_.path());
  EXPECT_EQ(end.status, 0) << end.output;
  EXPECT_EQ(result.status, 0) << result.output;
  for (const auto& record : results_.records("l/results.csv")) {
    EXPECT_EQ(record.status, "ok") << record.detail;
    EXPECT_EQ(record.ranks, 2);
  }
}

}  // namespace
}  // namespace ringmark
