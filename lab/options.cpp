#include "lab/options.hpp"

#include <algorithm>
#include <cmath>
#include <filesystem>
#include <limits>

#include <fmt/format.h>

#include "base/flags.hpp"
#include "lab/errors.hpp"

#ifndef RINGMARK_VERSION
#define RINGMARK_VERSION "unknown"
#endif

namespace ringmark::lab {
namespace {

using std::chrono::milliseconds;
using Words = std::vector<std::string>;

constexpr std::string_view allowed_times = "a number with ms, s or m, such as 500ms, 3s or 1.5s, up to 24 hours";
constexpr double longest_ms = 24 * 3600e3, shortest_timeout_s = 0.001, longest_timeout_s = longest_ms / 1e3;

std::optional<milliseconds> parse_time(std::string_view text) {
  using namespace std::string_view_literals;
  for (const auto& [unit, ms] : {std::pair("ms"sv, 1.0), std::pair("s"sv, 1e3), std::pair("m"sv, 60e3)}) {
    double number = 0;
    if (text.ends_with(unit) && read_number(text.substr(0, text.size() - unit.size()), 0.0, longest_ms / ms, number))
      return milliseconds(std::llround(number * ms));
  }
  return std::nullopt;
}

/// `parse` returns an optional value; `allowed` says which words it takes.
template <class To, class Parse>
Flags::Reader read_with(Parse parse, std::string_view allowed, To& to) {
  return [=, &to](const std::string& word) -> std::string {
    const auto value = parse(word);
    if (!value) return fmt::format("give {}", allowed);
    to = *value;
    return {};
  };
}

class LabCommandLine {
 public:
  LabCommandLine();
  Request parse(const Words& arguments);

 private:
  /// False if the text behind the separator is not allowed.
  using Apply = std::function<bool(int host, const std::string& rest)>;
  struct NamedHost {
    std::string flag, word;
    int host;
  };

  void declare_run();
  void declare_vm();
  void declare_host_setting(Flags& flags, const std::string& flag, const std::string& type, std::string allowed,
                            Apply apply, const std::string& meaning);
  void declare_cuts(Flags& flags, std::vector<Cut>& cuts);
  void check(const Words& command, bool has_separator);
  Request request(Words command);

  RunOptions run_options_;
  std::optional<int> run_hosts_;
  VmOptions vm_options_;
  ExecOptions exec_options_;
  std::vector<NamedHost> named_hosts_;  // as --cut and --host-rate have them

