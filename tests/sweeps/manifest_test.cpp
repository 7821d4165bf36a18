#include "sweeps/manifest.hpp"

#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "base/errors.hpp"
#include "base/shell_text.hpp"
#include "sweeps/time_limit.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::sweep {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const std::string text =
    "question: \"Is it fast?\\nkind: Secret\"\nprogram: all-reduce\nlauncher: mpich\narguments: {sizes: 1K}\n"
    "ranks_per_node: 4\nvariables: {ranks: [4, 32], transport: [tcp, mpi]}\n";
constexpr ManifestKind all_kinds[]{ManifestKind::mpijob, ManifestKind::job, ManifestKind::jobset};

std::string written(ManifestKind kind, const Overrides& overrides = {},
                    const ManifestOptions& options = {.results = "/results/first", .time_limit = "30"},
                    const std::string& sweep = text) {
  return manifest(check_sweep(sweep, "my_sweep.yaml", overrides), kind, "my_sweep.yaml", overrides, options);
}

std::map<std::string, YAML::Node> documents(const std::string& manifest) {
  std::map<std::string, YAML::Node> found;
  for (const auto& document : YAML::LoadAll(manifest)) found[document["kind"].as<std::string>()] = document;
  return found;
}

/// The pods that measure, and their number.
std::pair<YAML::Node, int> measuring_pods(ManifestKind kind, const std::string& manifest) {
  auto all = documents(manifest);
  if (kind == ManifestKind::mpijob) {
    const auto worker = all["MPIJob"]["spec"]["mpiReplicaSpecs"]["Worker"];
    return {worker["template"]["spec"], worker["replicas"].as<int>()};
  }
  const auto job =
      kind == ManifestKind::job ? all["Job"]["spec"] : all["JobSet"]["spec"]["replicatedJobs"][0]["template"]["spec"];
  EXPECT_EQ(job["completions"].as<int>(), job["parallelism"].as<int>()) << "all at once";
  EXPECT_EQ(job["completionMode"].as<std::string>(), "Indexed");
  return {job["template"]["spec"], job["completions"].as<int>()};
}

/// The kubelet's form of a container's words, run by a real shell with a ringmark-sweep that says what it was given.
testing_support::ShellResult result_of_pod(const YAML::Node& pod, const std::map<std::string, std::string>& files,
                                           const std::string& sweep_ends = "exit 0") {
  const testing_support::ResultFolder folder;
  std::ofstream(folder.file("ringmark-sweep")) << "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n"
                                               << sweep_ends << "\n";
  std::filesystem::permissions(folder.file("ringmark-sweep"), std::filesystem::perms::owner_all);
  auto words = pod["containers"][0]["command"].as<std::vector<std::string>>();
  words.back() = folder.path();
  for (auto& word : words) {
    for (auto at = word.find("$$("); at != std::string::npos; at = word.find("$$(", at)) word.erase(at, 1);
  }
  for (const auto& [name, text] : files) std::ofstream(folder.file(name)) << text;
  auto result = testing_support::run("PATH=" + folder.path() + ":$PATH; exec " + shell_words(words));
  auto& said = result.output;
  for (auto at = said.find(folder.path()); at != std::string::npos; at = said.find(folder.path()))
    said.replace(at, folder.path().size(), "FOLDER");
  return result;
}

std::string said_by_pod(const YAML::Node& pod, const std::string& journal) {
  std::map<std::string, std::string> files;
  if (!journal.empty()) files["journal"] = journal;
  return result_of_pod(pod, files).output;
}

TEST(Manifest, has_a_pod_for_each_node_of_the_largest_setting) {
  for (const auto kind : all_kinds) {
    const auto [pod, count] = measuring_pods(kind, written(kind));
    EXPECT_EQ(count, 8);
    EXPECT_EQ(pod["containers"].size(), 1U);
    std::map<std::string, std::string> mounts;
    for (const auto& mount : pod["containers"][0]["volumeMounts"])
      mounts[mount["name"].as<std::string>()] = mount["mountPath"].as<std::string>();
    EXPECT_EQ(mounts["results"], "/results");
    EXPECT_EQ(mounts["sweep"], "/sweep");
    for (const auto& volume : pod["volumes"]) mounts.erase(volume["name"].as<std::string>());
    EXPECT_TRUE(mounts.empty()) << "each has a volume";
  }
}

TEST(Manifest, has_the_sweep_file_as_it_is) {
  for (const std::string& sweep : std::vector<std::string>{
           text, "question: Why?\nprogram: all-reduce\n", " question: Why?\n program: all-reduce\n",
           "question: Why?\t\nprogram: all-reduce", "question: Why?\nprogram: all-reduce\n\n\n"}) {
    auto all = documents(written(ManifestKind::job, {}, {.results = "/results"}, sweep));
    EXPECT_EQ(all["ConfigMap"]["data"]["sweep.yaml"].as<std::string>(), sweep);
    EXPECT_EQ(all.size(), 3U) << "no question makes another object";
  }
}

