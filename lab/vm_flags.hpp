// The flags of ringmark-lab vm.
#pragma once

#include "lab/host_flags.hpp"
#include "lab/options.hpp"

namespace ringmark::lab {

class VmFlags {
 public:
  /// Adds the subcommand to `program`.
  explicit VmFlags(Flags& program);

  bool is_chosen() const { return vm_.is_chosen(); }
  bool needs_command() const { return !options_.only_check; }
  Flags& flags() { return vm_; }
  void check();
  const VmOptions& options() const { return options_; }

 private:
  VmOptions options_;
  Flags& vm_;
  HostFlags hosts_;
};

}  // namespace ringmark::lab
