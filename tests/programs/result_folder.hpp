// A folder for what the programs write, and what they wrote.
#pragma once

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <system_error>
#include <vector>

#include <unistd.h>

#include "results/files/result_file.hpp"

namespace ringmark::testing_support {

/// Removed with its owner.
class ResultFolder {
 public:
  ResultFolder() {
    auto name = (std::filesystem::temp_directory_path() / "ringmark-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) throw std::system_error(errno, std::generic_category(), name);
    path_ = name;
  }
  ~ResultFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ResultFolder(const ResultFolder&) = delete;
  ResultFolder& operator=(const ResultFolder&) = delete;

  std::string path() const { return path_.string(); }
  std::string file(const std::string& name) const { return (path_ / name).string(); }
  std::vector<Record> records(const std::string& name) const {
    std::ostringstream text;
    text << std::ifstream(file(name)).rdbuf();
    return read_records(text.str());
  }

 private:
  std::filesystem::path path_;
};

}  // namespace ringmark::testing_support
