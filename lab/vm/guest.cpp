#include "lab/vm/guest.hpp"

#include <fstream>

#include <fmt/format.h>
#include <stdlib.h>

#include "base/system/check.hpp"
#include "base/text/shell_text.hpp"
#include "lab/isolation.hpp"

namespace ringmark::lab {
namespace {

double seconds(std::chrono::milliseconds time) { return std::chrono::duration<double>(time).count(); }

std::string impairment(const VmOptions& options) {
  std::string text;
  if (options.delay.count() > 0) text += fmt::format(" delay {}ms", options.delay.count());
  if (options.loss_percent > 0) text += fmt::format(" loss {}%", options.loss_percent);
  if (!text.empty() && options.rate.shaped()) text += " rate " + to_string(options.rate);
  return text.empty() ? "" : "limit 10000" + text;
}

std::string environment(const VmOptions& options) {
  const auto rate = [](const Rate& shaped) { return shaped.shaped() ? to_string(shaped) : ""; };
  std::string text = fmt::format("hosts={}\nspines={}\nrate={}\nuplink={}\nimpairment={}\nfolder_of_command={}\n",
                                 options.hosts, options.spines, rate(options.rate), rate(options.uplink),
                                 shell_word(impairment(options)), shell_word(std::filesystem::current_path().string()));
  text += "shares=(";
  for (const auto& folder : options.shares) text += shell_word(folder) + " ";
  text += ")\ncuts=(";
  for (const auto& cut : options.cuts) text += shell_word(fmt::format("{} {}", cut.host, seconds(cut.after))) + " ";
  return text + ")\n";
}

}  // namespace

ControlFolder::ControlFolder(const VmOptions& options) {
  auto pattern = (std::filesystem::temp_directory_path() / "ringmark-vm-XXXXXX").string();
  if (::mkdtemp(pattern.data()) == nullptr) throw_errno("create a folder in " + pattern);
  path_ = pattern;
  write_file(path_ / "start", guest_start);
  write_file(path_ / "network", guest_network);
  write_file(path_ / "environment", environment(options));
  write_file(path_ / "command", shell_words(options.command) + "\n");
}

ControlFolder::~ControlFolder() {
  std::error_code ignored;
  std::filesystem::remove_all(path_, ignored);
}

std::optional<int> ControlFolder::status() const {
  std::ifstream file(path_ / "status");
  int status = 0;
  if (!(file >> status)) return std::nullopt;
  return status;
}

}  // namespace ringmark::lab
