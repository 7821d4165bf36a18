#include "lab/options.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <filesystem>
#include <sstream>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

#include "lab/errors.hpp"

#ifndef RINGMARK_VERSION
#define RINGMARK_VERSION "unknown"
#endif

namespace ringmark::lab {
namespace {

using std::chrono::milliseconds;

constexpr std::string_view allowed_times = "a number with ms, s or m, such as 500ms, 3s or 1.5s, up to 24 hours";
constexpr std::string_view allowed_timeouts = "a number of seconds above 0, such as 30 or 0.5, up to 24 hours";
constexpr double longest_ms = 24 * 3600e3;

constexpr auto footer =
    R"(The command comes after "--". In a lab, mpirun starts one rank per host with no further flags.
Exit status of run, vm and exec: the command's, or 128 plus the signal it died by; 124: --timeout; 2: wrong request;
3: the virtual machine died; 4: this machine lacks something the lab needs.)";

[[noreturn]] void refuse(std::string_view flag, std::string_view value, std::string_view allowed) {
  throw UsageError(fmt::format("{}: \"{}\" is not allowed; give {}", flag, value, allowed));
}

bool is_option(const std::string& argument) { return argument.rfind('-', 0) == 0; }

std::optional<int> parse_integer(std::string_view text) {
  int number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number);
  if (parsed.ec != std::errc{} || parsed.ptr != end) return std::nullopt;
  return number;
}

struct TimeUnit {
  std::string_view name;
  double ms;
};

/// Digits, an optional fraction, and one of the units.
template <std::size_t Size>
std::optional<milliseconds> parse_time(std::string_view text, const std::array<TimeUnit, Size>& units) {
  if (text.empty() || text.front() < '0' || text.front() > '9') return std::nullopt;
  double number = 0;
  const char* end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data(), end, number, std::chars_format::fixed);
  if (parsed.ec != std::errc{}) return std::nullopt;
  const std::string_view name(parsed.ptr, static_cast<std::size_t>(end - parsed.ptr));
  for (const TimeUnit& unit : units)
    if (name == unit.name && number * unit.ms <= longest_ms) return milliseconds(std::llround(number * unit.ms));
  return std::nullopt;
}

int parse_hosts(const std::string& value, int most) {
  const auto hosts = parse_integer(value);
  if (!hosts || *hosts < 1 || *hosts > most)
    refuse("--hosts", value, fmt::format("a number of hosts from 1 to {}", most));
  return *hosts;
}

Rate parse_rate_of_all(const std::string& value) {
  const auto rate = parse_rate(value);
  if (!rate) refuse("--rate", value, allowed_rates);
  return *rate;
}

milliseconds parse_timeout(const std::string& value) {
  const auto timeout = parse_time(value, std::array{TimeUnit{"", 1e3}});
  if (!timeout || *timeout == milliseconds::zero()) refuse("--timeout", value, allowed_timeouts);
  return *timeout;
}

milliseconds parse_span(std::string_view flag, const std::string& value) {
  const auto span = parse_time(value, std::array{TimeUnit{"ms", 1}, TimeUnit{"s", 1e3}, TimeUnit{"m", 60e3}});
  if (!span) refuse(flag, value, allowed_times);
  return *span;
}

/// Parses "HOST<separator>rest" and checks the host.
struct HostSetting {
  int host;
  std::string rest;
};
HostSetting parse_host_setting(std::string_view flag, const std::string& value, char separator, int hosts,
                               std::string_view allowed) {
  const auto at = value.find(separator);
  if (at == std::string::npos) refuse(flag, value, allowed);
  const auto host = parse_integer(std::string_view(value).substr(0, at));
  if (!host) refuse(flag, value, allowed);
  if (*host < 0 || *host >= hosts)
    refuse(flag, value, fmt::format("a host from 0 to {} (--hosts is {})", hosts - 1, hosts));
  return {*host, value.substr(at + 1)};
}

