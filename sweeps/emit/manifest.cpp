#include "sweeps/emit/manifest.hpp"

#include <algorithm>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "sweeps/emit/emitted_run.hpp"
#include "sweeps/emit/manifest_pod.hpp"
#include "sweeps/emit/pod_command.hpp"
#include "sweeps/file/time_limit.hpp"
#include "sweeps/run/move.hpp"

namespace ringmark::sweep {
namespace {

/// Pods wait for images and for room on the nodes.
constexpr int time_for_nodes_s = 1800;
constexpr int most_tries = 20;
constexpr std::chrono::seconds least_time(120);

class Manifest {
 public:
  Manifest(const CheckedSweep& checked, ManifestKind kind, const std::string& sweep_file, Overrides overrides,
           const ManifestOptions& options)
      : checked_(checked),
        kind_(kind),
        overrides_(std::move(overrides)),
        need_(need_of(checked)),
        time_limit_(require_time_limit(options.time_limit, least_time,
                                       "pods start, meet and measure within it, and a pod that is cut short "
                                       "starts over")),
        options_(completed(options, sweep_file)) {
    pod_ = {.name = options_.name,
            .label = kind == ManifestKind::mpijob   ? "training.kubeflow.org/job-name"
                     : kind == ManifestKind::jobset ? "jobset.sigs.k8s.io/jobset-name"
                                                    : "app.kubernetes.io/name",
            .image = options_.image,
            .claim = options_.claim,
            .volume_path = volume_of(options_),
            .gpus = options_.gpus_per_node.value_or(need_.gpus_per_node),
            .ranks = need_.ranks_per_node,
            .time_to_stop = time_to_stop(checked.sweep)};
    check_launcher();
  }

  std::string text() {
    out_.heading(checked_.sweep.question);
    out_.heading(fmt::format("{} pods, {} ranks on each. Submit it with kubectl apply -f. A pod that ends at its time",
                             need_.hosts, need_.ranks_per_node));
    out_.heading("limit is restarted, and the sweep continues. Lines that begin with # are optional.");
    if (kind_ != ManifestKind::mpijob) {
      out_.heading("Its pods authenticate each other with a secret. Create it first:");
      out_.heading("  kubectl create secret generic ringmark --from-literal=token=$(openssl rand -hex 16)");
    }
    out_.begin_document("v1", "ConfigMap", pod_.name);
    out_.open("data");
    out_.literal("sweep.yaml", checked_.text);
    out_.close();
    out_.end_document();
    if (kind_ == ManifestKind::job) job();
    if (kind_ == ManifestKind::jobset) jobset();
    if (kind_ == ManifestKind::mpijob) mpijob();
    return out_.text();
  }

 private:
  void check_launcher() {
    const bool is_mpi = kind_ == ManifestKind::mpijob;
    const auto allowed =
        is_mpi ? std::vector<std::string>{"", "mpich", "openmpi"} : std::vector<std::string>{"", "none", "torchrun"};
    if (std::find(allowed.begin(), allowed.end(), overrides_.launcher) == allowed.end())
      throw BadUsage(Problem{.flag = "--launcher",
                             .value = overrides_.launcher,
                             .text = "does not start ranks in these pods",
                             .remedy = is_mpi ? "give mpich or openmpi" : "give none or torchrun"});
    if (overrides_.launcher.empty())
      overrides_.launcher = !is_mpi                                                  ? "none"
                            : checked_.sweep.launcher.kind == LauncherKind::open_mpi ? "openmpi"
                                                                                     : "mpich";
    const auto& variables = checked_.sweep.variables;
    const bool varies_ranks = std::any_of(variables.begin(), variables.end(),
                                          [](const Variable& variable) { return variable.target == Target::ranks; });
    // A sweep uses all nodes that it finds, so the number of ranks must be explicit.
    if (!varies_ranks) overrides_.ranks = checked_.sweep.ranks;
  }

  void job() {
    out_.begin_document("v1", "Service", pod_.name);
    out_.open("spec");
    out_.quoted("clusterIP", "None");
    out_.flow("selector", {{"job-name", pod_.name}});
    out_.pair("publishNotReadyAddresses", true);
    out_.close();
    out_.end_document();
    out_.begin_document("batch/v1", "Job", pod_.name);
    job_spec(fmt::format("{0}-0.{0}", pod_.name));
    out_.end_document();
  }

  void jobset() {
    out_.begin_document("jobset.x-k8s.io/v1alpha2", "JobSet", pod_.name);
    out_.open("spec");
    out_.open("network");
    out_.pair("enableDNSHostnames", true);
    out_.pair("publishNotReadyAddresses", true);
    out_.close();
    out_.open_list("replicatedJobs");
    out_.open();
    out_.pair("name", "nodes");
    out_.pair("replicas", 1);
    out_.open("template");
    job_spec(fmt::format("{0}-nodes-0-0.{0}", pod_.name));
    out_.close();
    out_.close();
    out_.close_list();
    out_.close();
    out_.end_document();
  }

