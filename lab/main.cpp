// ringmark-lab: a cluster in a box.
#include <cstdio>
#include <exception>
#include <string>
#include <variant>
#include <vector>

#include <fmt/format.h>

#include "base/flags/run_program.hpp"
#include "base/text/error_text.hpp"
#include "base/write_file.hpp"
#include "lab/drawing.hpp"
#include "lab/errors.hpp"
#include "lab/inside.hpp"
#include "lab/options.hpp"
#include "lab/remote_shell.hpp"
#include "lab/supervisor.hpp"
#include "lab/vm/machine.hpp"

namespace ringmark::lab {
namespace {

int show(const std::string& text) {
  std::fputs(text.c_str(), stdout);  // run_program checks it
  return exit_ok;
}

struct Answer {
  int operator()(const LabOptions& options) const { return supervise(options); }
  int operator()(const ShowNetwork& request) const {
    const auto network = plan_network(request.options);
    if (!request.svg_path.empty()) ringmark::write_file(request.svg_path, draw_svg(network));
    return show(draw_text(network));
  }
  int operator()(const VmOptions& options) const { return run_in_vm(options); }
  int operator()(const ExecOptions& options) const { exec_on_host(options.host, options.command); }
  int operator()(const ShowHosts&) const { return show(hosts_listing()); }
  int operator()(const ShowCounters& which) const {
    return show(which.links ? link_counters_listing() : counters_listing());
  }
  int operator()(const ShowText& text) const { return show(text.text); }
};

int complain(const char* program, const std::exception& error, int status) {
  fmt::print(stderr, "{}: {}\n", program, text_of(error));
  return status;
}

int answer(const std::vector<std::string>& arguments) try {
  return std::visit(Answer{}, parse_request(arguments));
} catch (const BadUsage& error) {
  return complain("ringmark-lab", error, exit_usage);
} catch (const Failed& error) {
  return complain("ringmark-lab", error, exit_failed);
} catch (const std::exception& error) {
  return complain("ringmark-lab", error, exit_unusable);
}

int answer_as_ssh(const std::vector<std::string>& arguments) try {
  run_remote_command(arguments);
} catch (const std::exception& error) {
  return complain(remote_shell_name, error, exit_ssh_failure);
}

}  // namespace
}  // namespace ringmark::lab

int main(int argc, char** argv) {
  const std::vector<std::string> arguments(argv + (argc > 0), argv + argc);
  const std::string program = argc > 0 ? argv[0] : "";
  const bool as_ssh = program.substr(program.rfind('/') + 1) == ringmark::lab::remote_shell_name;
  if (as_ssh) return ringmark::lab::answer_as_ssh(arguments);
  return ringmark::run_program("ringmark-lab", [&] { return ringmark::lab::answer(arguments); });
}