  Flags flags_{"ringmark-lab", "A cluster in a box: network-namespace hosts with shaped links.",
               "ringmark-lab " RINGMARK_VERSION};
  Flags& run_ = flags_.subcommand("run", "make the hosts, run a command on host 0, remove the hosts");
  Flags& vm_ = flags_.subcommand(
      "vm", "boot a virtual machine whose hosts have Soft-RoCE devices (rxe0, …), run a command in it, shut it down");
  Flags& exec_ = flags_.subcommand("exec", "in a lab: run a command on one host");
  Flags& hosts_ = flags_.subcommand("hosts", "in a lab: list index, hostname, address and rate of every host");
  Flags& counters_ = flags_.subcommand("counters", "in a lab: list bytes sent and received by every host's e0");
};

LabCommandLine::LabCommandLine() {
  flags_.examples(
      {"ringmark-lab run --hosts 4 --rate 1gbit -- mpirun.mpich -n 4 ringmark-all-reduce",
       "ringmark-lab vm --hosts 4 -- ringmark-all-reduce --ranks 4 --transport verbs", "ringmark-lab vm --check"},
      "The command comes after \"--\". In a lab, mpirun starts one rank per host with no further flags.\n"
      "Exit status of run, vm and exec: the command's, or 128 plus the signal it died by; 124: --timeout;\n"
      "2: wrong request; 3: the virtual machine died; 4: this machine lacks something the lab needs.");
  declare_run();
  declare_vm();
  exec_.text("host", exec_options_.host, "number, name or address of the host", "HOST").required();
  exec_.examples({"ringmark-lab exec 2 -- ip address", "ringmark-lab exec host-2 -- hostname",
                  "ringmark-lab exec 0 -- sh -c 'ping -c 1 host-1'"});
  hosts_.examples({"ringmark-lab run --hosts 3 -- ringmark-lab hosts"});
  counters_.examples(
      {"ringmark-lab run --hosts 3 -- sh -c 'mpirun.mpich -n 3 ringmark-all-reduce; "
       "ringmark-lab counters'"});
  for (auto* each : {&run_, &vm_, &exec_}) each->surplus("the command goes after \"--\"");
}

void LabCommandLine::declare_run() {
  auto& options = run_options_;
  run_.number("--hosts", run_hosts_, 1, most_hosts, fmt::format("number of hosts, 1 to {}", most_hosts)).required();
  run_.group("Links");
  run_.word("--rate", "RATE", to_string(options.rate), read_with(parse_rate, allowed_rates, options.rate),
            "rate of every link in each direction, such as 1gbit; 0: unshaped");
  declare_host_setting(
      run_, "--host-rate", "HOST=RATE",
      fmt::format("HOST=RATE, each host once, such as 2=100mbit; a rate is {}", allowed_rates),
      [&options](int host, const std::string& rest) {
        const auto rate = parse_rate(rest);
        return rate && options.host_rates.emplace(host, *rate).second;
      },
      "a different rate for one host, such as 2=100mbit");
  declare_cuts(run_, options.cuts);
  run_.group("Command");
  run_.seconds("--timeout", options.timeout, shortest_timeout_s, longest_timeout_s,
               "end the command after this time, with exit status 124");
  run_.toggle("--verbose", options.verbose, "print the steps that make the lab");
  run_.examples({"ringmark-lab run --hosts 4 --rate 1gbit -- mpirun.mpich -n 4 ringmark-all-reduce",
                 "ringmark-lab run --hosts 4 --rate 1gbit --host-rate 2=100mbit -- mpirun.mpich -n 4 ringmark-link "
                 "--pairs all",
                 "ringmark-lab run --hosts 3 --cut 2@3s --timeout 60 -- mpirun.mpich -n 3 ringmark-all-reduce"});
}

void LabCommandLine::declare_vm() {
  auto& options = vm_options_;
  vm_.number("--hosts", options.hosts, 1, most_vm_hosts,
             fmt::format("number of hosts with an RDMA device each, 1 to {}", most_vm_hosts));
  vm_.group("Links");
  vm_.word("--rate", "RATE", to_string(options.rate), read_with(parse_rate, allowed_rates, options.rate),
           "rate of every link, such as 40mbit; 0: unshaped");
  vm_.word("--delay", "TIME", fmt::format("{}ms", options.delay.count()),
           read_with(parse_time, allowed_times, options.delay), "delay of every link, one way, such as 5ms");
  vm_.percent("--loss", options.loss_percent, 0, 50, "share of packets that every link loses");
  declare_cuts(vm_, options.cuts);
  vm_.group("Command");
  vm_.seconds("--timeout", options.timeout, shortest_timeout_s, longest_timeout_s,
              "end the command after this time, with exit status 124");
  vm_.repeatable(
      "--share", "FOLDER",
      [&options](const std::string& folder) {
        if (!std::filesystem::is_directory(folder)) return "give an existing folder";
        options.shares.push_back(std::filesystem::canonical(folder).string());
        return "";
      },
      "a folder that the command may write to; files in /tmp are lost with the machine, and all other folders are "
      "this machine's and read-only");
  vm_.toggle("--check", options.only_check, "only check the requirements: exit status 0 if all are met, else 4");
  vm_.examples({"ringmark-lab vm --check",
                "ringmark-lab vm --hosts 4 -- ringmark-all-reduce --ranks 4 --transport verbs -e 64K --max-time 1",
                "ringmark-lab vm --delay 5ms --loss 0.1 --share results -- sh -c 'ringmark-link --ranks 2 --csv "
                "results/links.csv'"});
}

void LabCommandLine::declare_host_setting(Flags& flags, const std::string& flag, const std::string& type,
                                          std::string allowed, Apply apply, const std::string& meaning) {
  const auto read = [this, flag, separator = type[std::string_view("HOST").size()], allowed = std::move(allowed),
                     apply = std::move(apply)](const std::string& word) -> std::string {
    const auto at = word.find(separator);
    int host = 0;
    if (at == std::string::npos || !read_number(word.substr(0, at), 0, std::numeric_limits<int>::max(), host) ||
        !apply(host, word.substr(at + 1)))
      return "give " + allowed;
    named_hosts_.push_back({flag, word, host});
    return {};
  };
  flags.repeatable(flag, type, read, meaning);
}

void LabCommandLine::declare_cuts(Flags& flags, std::vector<Cut>& cuts) {
  declare_host_setting(
      flags, "--cut", "HOST@TIME", fmt::format("HOST@TIME, such as 2@3s; a time is {}", allowed_times),
      [&cuts](int host, const std::string& rest) {
        const auto after = parse_time(rest);
        if (after) cuts.push_back({host, *after});
        return after.has_value();
      },
      "take a host's link down some time after the command's start, such as 2@3s");
}

void LabCommandLine::check(const Words& command, bool has_separator) {
  const bool takes_command = run_.is_chosen() || vm_.is_chosen() || exec_.is_chosen();
  if (has_separator && !takes_command) flags_.add_problem({.text = "only run, vm and exec take a command"});
  if (takes_command && command.empty() && !vm_options_.only_check)
    flags_.add_problem({.text = "the command is missing", .remedy = "give it after \"--\""});
  const auto& problems = flags_.problems();
  if (std::any_of(problems.begin(), problems.end(), [](const Problem& each) { return each.flag == "--hosts"; })) return;
  const int hosts = vm_.is_chosen() ? vm_options_.hosts : run_hosts_.value_or(0);
  for (const auto& [flag, word, host] : named_hosts_) {
    if (host >= hosts) flags_.add_problem({flag, word, fmt::format("give a host from 0 to {}", hosts - 1)});
  }
}

Request LabCommandLine::request(Words command) {
  const auto finished = [&command](auto options) {
    if constexpr (requires { options.cuts; }) {
      const auto is_earlier = [](const Cut& a, const Cut& b) { return a.after < b.after; };
      std::stable_sort(options.cuts.begin(), options.cuts.end(), is_earlier);
    }
    options.command = std::move(command);
    return options;
  };
  run_options_.hosts = run_hosts_.value_or(0);
  if (run_.is_chosen()) return finished(run_options_);
  if (vm_.is_chosen()) return finished(vm_options_);
  if (exec_.is_chosen()) return finished(exec_options_);
  if (counters_.is_chosen()) return ShowCounters{};
  return ShowHosts{};
}

Request LabCommandLine::parse(const Words& arguments) {
  // The command keeps all its arguments, including a later "--", so CLI11 must not see them.
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
