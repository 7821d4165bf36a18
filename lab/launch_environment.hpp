// Variables and files with which mpirun on host 0 starts one rank per host over the lab's network, without further
// flags.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "lab/hosts.hpp"

namespace ringmark::lab {

struct Variable {
  std::string name;
  std::string value;
};

/// `nics`: those of one host.
std::vector<Variable> launch_environment(const std::vector<Nic>& nics);

/// Contents of the files that the variables point to.
std::string hydra_host_file(const std::vector<Host>& hosts);
std::string open_mpi_host_file(const std::vector<Host>& hosts);

/// The lab's names, followed by the machine's /etc/hosts; always includes localhost.
std::string names_file(std::string_view machine_names, const std::vector<Host>& hosts);

/// Writes the files, and the link through which launchers start this program instead of ssh.
void write_launch_files(const std::vector<Host>& hosts);

/// Sets the variables that are not set yet: the user's values win.
void set_launch_environment(const std::vector<Nic>& nics, bool verbose);

}  // namespace ringmark::lab
