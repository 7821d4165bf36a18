#include "lab/options.hpp"

#include <algorithm>

#include "base/flags/flags.hpp"
#include "lab/errors.hpp"
#include "lab/run_flags.hpp"
#include "lab/vm_flags.hpp"

#ifndef RINGMARK_VERSION
#define RINGMARK_VERSION "unknown"
#endif

namespace ringmark::lab {
namespace {

using Words = std::vector<std::string>;

class LabCommandLine {
 public:
  LabCommandLine();
  Request parse(const Words& arguments);

 private:
  void check(const Words& command, bool has_separator);
  Request request(Words command);

  ExecOptions exec_options_;
  bool counts_links_ = false;

  Flags flags_{"ringmark-lab",
               "A cluster in a box: network-namespace hosts with shaped links, on a switch or on leaves and spines.",
               "ringmark-lab " RINGMARK_VERSION};
  RunFlags run_{flags_};
  VmFlags vm_{flags_};
  Flags& exec_ = flags_.subcommand("exec", "in a lab: run a command on one host");
  Flags& hosts_ = flags_.subcommand("hosts", "in a lab: list index, hostname, address and rate of every host");
  Flags& counters_ = flags_.subcommand("counters", "in a lab: list bytes sent and received by every host");
};

LabCommandLine::LabCommandLine() {
  flags_.examples(
      {"ringmark-lab run --hosts 4 --rate 1gbit -- mpirun.mpich -n 4 ringmark-all-reduce",
       "ringmark-lab vm --hosts 4 -- ringmark-all-reduce --ranks 4 --transport verbs", "ringmark-lab vm --check"},
      "The command comes after \"--\". In a lab, mpirun starts one rank per host with no further flags.\n"
      "Exit status of run, vm and exec: the command's, or 128 plus the signal it died by; 124: --timeout;\n"
      "2: bad usage; 3: the virtual machine died; 4: this machine lacks something the lab needs.");
  exec_.text("host", exec_options_.host, "number, name or address of the host", "HOST").required();
  exec_.examples({"ringmark-lab exec 2 -- ip address", "ringmark-lab exec host-2 -- hostname",
                  "ringmark-lab exec 0 -- sh -c 'ping -c 1 host-1'"});
  exec_.surplus("the command goes after \"--\"");
  hosts_.examples({"ringmark-lab run --hosts 3 -- ringmark-lab hosts"});
  counters_.toggle("--links", counts_links_, "list every link instead, as counted by the device at its lower end");
  counters_.examples(
      {"ringmark-lab run --hosts 3 -- sh -c 'mpirun.mpich -n 3 ringmark-all-reduce; "
       "ringmark-lab counters'"});
}

void LabCommandLine::check(const Words& command, bool has_separator) {
  const bool takes_command = run_.is_chosen() || vm_.is_chosen() || exec_.is_chosen();
  if (has_separator && !takes_command) flags_.add_problem({.text = "only run, vm and exec take a command"});
  if (run_.is_chosen()) run_.check();
  if (vm_.is_chosen()) vm_.check();
  if (takes_command && command.empty() && run_.needs_command() && vm_.needs_command())
    flags_.add_problem({.text = "the command is missing", .remedy = "give it after \"--\""});
}

Request LabCommandLine::request(Words command) {
  const auto is_earlier = [](const auto& a, const auto& b) { return a.after < b.after; };
  if (run_.is_chosen()) {
    if (auto drawing = run_.drawing()) return *drawing;
    auto options = run_.options();
    std::stable_sort(options.faults.begin(), options.faults.end(), is_earlier);
    options.command = std::move(command);
    return options;
  }
  if (vm_.is_chosen()) {
    auto options = vm_.options();
    std::stable_sort(options.cuts.begin(), options.cuts.end(), is_earlier);
    options.command = std::move(command);
    return options;
  }
  if (exec_.is_chosen()) {
    exec_options_.command = std::move(command);
    return exec_options_;
  }
  if (counters_.is_chosen()) return ShowCounters{counts_links_};
  return ShowHosts{};
}

Request LabCommandLine::parse(const Words& arguments) {
  // The command keeps all its arguments, including a later "--", so hide them from CLI11.
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool has_separator = separator != arguments.end();
  const Words command(separator + (has_separator ? 1 : 0), arguments.end());
  std::vector<const char*> own{"ringmark-lab"};
  for (auto word = arguments.begin(); word != separator; ++word) own.push_back(word->c_str());
  Request given;
  const auto parsed = flags_.read(given, static_cast<int>(own.size()), own.data(), [&] {
    check(command, has_separator);
    given = request(command);
  });
  if (!parsed.problems.empty()) throw BadUsage(to_text(parsed.problems));
  if (parsed.exit_status) return ShowText{parsed.output};
  return parsed.options;
}

}  // namespace

Request parse_request(const Words& arguments) { return LabCommandLine().parse(arguments); }

}  // namespace ringmark::lab
