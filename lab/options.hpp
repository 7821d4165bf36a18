// What the user asked for: the command line as checked values.
#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>
#include <variant>
#include <vector>

#include "lab/rate.hpp"

namespace ringmark::lab {

/// The last byte of an address is the host's number plus one.
constexpr int most_hosts = 250;

/// A host's link goes down, some time after the command's start.
struct Cut {
  int host;
  std::chrono::milliseconds after;
};

struct RunOptions {
  int hosts = 0;
  Rate rate;
  std::map<int, Rate> host_rates;  // by host, instead of `rate`
  std::vector<Cut> cuts;           // in the order of their times
  std::optional<std::chrono::milliseconds> timeout;
  bool verbose = false;
  std::vector<std::string> command;
};

/// A virtual machine's hosts have an RDMA device each, and one digit.
constexpr int most_vm_hosts = 8;

struct VmOptions {
  int hosts = 4;
  Rate rate;
  std::chrono::milliseconds delay{0};  // of each link, one way
  double loss_percent = 0;
  std::vector<Cut> cuts;  // in the order of their times
  std::chrono::milliseconds timeout{300'000};
  std::vector<std::string> shares;  // folders that the command may write to
  bool only_check = false;          // whether there is all that a machine needs
  std::vector<std::string> command;
};

struct ExecOptions {
  std::string host;  // number, name or address
  std::vector<std::string> command;
};

struct ShowHosts {};
struct ShowCounters {};

/// Help or version: to be printed, and done.
struct ShowText {
  std::string text;
};

using Request = std::variant<RunOptions, VmOptions, ExecOptions, ShowHosts, ShowCounters, ShowText>;

/// The arguments without the program's name. Throws UsageError with a message for the user.
Request parse_request(const std::vector<std::string>& arguments);

}  // namespace ringmark::lab
