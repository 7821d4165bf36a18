#include "sweeps/tune/ready_files.hpp"

#include <sstream>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "sweeps/command.hpp"

namespace ringmark::sweep {
namespace {

std::string as_comment(const std::string& text) {
  std::string comment;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) comment += "# " + line + "\n";
  return comment;
}

}  // namespace

std::string shell_environment(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  const auto resolved = resolve(sweep, setting);
  auto text = as_comment(sweep.question) + as_comment(evidence);
  for (const auto& [name, value] : resolved.environment) {
    text += value ? fmt::format("export {}={}\n", name, shell_line({{*value}, {}})) : fmt::format("unset {}\n", name);
  }
  const auto arguments = shell_line({program_arguments(resolved), {}});
  return text + fmt::format("export RINGMARK_ARGUMENTS={}\n", shell_line({{arguments}, {}}));
}

std::string nccl_conf(const Sweep& sweep, const Setting& setting, const std::string& evidence) {
  std::string lines;
  for (const auto& [name, value] : resolve(sweep, setting).environment) {
    if (value && name.starts_with("NCCL_")) lines += fmt::format("{}={}\n", name, *value);
  }
  return lines.empty() ? lines : as_comment(sweep.question) + as_comment(evidence) + lines;
}

}  // namespace ringmark::sweep
