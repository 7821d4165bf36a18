// What makes mpirun, started on host 0, start one rank per host over the lab's network, with no flags.
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

std::vector<Variable> launch_environment();

/// The files the variables point to.
std::string hydra_host_file(const std::vector<Host>& hosts);
std::string open_mpi_host_file(const std::vector<Host>& hosts);

/// The machine's /etc/hosts with the lab's names before it.
std::string names_file(std::string_view machine_names, const std::vector<Host>& hosts);

/// Writes the files, and the link by which the launchers start this program as their ssh.
void write_launch_files(const std::vector<Host>& hosts);

/// Sets the variables that are not set yet: the user's own choice wins.
void set_launch_environment(bool verbose);

}  // namespace ringmark::lab
