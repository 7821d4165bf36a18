#include "sweeps/manifest.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/shell_text.hpp"
#include "sweeps/emitted_run.hpp"
#include "sweeps/manifest_pod.hpp"
#include "sweeps/move.hpp"
#include "sweeps/time_limit.hpp"

namespace ringmark::sweep {
namespace {

/// Pods wait for images and for room on the nodes.
constexpr int time_for_nodes_s = 1800;
constexpr int most_tries = 20;
/// Kubernetes adds to a name for those of pods and hosts.
constexpr std::size_t most_name = 40;

BadUsage bad(const char* flag, const std::string& value, std::string text, std::string remedy) {
  return BadUsage(Problem{.flag = flag, .value = value, .text = std::move(text), .remedy = std::move(remedy)});
}

bool is_name(const std::string& name) {
  const auto is_inner = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; };
  return !name.empty() && name.size() <= most_name && std::islower(static_cast<unsigned char>(name.front())) &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), is_inner);
}

std::string name_after(const std::string& sweep_file) {
  std::string name = "ringmark-";
  for (const char c : std::filesystem::path(sweep_file).stem().string()) {
    const auto letter = static_cast<unsigned char>(c);
    name += std::isalnum(letter) ? static_cast<char>(std::tolower(letter)) : '-';
  }
  name.resize(std::min(name.size(), most_name));
  while (name.back() == '-') name.pop_back();
  return name;
}

/// Begins the sweep, or goes on with what a pod before this one has begun. The shell is the pod's first process, to
/// which Kubernetes sends its signals.
constexpr auto pod_script = R"(trap 'kill -TERM $! || exit 143' TERM
if [ -s "$0/journal" ]; then
  ringmark-sweep resume "$0"{more} &
else
  {run} -o "$0"{more} &
fi
sweep=$!
wait $sweep; status=$?
# A signal ends a wait early.
while kill -0 $sweep 2>/dev/null; do wait $sweep; status=$?; done
# 3 means another try, which does not help a sweep that is over: some of its launches have failed.
if [ $status = 3 ] && grep -qs '"how": "complete"' "$0/manifest.json"; then status=1; fi
{end}exit $status
)";

/// An MPIJob tries every failure again, with all its workers there. Status 0 keeps it from that, and the pod says how
/// the sweep ended.
constexpr auto end_without_retries = R"(case $status in
1 | 2 | 4)
  say="ringmark-sweep ended with exit status $status, which another try would not change"
  echo "$say"
  if [ -w /dev/termination-log ]; then echo "$say" >/dev/termination-log; fi
  status=0
  ;;
esac
)";

/// Kubernetes puts variables in the place of $(NAME).
std::string literally(std::string text) {
  for (auto at = text.find("$("); at != std::string::npos; at = text.find("$(", at + 3)) text.insert(at, 1, '$');
  return text;
}

class Manifest {
 public:
  Manifest(const CheckedSweep& checked, ManifestKind kind, const std::string& sweep_file, Overrides overrides,
           const ManifestOptions& options)
      : checked_(checked),
        kind_(kind),
        overrides_(std::move(overrides)),
        results_(options.results),
        need_(need_of(checked)),
        time_limit_(parse_time_limit(options.time_limit)) {
    pod_ = {.name = options.name.empty() ? name_after(sweep_file) : options.name,
            .label = kind == ManifestKind::mpijob   ? "training.kubeflow.org/job-name"
                     : kind == ManifestKind::jobset ? "jobset.sigs.k8s.io/jobset-name"
                                                    : "app.kubernetes.io/name",
            .image = options.image,
            .claim = options.claim,
            .gpus = need_.ranks_per_node};
    check_options();
    check_launcher();
  }

  std::string text() {
    auto question = checked_.sweep.question;
    std::replace(question.begin(), question.end(), '\n', ' ');
    out_.heading(question);
    out_.heading(fmt::format("{} pods, {} ranks on each. Submit it with kubectl apply -f. A pod that ends at its time",
                             need_.hosts, need_.ranks_per_node));
    out_.heading("limit is started again, and the sweep goes on. Lines that begin with # are choices.");
    if (kind_ != ManifestKind::mpijob) {
      out_.heading("Its pods know each other by a secret. Create it first:");
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
  void check_options() {
    if (!is_name(pod_.name))
      throw bad("--name", pod_.name, "is no name that pods can have",
                "give at most 40 lower-case letters, digits and dashes, first a letter");
    if (pod_.image.empty()) throw bad("--image", "", "is empty", "name the image");
    if (pod_.claim.empty()) throw bad("--claim", "", "is empty", "name the claim of the volume");
    while (results_.size() > 1 && results_.ends_with('/')) results_.pop_back();
    const std::filesystem::path results(results_);
    if (!results.is_absolute() || results == "/" || results.lexically_normal() != results)
      throw bad("--output", results_, "is no folder on a volume of the pods",
                "give an absolute path such as /results/first, whose first part is the volume");
    pod_.volume_path = "/" + std::next(results.begin())->string();
    if (results_ == pod_.volume_path) results_ += "/" + pod_.name;
  }

  void check_launcher() {
    const bool is_mpi = kind_ == ManifestKind::mpijob;
    const auto allowed =
        is_mpi ? std::vector<std::string>{"", "mpich", "openmpi"} : std::vector<std::string>{"", "none", "torchrun"};
    if (std::find(allowed.begin(), allowed.end(), overrides_.launcher) == allowed.end())
      throw bad("--launcher", overrides_.launcher, "does not start ranks in these pods",
                is_mpi ? "give mpich or openmpi" : "give none or torchrun");
    if (overrides_.launcher.empty())
      overrides_.launcher = !is_mpi                                                  ? "none"
                            : checked_.sweep.launcher.kind == LauncherKind::open_mpi ? "openmpi"
                                                                                     : "mpich";
    const auto& variables = checked_.sweep.variables;
    const bool varies_ranks = std::any_of(variables.begin(), variables.end(),
                                          [](const Variable& variable) { return variable.target == Target::ranks; });
    // A sweep uses all nodes that it finds, but this many ranks were meant.
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
    // A JobSet sets it itself.
    if (is_job) out_.pair("subdomain", pod_.name);
    write_pod(out_, pod_, true, time_limit_, [&] {
      out_.words("command", sweep_command(fmt::format(" --timeout {}", time_for_nodes_s)));
      write_meeting(out_, need_.hosts, first_pod);
    });
    out_.close();
    out_.close();
    out_.close();
  }

  /// Wrong results, bad usage, and what cannot be used: another try changes nothing. A sweep that was stopped goes on.
  /// An MPIJob has no such policy.
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
             [&] { write_pod(out_, pod_, false, time_limit_, [&] { out_.words("command", sweep_command("")); }); });
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

  std::vector<std::string> sweep_command(const std::string& more) const {
    auto run = run_words("ringmark-sweep", std::string(sweep_folder) + "/sweep.yaml", overrides_, "");
    const bool is_mpi = kind_ == ManifestKind::mpijob;
    if (is_mpi) run.insert(run.end(), {"--hostfile", "/etc/mpi/hostfile"});
    return {"/bin/sh", "-c",
            literally(fmt::format(fmt::runtime(pod_script), fmt::arg("run", shell_words(run)), fmt::arg("more", more),
                                  fmt::arg("end", is_mpi ? end_without_retries : ""))),
            literally(results_)};
  }

  const CheckedSweep& checked_;
  ManifestKind kind_;
  Overrides overrides_;
  std::string results_;
  Need need_;
  std::chrono::seconds time_limit_;
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
