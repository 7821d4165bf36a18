// Variables and files with which mpirun on host 0 starts one rank per host over the lab's network, without flags.
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

/// `nics`: those of a host.
std::vector<Variable> launch_environment(const std::vector<Nic>& nics);

/// Contents of the files to which the variables point.
std::string hydra_host_file(const std::vector<Host>& hosts);
std::string open_mpi_host_file(const std::vector<Host>& hosts);

/// The lab's names, followed by the machine's /etc/hosts; localhost is always among them.
std::string names_file(std::string_view machine_names, const std::vector<Host>& hosts);

/// Writes the files, and the link through which launchers start this program as their ssh.
void write_launch_files(const std::vector<Host>& hosts);

/// Sets the variables that are not set yet: the user's values win.
void set_launch_environment(const std::vector<Nic>& nics, bool verbose);

}  // namespace ringmark::lab
