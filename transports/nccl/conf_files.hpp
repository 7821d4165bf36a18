// NCCL's configuration files, whose settings appear on no command line.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "base/problem.hpp"

namespace ringmark {

/// The folder where NCCL looks for the user's file: the user's home in passwd, not HOME; empty if there is none.
std::filesystem::path nccl_home();

/// NCCL_CONF_FILE or otherwise ~/.nccl.conf, then /etc/nccl.conf: an earlier file wins.
std::vector<std::filesystem::path> nccl_conf_files();

/// The settings of such a file on one line, without comments and empty lines.
std::string nccl_settings_in(std::string_view text);

struct NcclConfValue {
  std::string value;
  int line;
};

/// The settings of such a file by name; the first value of a name wins.
std::map<std::string, NcclConfValue> nccl_conf_settings(std::string_view text);

/// The lines of such a file that NCCL misreads. `file` is its name, for messages.
std::vector<Problem> nccl_conf_problems(std::string_view text, const std::string& file);

/// "FILE: settings; FILE: settings" for all files that contain settings; empty if there are none.
std::string nccl_settings_in_files();

}  // namespace ringmark
