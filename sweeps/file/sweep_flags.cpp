#include "sweeps/file/sweep_flags.hpp"

#include <fmt/format.h>

#include "base/errors.hpp"
#include "base/input/host_list.hpp"
#include "sweeps/emit/manifest.hpp"
#include "sweeps/file/launcher_file.hpp"
#include "sweeps/file/sweep_file.hpp"
#include "sweeps/training/training_run.hpp"

namespace ringmark::sweep {

SweepCommandLine::SweepCommandLine() {
  constexpr auto output = "folder for the results, new or empty";
  flags_.examples({"ringmark-sweep run sweeps/demo.yaml -o results", "ringmark-sweep resume results",
                   "ringmark-sweep tune sweeps/nccl_algo.yaml -o tuned"});
  run_.file("sweep", options_.file, "the YAML file").required();
  run_.text("-o,--output", options_.folder, output, "FOLDER");
  run_.toggle("--dry-run", options_.dry,
              "print every command line, the estimated total time and an upper bound on it; start nothing");
  std::string keys = "Keys of the file (docs/guide/sweeps.md has examples):\n";
  for (const auto& [name, meaning] : all_sweep_keys()) keys += fmt::format("  {:<16}{}\n", name, meaning);
  declare_overrides(run_);
  declare_nodes(run_);
  history::declare_history(run_, options_.history);
  run_.examples({"ringmark-sweep run sweep.yaml --dry-run", "ringmark-sweep run sweep.yaml -o results",
                 "ringmark-sweep run sweeps/transports.yaml -o r --ranks 16 --ranks-per-node 2 --hosts 'node[01-08]'"},
                keys);

  resume_.text("folder", options_.folder, "the folder", "FOLDER").required();
  resume_.group("Hosts to use instead of those on which it was begun");
  declare_hosts(resume_);
  resume_.toggle(
      "--other-hosts", options_.takes_other_hosts,
      "continue even if the hosts or the lab differ from those on which it was begun; rows list their hosts");
  declare_nodes(resume_);
  history::declare_history(resume_, options_.history);
  resume_.examples({"ringmark-sweep resume results", "ringmark-sweep resume results --hosts 'node[05-08]'"},
                   "A sweep that was begun inside an allocation continues on the hosts of the allocation in which it "
                   "is resumed, if they are the same or --other-hosts is given.");

  tune_.file("sweep", options_.file, "the YAML file").required();
  tune_.text("-o,--output", options_.folder, output, "FOLDER");
  declare_surface();
  declare_overrides(tune_);
  declare_nodes(tune_);
  history::declare_history(tune_, options_.history);
  tune_.examples(
      {"ringmark-sweep tune sweep.yaml -o tuned", "ringmark-sweep tune sweep.yaml --surface results/results.csv",
       "ringmark-sweep tune sweep.yaml --surface results/results.csv --search random --budget 30"},
      "ringmark-sweep run --help explains the keys of the file.");

  declare_tune_run();
  init_.text("-o,--output", options_.new_file, "file to write, which must not exist; standard output by default",
             "FILE");
  init_.group("Hosts to use instead of the allocation's");
  declare_hosts(init_);
  init_.examples(
      {"ringmark-sweep init -o sweep.yaml", "ringmark-sweep init --hosts 'node[01-04]' > sweep.yaml"},
      "It looks at the allocation, the launchers in PATH, and this node's interfaces, RDMA devices and GPUs.");

  declare_emit();
  list_.text("folder", options_.folder, "list the sweeps of this folder instead", "FOLDER");
  list_.file("--json", options_.json_file, "write them to this file as well, sweep/1");
  list_.examples({"ringmark-sweep list", "ringmark-sweep list my-sweeps"});
  describe_node_.text("folder", options_.folder, "", "FOLDER").required();
}

void SweepCommandLine::declare_tune_run() {
  tune_run_.file("run", options_.file, "the YAML file").required();
  tune_run_
      .text("-o,--output", options_.folder, "folder for the results, new or empty, or one to continue in", "FOLDER")
      .required();
  tune_run_.toggle("--predict", options_.predicted, "base all three steps on predictions; start nothing");
  std::string keys = "Keys of the file (docs/guide/tune-run.md has an example):\n";
  for (const auto& [name, meaning] : all_training_run_keys()) keys += fmt::format("  {:<16}{}\n", name, meaning);
  declare_overrides(tune_run_);
  tune_run_.examples({"ringmark-sweep tune-run run.yaml -o tuned --predict",
                      "ringmark-sweep tune-run run.yaml -o tuned", "ringmark-sweep resume tuned"},
                     keys);
}

void SweepCommandLine::declare_emit() {
  emit_.file("sweep", options_.file, "the YAML file").required();
  std::vector<std::pair<std::string, std::string>> targets{{"sbatch", "sbatch"}};
  for (const auto& [name, kind] : manifest_kinds()) targets.emplace_back(name, name);
  emit_
      .choice("--for", options_.emit_for, std::move(targets),
              "sbatch: a script for Slurm; mpijob, job, jobset: a manifest for Kubernetes (Kubeflow's MPIJob, an "
              "Indexed Job, a JobSet)")
      .required();
  emit_
      .text("-o,--output", options_.sbatch.results,
            "folder for the results, which all nodes see; in pods, a volume is mounted at its first part", "FOLDER")
      .required();
  emit_.text("--time", options_.sbatch.time_limit, "time limit of one job or pod, in sbatch's format", "TIME");
  emit_.number("--gpus-per-node", options_.sbatch.gpus_per_node, 0, 1024,
               "GPUs to request on each node, 0 for none; by default one per rank if the sweep uses GPU memory");
  emit_.group("For Kubernetes");
  emit_.text("--image", options_.manifest.image, "image with Ringmark; for mpijob also with sshd", "IMAGE");
  emit_.text("--name", options_.manifest.name, "name of the objects; by default derived from the sweep file's", "NAME");
  emit_.text("--claim", options_.manifest.claim, "volume claim for the results", "NAME");
  declare_overrides(emit_);
  emit_.examples(
      {"ringmark-sweep emit sweeps/transports.yaml --for sbatch -o /shared/results --ranks 32 "
       "--ranks-per-node 8 > sweep.sbatch",
       "ringmark-sweep emit sweeps/transports.yaml --for job -o /results/first --ranks 32 --ranks-per-node 8 "
       "--image registry/ringmark > sweep.k8s.yaml"},
      "It is written to standard output. The launcher is slurm for sbatch, the file's MPI for mpijob, none for job "
      "and jobset, unless --launcher names another.");
}

void SweepCommandLine::declare_surface() {
  auto& surface = options_.surface;
  tune_.group("A search over recorded results");
  tune_.file("--surface", surface.csv, "search in this results.csv instead of launching");
  tune_.choice("--search", surface.search,
               {{"grid", Search::grid},
                {"random", Search::random},
                {"bayesian", Search::bayesian},
                {"halving", Search::halving}},
               "with --surface: grid, random, bayesian or halving");
  tune_.number("--budget", surface.budget_launches, 2, 100'000, "with --surface: number of launches");
  tune_.number("--seed", surface.seed, 0, UINT64_MAX, "with --surface: seed of the search and of the draws");
}

void SweepCommandLine::declare_overrides(Flags& command) {
  auto& overrides = options_.overrides;
  std::vector<std::pair<std::string, std::string>> kinds;
  for (const auto& [name, kind] : launcher_kinds()) {
    if (kind != LauncherKind::custom) kinds.emplace_back(name, name);
  }
  command.group("Overrides of the file's values");
  command.number("--ranks", overrides.ranks, 1, 1'000'000, "number of ranks");
  command.number("--ranks-per-node", overrides.ranks_per_node, 1, 4096, "ranks on each host");
  declare_hosts(command);
  command.choice("--launcher", overrides.launcher, std::move(kinds),
                 "mpich, openmpi, slurm (srun, with the PMI that works), srun, torchrun, none (another system starts "
                 "ringmark-sweep on every node) or local");
  command.repeatable(
      "--variable", "NAME=V1,V2",
      [&overrides](const std::string& word) -> std::string {
        const auto equals = word.find('=');
        if (equals == 0 || equals == std::string::npos || equals + 1 == word.size())
          return "give NAME=VALUE,VALUE; unset is a value too";
        const bool is_new = overrides.variables.emplace(word.substr(0, equals), word.substr(equals + 1)).second;
        return is_new ? "" : "this variable is given twice";
      },
      "values of a variable of the file, repeatable: tcp.sockets=unset,4, or a range as in the file");
  command.repeatable(
      "--label", "KEY=VALUE",
      [&overrides](const std::string& word) {
        if (word.find('=') == std::string::npos || word.starts_with('=')) return "give KEY=VALUE";
        return overrides.labels.push_back(word), "";
      },
      "a label for the rows, such as cluster=eu1: label.KEY in their settings, and in the manifest");
}

void SweepCommandLine::declare_hosts(Flags& command) {
  command.text("--hosts", hosts_, "hosts, in Slurm's notation too: a,b or node[01-04,07]", "LIST");
  command.file("--hostfile", host_file_,
               "file of hosts with their ranks, one per line: node1, node1:2 or node1 slots=2");
}

void SweepCommandLine::declare_nodes(Flags& command) {
  command.group("Launchers none and torchrun: nodes that another system starts");
  command.number("--nodes", options_.overrides.nodes, 1, 1'000'000,
                 "number of nodes, if their environment variables do not give it (Indexed Jobs)");
  command.seconds("--timeout", options_.time_for_nodes, 1, 86'400, "how long to wait for all nodes");
}

void SweepCommandLine::find_hosts() {
  const auto or_problem = [this](const char* flag, const std::string& value, const auto& find) {
    try {
      find();
    } catch (const BadUsage& error) {
      flags_.add_problem({.flag = flag, .value = value, .text = error.what()});
    }
  };
  auto& overrides = options_.overrides;
  if (!hosts_.empty()) {
    or_problem("--hosts", hosts_, [&] {
      overrides.hosts = expand_host_list(hosts_);
      for (const auto& host : overrides.hosts) check_host_name(host, hosts_);
    });
    if (!host_file_.empty())
      flags_.add_problem({.flag = "--hostfile",
                          .value = host_file_,
                          .text = "cannot be combined with --hosts",
                          .remedy = "give one of the two"});
  } else if (!host_file_.empty()) {
    or_problem("--hostfile", host_file_, [&] { overrides.allocation = read_host_file(host_file_); });
  } else if (init_.is_chosen() || run_.is_chosen() || tune_.is_chosen() || tune_run_.is_chosen() ||
             resume_.is_chosen()) {
    overrides.allocation = find_allocation();
  }
}

void SweepCommandLine::check() {
  find_hosts();
  if (emit_.is_chosen() && !(hosts_.empty() && host_file_.empty()))
    emit_.problem(hosts_.empty() ? "--hostfile" : "--hosts", "the batch system chooses the hosts",
                  "leave it out, and give the number of ranks with --ranks");
  for (const char* flag : {"--image", "--name", "--claim"}) {
    if (emit_.is_given(flag) && options_.emit_for == "sbatch")
      emit_.problem(flag, "is for Kubernetes", "leave it out with --for sbatch");
  }
  const bool has_surface = tune_.is_given("--surface");
  for (const char* flag : {"--search", "--budget", "--seed"}) {
    if (tune_.is_given(flag) && !has_surface) tune_.problem(flag, "requires --surface", "give that as well");
  }
  if (has_surface && tune_.is_given("--output"))
    tune_.problem("--output", "a search over recorded results writes no folder", "leave it out");
  const bool needs_folder = (run_.is_chosen() && !options_.dry) || (tune_.is_chosen() && !has_surface);
  if (needs_folder && options_.folder.empty())
    flags_.add_problem({.flag = "-o FOLDER", .text = "missing", .remedy = "give a folder for the results"});
}

SweepCommand SweepCommandLine::command() const {
  if (run_.is_chosen()) return SweepCommand::run;
  if (resume_.is_chosen()) return SweepCommand::resume;
  if (tune_.is_chosen()) return SweepCommand::tune;
  if (tune_run_.is_chosen()) return SweepCommand::tune_run;
  if (init_.is_chosen()) return SweepCommand::init;
  if (emit_.is_chosen()) return SweepCommand::emit;
  return list_.is_chosen() ? SweepCommand::list : SweepCommand::describe_node;
}

}  // namespace ringmark::sweep