std::vector<Cut> parse_cuts(const std::vector<std::string>& values, int hosts) {
  std::vector<Cut> cuts;
  for (const std::string& value : values) {
    const std::string allowed = fmt::format("HOST@TIME, such as 2@3s; a time is {}", allowed_times);
    const auto setting = parse_host_setting("--cut", value, '@', hosts, allowed);
    const auto after = parse_time(setting.rest, std::array{TimeUnit{"ms", 1}, TimeUnit{"s", 1e3}, TimeUnit{"m", 60e3}});
    if (!after) refuse("--cut", value, allowed);
    cuts.push_back({setting.host, *after});
  }
  std::stable_sort(cuts.begin(), cuts.end(), [](const Cut& a, const Cut& b) { return a.after < b.after; });
  return cuts;
}

/// The values on the command line. All are text, so that all refusals read alike.
struct RunText {
  std::string hosts, rate = "0";
  std::optional<std::string> timeout;
  std::vector<std::string> host_rates, cuts;
  bool verbose = false;
};

RunOptions check(const RunText& text, std::vector<std::string> command) {
  RunOptions options;
  options.hosts = parse_hosts(text.hosts, most_hosts);
  options.rate = parse_rate_of_all(text.rate);
  for (const std::string& value : text.host_rates) {
    const std::string allowed = fmt::format("HOST=RATE, such as 2=100mbit; a rate is {}", allowed_rates);
    const auto setting = parse_host_setting("--host-rate", value, '=', options.hosts, allowed);
    const auto host_rate = parse_rate(setting.rest);
    if (!host_rate) refuse("--host-rate", value, allowed);
    if (!options.host_rates.emplace(setting.host, *host_rate).second) refuse("--host-rate", value, "each host once");
  }
  options.cuts = parse_cuts(text.cuts, options.hosts);
  if (text.timeout) options.timeout = parse_timeout(*text.timeout);
  options.verbose = text.verbose;
  if (command.empty()) throw UsageError("run: the command is missing; give it after \"--\"");
  options.command = std::move(command);
  return options;
}

struct VmText {
  std::string hosts = "4", rate = "0", delay = "0ms", loss = "0", timeout = "300";
  std::vector<std::string> cuts, shares;
  bool only_check = false;
};

VmOptions check(const VmText& text, std::vector<std::string> command) {
  VmOptions options;
  options.hosts = parse_hosts(text.hosts, most_vm_hosts);
  options.rate = parse_rate_of_all(text.rate);
  options.delay = parse_span("--delay", text.delay);
  const char* end = text.loss.data() + text.loss.size();
  const auto loss = std::from_chars(text.loss.data(), end, options.loss_percent);
  if (loss.ec != std::errc{} || loss.ptr != end || !(options.loss_percent >= 0 && options.loss_percent <= 50))
    refuse("--loss", text.loss, "a percentage from 0 to 50");
  options.cuts = parse_cuts(text.cuts, options.hosts);
  options.timeout = parse_timeout(text.timeout);
  for (const auto& folder : text.shares) {
    if (!std::filesystem::is_directory(folder)) refuse("--share", folder, "an existing folder");
    options.shares.push_back(std::filesystem::canonical(folder).string());
  }
  options.only_check = text.only_check;
  if (command.empty() && !text.only_check) throw UsageError("vm: the command is missing; give it after \"--\"");
  options.command = std::move(command);
  return options;
}

void declare(CLI::App& run, RunText& text) {
  run.add_option("--hosts", text.hosts, fmt::format("Number of hosts, 1 to {}", most_hosts))
      ->required()
      ->type_name("N");
  run.add_option("--rate", text.rate, "Rate of every link in each direction, such as 1gbit; 0 (default): unshaped")
      ->type_name("RATE");
  run.add_option("--host-rate", text.host_rates, "A different rate for one host, such as 2=100mbit")
      ->type_name("HOST=RATE")
      ->allow_extra_args(false);
  run.add_option("--cut", text.cuts, "Take a host's link down some time after the command's start, such as 2@3s")
      ->type_name("HOST@TIME")
      ->allow_extra_args(false);
  run.add_option("--timeout", text.timeout, "End the command after this time, with exit status 124")
      ->type_name("SECONDS");
  run.add_flag("--verbose", text.verbose, "Print the steps that make the lab");
}