TEST(Manifest, starts_the_sweep_or_goes_on_with_it) {
  Overrides overrides;
  overrides.ranks_per_node = 2;
  overrides.variables = {{"ranks", "4"}, {"transport", "[tcp, mpi]"}};
  overrides.labels = {"who=$(id)"};
  const auto pod = measuring_pods(ManifestKind::job, written(ManifestKind::job, overrides)).first;
  EXPECT_EQ(said_by_pod(pod, ""),
            "<run></sweep/sweep.yaml><--launcher><none><--ranks-per-node><2><--variable><ranks=4><--variable>"
            "<transport=[tcp, mpi]><--label><who=$(id)><-o><FOLDER><--timeout><1800>");
  EXPECT_EQ(said_by_pod(pod, "begun"), "<resume><FOLDER><--timeout><1800>");
  const auto mpi = documents(written(ManifestKind::mpijob))["MPIJob"]["spec"]["mpiReplicaSpecs"]["Launcher"];
  EXPECT_EQ(said_by_pod(mpi["template"]["spec"], ""),
            "<run></sweep/sweep.yaml><--launcher><mpich><--hostfile></etc/mpi/hostfile><-o><FOLDER>");
}

TEST(Manifest, lets_pods_that_meet_without_mpi_know_their_place) {
  for (const auto& [kind, first] :
       {std::pair(ManifestKind::job, "eu-0.eu"), {ManifestKind::jobset, "eu-nodes-0-0.eu"}}) {
    const auto manifest = written(kind, {}, {.results = "/results/first", .name = "eu"});
    const auto pod = measuring_pods(kind, manifest).first;
    std::map<std::string, YAML::Node> variables;
    for (const auto& variable : pod["containers"][0]["env"])
      variables[variable["name"].as<std::string>()].reset(variable);
    EXPECT_EQ(variables["WORLD_SIZE"]["value"].as<std::string>(), "8");
    EXPECT_EQ(variables["MASTER_ADDR"]["value"].as<std::string>(), first);
    EXPECT_TRUE(variables["RANK"]["valueFrom"]["fieldRef"]);
    EXPECT_FALSE(variables["RINGMARK_TOKEN"]["valueFrom"]["secretKeyRef"]["optional"].as<bool>());
    EXPECT_THAT(manifest, HasSubstr("kubectl create secret generic ringmark"));
    if (kind == ManifestKind::job) {
      EXPECT_EQ(pod["subdomain"].as<std::string>(),
                documents(manifest)["Service"]["metadata"]["name"].as<std::string>());
    }
  }
}

TEST(Manifest, tries_again_what_was_stopped_and_nothing_else) {
  for (const auto kind : {ManifestKind::job, ManifestKind::jobset}) {
    auto all = documents(written(kind));
    const auto job =
        kind == ManifestKind::job ? all["Job"]["spec"] : all["JobSet"]["spec"]["replicatedJobs"][0]["template"]["spec"];
    EXPECT_GT(job["backoffLimit"].as<int>(), 8);
    const auto rule = job["podFailurePolicy"]["rules"][0];
    EXPECT_EQ(rule["action"].as<std::string>(), "FailJob");
    EXPECT_THAT(rule["onExitCodes"]["values"].as<std::vector<int>>(), ElementsAre(1, 2, 4));
    EXPECT_EQ(job["template"]["spec"]["restartPolicy"].as<std::string>(), "Never") << "which such rules need";
    EXPECT_EQ(job["template"]["spec"]["activeDeadlineSeconds"].as<int>(), 1800);
  }
}

TEST(Manifest, ends_a_pod_with_3_only_while_another_try_helps) {
  const std::map<std::string, std::string> stopped{{"manifest.json", R"({"how": "stopped: lost node 1"})"}},
      complete{{"manifest.json", R"({"how": "complete"})"}};
  for (const auto kind : all_kinds) {
    const auto manifest = written(kind);
    const auto pod = kind == ManifestKind::mpijob
                         ? documents(manifest)["MPIJob"]["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"]
                         : measuring_pods(kind, manifest).first;
    // An MPIJob has no rule for exit statuses: what is over ends with 0 there, and says how.
    const bool has_rule = kind != ManifestKind::mpijob;
    for (const int status : {0, 1, 2, 3, 4, 130}) {
      const auto result = result_of_pod(pod, stopped, fmt::format("exit {}", status));
      const bool is_over = status == 1 || status == 2 || status == 4;
      EXPECT_EQ(result.status, is_over && !has_rule ? 0 : status);
      EXPECT_EQ(result.output.find(fmt::format("exit status {}", status)) != std::string::npos, is_over && !has_rule);
    }
    EXPECT_EQ(result_of_pod(pod, {}, "exit 3").status, 3);
    EXPECT_EQ(result_of_pod(pod, complete, "exit 3").status, has_rule ? 1 : 0);
    EXPECT_EQ(result_of_pod(pod, complete, "exit 0").status, 0);
  }
}

