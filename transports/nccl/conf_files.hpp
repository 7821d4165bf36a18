// The files that NCCL takes settings from, which no command line shows.
#pragma once

#include <filesystem>
#include <map>
#include <string>
#include <string_view>
#include <vector>

namespace ringmark {

/// Where NCCL looks for the user's file: the folder of the user in passwd, whatever HOME says; empty if there is none.
std::filesystem::path nccl_home();

/// NCCL_CONF_FILE or else ~/.nccl.conf, and /etc/nccl.conf, in the order in which they win.
std::vector<std::filesystem::path> nccl_conf_files();

/// The settings of such a file on one line: comments and empty lines change nothing.
std::string nccl_settings_in(std::string_view text);

/// What such a file sets, by name; of what comes twice the first.
std::map<std::string, std::string> nccl_conf_settings(std::string_view text);

/// "FILE: settings; FILE: settings" of those that are there and set something; empty if none does.
std::string nccl_settings_in_files();

}  // namespace ringmark
