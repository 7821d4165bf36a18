// The flags of ringmark-lab run.
#pragma once

#include <optional>
#include <string>

#include "lab/fabric_file.hpp"
#include "lab/host_flags.hpp"
#include "lab/options.hpp"

namespace ringmark::lab {

class RunFlags {
 public:
  /// Adds the subcommand to `program`.
  explicit RunFlags(Flags& program);

  bool is_chosen() const { return run_.is_chosen(); }
  bool needs_command() const { return !shows_; }
  Flags& flags() { return run_; }
  /// Determines the network; problems are reported to the program's flags.
  void check();
  const LabOptions& options() const { return options_; }
  /// A drawing that was requested instead of a run.
  std::optional<ShowNetwork> drawing() const;

 private:
  void declare_fabric();
  void take_fabric_file();
  void settle_hosts();
  void settle_fabric();
  void check_names() const;

  LabOptions options_;
  std::optional<int> host_count_;
  std::string fabric_path_, svg_path_;
  FabricFile fabric_;  ///< from the file, overridden by the flags
  bool shows_ = false;
  Flags& program_;
  Flags& run_;
  HostFlags hosts_;
};

}  // namespace ringmark::lab
