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
  /// Settles the network; all problems go to the program's.
  void check();
  const LabOptions& options() const { return options_; }
  /// A drawing that was asked for in place of a run.
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
  FabricFile fabric_;  ///< as the file has it, with the flags in place of what they set
  bool shows_ = false;
  Flags& program_;
  Flags& run_;
  HostFlags hosts_;
};

}  // namespace ringmark::lab