TEST(Manifest, lets_a_pod_that_is_stopped_end_its_sweep) {
  const auto pod = measuring_pods(ManifestKind::job, written(ManifestKind::job)).first;
  // The sweep stops its parent, the pod's first process, and needs a moment to end.
  const auto stopped = result_of_pod(
      pod, {}, "trap 'sleep 0.2; echo stopped; exit 143' TERM; kill -TERM $PPID; while :; do sleep 0.02; done");
  EXPECT_EQ(stopped.status, 143);
  EXPECT_THAT(stopped.output, HasSubstr("stopped"));
}

TEST(Manifest, is_still_a_manifest_when_a_choice_is_made) {
  for (const auto kind : all_kinds) {
    auto manifest = written(kind);
    for (const std::string choice :
         {"hostNetwork: ", "dnsPolicy: ", "nodeSelector: ", "securityContext: ", "resources: "}) {
      const auto at = manifest.find("# " + choice);
      ASSERT_NE(at, std::string::npos) << choice;
      manifest.erase(at, 2);
    }
    const auto pod = measuring_pods(kind, manifest).first;
    EXPECT_TRUE(pod["hostNetwork"].as<bool>());
    EXPECT_TRUE(pod["nodeSelector"].IsMap());
    EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"].as<int>(), 4);
    EXPECT_TRUE(pod["containers"][0]["securityContext"]["capabilities"]);
  }
}

TEST(Manifest, refuses_what_kubernetes_would) {
  const auto flag_of = [](ManifestKind kind, const Overrides& overrides, ManifestOptions options) -> std::string {
    try {
      written(kind, overrides, options);
      return "";
    } catch (const BadUsage& error) {
      return error.problems().at(0).flag;
    }
  };
  const auto job = ManifestKind::job;
  for (const auto* name : {"Upper", "-a", "a-", "9", "a_b", "a\nkind: Secret"})
    EXPECT_EQ(flag_of(job, {}, {.results = "/results", .name = name}), "--name") << name;
  for (const auto* results : {"", "/", "results", "/results/../etc"})
    EXPECT_EQ(flag_of(job, {}, {.results = results}), "--output") << results;
  EXPECT_EQ(flag_of(job, {}, {.results = "/results", .time_limit = "1 hour"}), "--time");
  EXPECT_EQ(flag_of(job, {}, {.results = "/results", .image = ""}), "--image");
  Overrides slurm;
  slurm.launcher = "slurm";
  for (const auto kind : all_kinds) EXPECT_EQ(flag_of(kind, slurm, {.results = "/results"}), "--launcher");
}

/// The last map in a text that begins with this key, indented anew, as it stands there.
std::string map_beginning_with(const std::string& key, const std::string& text, std::size_t indent) {
  const auto line = text.rfind(" " + key);
  const auto begin = text.rfind('\n', line) + 1;
  const auto depth = line + 1 - begin;
  std::istringstream lines(text.substr(begin));
  std::string map;
  for (std::string each; std::getline(lines, each);) {
    if (each.find_first_not_of(' ') < depth) break;
    map += std::string(indent, ' ') + each.substr(std::min(depth, each.size())) + "\n";
  }
  return map;
}

/// kubernetes-validate has the schemas that Kubernetes publishes, none of other kinds: parts of these are Jobs.
TEST(Manifest, fits_the_schemas_of_kubernetes) {
  using testing_support::run;
  if (run("command -v kubernetes-validate").status != 0) GTEST_SKIP() << "there is no kubernetes-validate (by pip)";
  const testing_support::ResultFolder folder;
  const auto write = [&](const std::string& name, const std::string& objects) {
    std::ofstream(folder.file(name)) << objects;
    return folder.file(name);
  };
  const std::string job = "apiVersion: batch/v1\nkind: Job\nmetadata: {name: a-part}\nspec:\n";
  const std::vector<std::string> files{
      write("job.yaml", written(ManifestKind::job)),
      write("jobset.yaml", job + map_beginning_with("completionMode:", written(ManifestKind::jobset), 2)),
      write("mpijob.yaml",
            job + "  template:\n    spec:\n" + map_beginning_with("restartPolicy:", written(ManifestKind::mpijob), 6))};
  for (const auto& file : files) {
    const auto result = run("kubernetes-validate --strict --no-warn " + file);
    EXPECT_EQ(result.status, 0) << result.output;
  }
  std::ofstream(files[0], std::ios::app) << "dataa: {}\n";
  EXPECT_NE(run("kubernetes-validate --strict --no-warn " + files[0]).status, 0) << "it finds mistakes";
}

TEST(TimeLimit, is_read_as_sbatch_reads_it) {
  using namespace std::chrono_literals;
  const std::map<std::string, std::chrono::seconds> limits{
      {"30", 30min}, {"90:30", 90min + 30s},   {"02:00:00", 2h},
      {"1-12", 36h}, {"1-00:30", 24h + 30min}, {"2-01:02:03", 49h + 2min + 3s}};
  for (const auto& [limit, seconds] : limits) EXPECT_EQ(parse_time_limit(limit), seconds) << limit;
  for (const auto* wrong : {"", "0", "1:2:3:4", "-1", "1-", "1:", ":1", "x", "1-2-3", "5\n"})
    EXPECT_THROW(parse_time_limit(wrong), BadUsage) << wrong;
}

}  // namespace
}  // namespace ringmark::sweep