  void job_spec(const std::string& first_pod) {
    out_.open("spec");
    out_.pair("completionMode", "Indexed");
    out_.pair("completions", need_.hosts);
    out_.pair("parallelism", need_.hosts);
    out_.pair("backoffLimit", most_tries * need_.hosts);
    retry_policy();
    out_.open("template");
    const bool is_job = kind_ == ManifestKind::job;
    if (is_job) {
      out_.open("metadata");
      out_.flow("labels", {{pod_.label, pod_.name}});
      out_.close();
    }
    out_.open("spec");
    // A JobSet sets the subdomain itself.
    if (is_job) out_.pair("subdomain", pod_.name);
    write_pod(out_, pod_, true, time_limit_, [&] {
      out_.words("command", sweep_command({"--timeout", std::to_string(time_for_nodes_s)}));
      write_meeting(out_, need_.hosts, first_pod);
    });
    out_.close();
    out_.close();
    out_.close();
  }

  /// A retry cannot change wrong results, bad usage or an unusable transport. A disrupted pod is replaced without
  /// counting as a failure, and its sweep continues. An MPIJob has no such policy.
  void retry_policy() {
    out_.open("podFailurePolicy");
    out_.open_list("rules");
    out_.open();
    out_.pair("action", "FailJob");
    out_.open("onExitCodes");
    out_.pair("operator", "In");
    out_.numbers("values", {1, 2, 4});
    out_.close();
    out_.close();
    out_.open();
    out_.pair("action", "Ignore");
    out_.open_list("onPodConditions");
    out_.entry({{"type", "DisruptionTarget"}});
    out_.close_list();
    out_.close();
    out_.close_list();
    out_.close();
  }

  void mpijob() {
    out_.begin_document("kubeflow.org/v2beta1", "MPIJob", pod_.name);
    out_.open("spec");
    out_.pair("mpiImplementation", overrides_.launcher == "openmpi" ? "OpenMPI" : "MPICH");
    out_.pair("slotsPerWorker", need_.ranks_per_node);
    out_.pair("launcherCreationPolicy", "WaitForWorkersReady");
    out_.open("runPolicy");
    out_.pair("cleanPodPolicy", "Running");
    out_.pair("backoffLimit", most_tries);
    out_.close();
    out_.open("mpiReplicaSpecs");
    replicas("Launcher", 1,
             [&] { write_pod(out_, pod_, false, time_limit_, [&] { out_.words("command", sweep_command({})); }); });
    replicas("Worker", need_.hosts, [&] {
      write_pod(out_, pod_, true, std::nullopt, [&] {
        out_.words("command", {"/bin/sh", "-c", "mkdir -p /run/sshd\nexec /usr/sbin/sshd -De\n"});
      });
    });
    out_.close();
    out_.close();
    out_.end_document();
  }

  void replicas(const std::string& role, int count, const std::function<void()>& pod) {
    out_.open(role);
    out_.pair("replicas", count);
    out_.open("template");
    out_.open("spec");
    pod();
    out_.close();
    out_.close();
    out_.close();
  }

  /// An MPIJob retries every failure while all its workers keep running.
  std::vector<std::string> sweep_command(std::vector<std::string> more) const {
    auto run = run_words("ringmark-sweep", std::string(sweep_folder) + "/sweep.yaml", overrides_, "");
    const bool is_mpi = kind_ == ManifestKind::mpijob;
    if (is_mpi) run.insert(run.end(), {"--hostfile", "/etc/mpi/hostfile"});
    return pod_command(
        {.run = std::move(run), .more = std::move(more), .results = options_.results, .is_always_tried_again = is_mpi});
  }

  const CheckedSweep& checked_;
  ManifestKind kind_;
  Overrides overrides_;
  Need need_;
  std::chrono::seconds time_limit_;
  ManifestOptions options_;
  PodFacts pod_;
  ManifestYaml out_;
};

}  // namespace

std::span<const std::pair<std::string_view, ManifestKind>> manifest_kinds() {
  static constexpr std::pair<std::string_view, ManifestKind> kinds[]{
      {"mpijob", ManifestKind::mpijob}, {"job", ManifestKind::job}, {"jobset", ManifestKind::jobset}};
  return kinds;
}

std::string manifest(const CheckedSweep& checked, ManifestKind kind, const std::string& sweep_file,
                     const Overrides& overrides, const ManifestOptions& options) {
  return Manifest(checked, kind, sweep_file, overrides, options).text();
}

}  // namespace ringmark::sweep