void declare(CLI::App& vm, VmText& text) {
  vm.add_option("--hosts", text.hosts, fmt::format("Number of hosts with an RDMA device each, 1 to {}", most_vm_hosts))
      ->type_name("N")
      ->capture_default_str();
  vm.add_option("--rate", text.rate, "Rate of every link, such as 40mbit; 0: unshaped")
      ->type_name("RATE")
      ->capture_default_str();
  vm.add_option("--delay", text.delay, "Delay of every link, one way, such as 5ms")
      ->type_name("TIME")
      ->capture_default_str();
  vm.add_option("--loss", text.loss, "Share of packets that every link loses")
      ->type_name("PERCENT")
      ->capture_default_str();
  vm.add_option("--cut", text.cuts, "Take a host's link down some time after the command's start, such as 2@3s")
      ->type_name("HOST@TIME")
      ->allow_extra_args(false);
  vm.add_option("--timeout", text.timeout, "End the command after this time, with exit status 124")
      ->type_name("SECONDS")
      ->capture_default_str();
  vm.add_option("--share", text.shares,
                "A folder that the command may write to; files in /tmp are lost with the machine, and all other "
                "folders are this machine's and read-only")
      ->type_name("FOLDER")
      ->allow_extra_args(false);
  vm.add_flag("--check", text.only_check, "Only check the requirements: exit status 0 if all are met, else 4");
}

}  // namespace

Request parse_request(const std::vector<std::string>& arguments) {
  // Split here and not by CLI11, so that the command keeps all its arguments, including a later "--".
  const auto separator = std::find(arguments.begin(), arguments.end(), "--");
  const bool separated = separator != arguments.end();
  std::vector<std::string> command(separated ? separator + 1 : separator, arguments.end());

  CLI::App app("A cluster in a box: network-namespace hosts with shaped links.", "ringmark-lab");
  app.require_subcommand(1);
  app.footer(footer);
  app.set_version_flag("--version", "ringmark-lab " RINGMARK_VERSION);

  RunText text;
  CLI::App* run = app.add_subcommand(
      "run", "run --hosts N [OPTIONS] -- COMMAND [ARGS...]\nMake the hosts, run a command on host 0, remove the hosts");
  declare(*run, text);

  VmText vm_text;
  CLI::App* vm = app.add_subcommand("vm",
                                    "vm [OPTIONS] -- COMMAND [ARGS...]\nBoot a virtual machine whose hosts have "
                                    "Soft-RoCE devices (rxe0, …), run a command in it, shut it down");
  declare(*vm, vm_text);

  ExecOptions exec_options;
  CLI::App* exec = app.add_subcommand("exec", "exec HOST -- COMMAND [ARGS...]\nIn a lab: run a command on one host");
  exec->add_option("HOST", exec_options.host, "Number, name or address of the host")->required()->type_name("");
  app.add_subcommand("hosts", "In a lab: list index, hostname, address and rate of every host");
  CLI::App* counters = app.add_subcommand("counters", "In a lab: list bytes sent and received by every host's e0");

  const auto is_first = [&](const CLI::App* subcommand) { return subcommand->check_name(arguments.front()); };
  if (!arguments.empty() && !is_option(arguments.front()) && app.get_subcommands(is_first).empty())
    throw UsageError(fmt::format("\"{}\" is unknown; give run, vm, exec, hosts or counters", arguments.front()));
  // CLI11 takes the arguments in reverse order.
  std::vector<std::string> own(std::make_reverse_iterator(separator), arguments.rend());
  try {
    app.parse(own);
  } catch (const CLI::ExtrasError& error) {
    throw UsageError(fmt::format("{} (the command goes after \"--\")", error.what()));
  } catch (const CLI::ParseError& error) {
    std::ostringstream out, complaint;
    if (app.exit(error, out, complaint) == 0) return ShowText{out.str()};
    throw UsageError(error.what());
  }

  if (run->parsed()) return check(text, std::move(command));
  if (vm->parsed()) return check(vm_text, std::move(command));
  if (exec->parsed()) {
    if (command.empty()) throw UsageError("exec: the command is missing; give it after \"--\"");
    exec_options.command = std::move(command);
    return exec_options;
  }
  if (separated) throw UsageError("only run, vm and exec take a command");
  if (counters->parsed()) return ShowCounters{};
  return ShowHosts{};
}

}  // namespace ringmark::lab
