#include "sweeps/emit/manifest.hpp"

#include <fstream>
#include <map>
#include <sstream>

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <yaml-cpp/yaml.h>

#include "base/errors.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"
#include "tests/sweeps/pod_shell.hpp"

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

TEST(Manifest, has_the_question_as_a_comment_of_one_line) {
  auto sweep = text;
  sweep.replace(sweep.find("Is it fast?"), 11, "Is it\\r\\e[2J\\N fast?");
  for (const auto kind : all_kinds) {
    const auto manifest = written(kind, {}, {.results = "/results/first", .time_limit = "30"}, sweep);
    EXPECT_TRUE(manifest.starts_with("# Is it\\x0d\\x1b[2J\\x85 fast? kind: Secret\n")) << manifest.substr(0, 80);
  }
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

/// The words of its container, without the kubelet's dollars.
std::vector<std::string> words_of(const YAML::Node& pod) {
  return testing_support::as_kubelet_gives(pod["containers"][0]["command"].as<std::vector<std::string>>());
}

TEST(Manifest, runs_the_sweep_with_the_overrides) {
  Overrides overrides;
  overrides.ranks_per_node = 2;
  overrides.variables = {{"ranks", "4"}, {"transport", "[tcp, mpi]"}};
  overrides.labels = {"who=$(id)"};
  const auto pod = measuring_pods(ManifestKind::job, written(ManifestKind::job, overrides)).first;
  EXPECT_EQ(words_of(pod).back(), "/results/first");
  EXPECT_EQ(testing_support::run_as_pod(words_of(pod)).output,
            "<run></sweep/sweep.yaml><--launcher><none><--ranks-per-node><2><--variable><ranks=4><--variable>"
            "<transport=[tcp, mpi]><--label><who=$(id)><-o><FOLDER><--timeout><1800>");
  const auto mpi = documents(written(ManifestKind::mpijob))["MPIJob"]["spec"]["mpiReplicaSpecs"]["Launcher"];
  EXPECT_EQ(testing_support::run_as_pod(words_of(mpi["template"]["spec"])).output,
            "<run></sweep/sweep.yaml><--launcher><mpich><--hostfile></etc/mpi/hostfile><-o><FOLDER>");
}

TEST(Manifest, keeps_an_mpijob_from_tries_that_change_nothing_by_status_0) {
  for (const auto kind : all_kinds) {
    const auto manifest = written(kind);
    const bool has_rule = kind != ManifestKind::mpijob;
    const auto pod = has_rule
                         ? measuring_pods(kind, manifest).first
                         : documents(manifest)["MPIJob"]["spec"]["mpiReplicaSpecs"]["Launcher"]["template"]["spec"];
    EXPECT_EQ(testing_support::run_as_pod(words_of(pod), {}, "exit 2").status, has_rule ? 2 : 0);
  }
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

TEST(Manifest, asks_for_gpus_where_buffers_are_in_their_memory) {
  const auto nccl = text.substr(0, text.find("[tcp")) + "[tcp, nccl]}\n";
  for (const auto kind : all_kinds) {
    const auto resources_of = [&](const ManifestOptions& options) {
      return measuring_pods(kind, written(kind, {}, options, nccl)).first["containers"][0]["resources"];
    };
    EXPECT_EQ(resources_of({.results = "/r"})["limits"]["nvidia.com/gpu"].as<int>(), 4);
    EXPECT_EQ(resources_of({.results = "/r", .gpus_per_node = 2})["limits"]["nvidia.com/gpu"].as<int>(), 2);
    EXPECT_FALSE(resources_of({.results = "/r", .gpus_per_node = 0}).IsDefined());
    auto with_rdma = written(kind, {}, {.results = "/r"}, nccl);
    with_rdma.erase(with_rdma.find("# rdma/hca: "), 2);
    const auto pod = measuring_pods(kind, with_rdma).first;
    EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["rdma/hca"].as<int>(), 1);
    EXPECT_EQ(pod["containers"][0]["resources"]["limits"]["nvidia.com/gpu"].as<int>(), 4);
    EXPECT_TRUE(pod["containers"][0]["volumeMounts"].IsSequence());
    if (kind == ManifestKind::mpijob) {
      const auto launcher = documents(with_rdma)["MPIJob"]["spec"]["mpiReplicaSpecs"]["Launcher"];
      EXPECT_FALSE(launcher["template"]["spec"]["containers"][0]["resources"].IsDefined());
    }
  }
}

TEST(Manifest, gives_a_sweep_the_time_that_its_ranks_need_to_end) {
  for (const auto& [grace, seconds] : {std::pair("5s", 60), {"10min", 655}}) {
    const auto manifest =
        written(ManifestKind::job, {}, {.results = "/r"}, text + "grace: " + std::string(grace) + "\n");
    EXPECT_EQ(measuring_pods(ManifestKind::job, manifest).first["terminationGracePeriodSeconds"].as<int>(), seconds);
  }
}

TEST(Manifest, refuses_what_cannot_run_there) {
  const auto flag_of = [](ManifestKind kind, const Overrides& overrides, const ManifestOptions& options) {
    try {
      written(kind, overrides, options);
      return std::string();
    } catch (const BadUsage& error) {
      return error.problems().at(0).flag;
    }
  };
  EXPECT_EQ(flag_of(ManifestKind::job, {}, {.results = "results"}), "--output");
  EXPECT_EQ(flag_of(ManifestKind::job, {}, {.results = "/results", .time_limit = "1 hour"}), "--time");
  EXPECT_EQ(flag_of(ManifestKind::job, {}, {.results = "/results", .time_limit = "00:00:30"}), "--time");
  Overrides slurm;
  slurm.launcher = "slurm";
  for (const auto kind : all_kinds) EXPECT_EQ(flag_of(kind, slurm, {.results = "/results"}), "--launcher");
}

/// The last map in a text that begins with this key, indented anew, as it stands there.
std::string map_beginning_with(const std::string& key, const std::string& manifest, std::size_t indent) {
  const auto line = manifest.rfind(" " + key);
  const auto begin = manifest.rfind('\n', line) + 1;
  const auto depth = line + 1 - begin;
  std::istringstream lines(manifest.substr(begin));
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

}  // namespace
}  // namespace ringmark::sweep
