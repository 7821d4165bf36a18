#include "base/write_file.hpp"

#include <cerrno>
#include <filesystem>
#include <iostream>
#include <stdexcept>
#include <system_error>

#include <unistd.h>

#include "base/append_file.hpp"
#include "base/errors.hpp"

namespace ringmark {

void replace_file(const std::string& path, const std::function<void(const std::string& part)>& write) {
  const auto part = path + "." + std::to_string(::getpid()) + ".part";
  std::error_code ignored;
  std::filesystem::remove(part, ignored);  // left by a killed process with the same number
  try {
    write(part);
    std::filesystem::rename(part, path);
  } catch (const std::system_error& error) {
    std::filesystem::remove(part, ignored);
    throw std::system_error(error.code(), "cannot write " + path);
  } catch (...) {
    std::filesystem::remove(part, ignored);
    throw;
  }
}

void write_file(const std::string& path, std::string_view text) {
  write_file(path, [text](const TextSink& sink) { sink(text); });
}

void write_file(const std::string& path, const std::function<void(const TextSink&)>& write) {
  if (path == "-")
    throw BadUsage("-: this cannot be written to standard output, where the tables go; give a file name");
  const auto write_to = [&](AppendFile& file) { write([&file](std::string_view part) { file.append(part); }); };
  if (std::filesystem::exists(path)) {
    if (!std::filesystem::is_regular_file(path)) {
      AppendFile other(path);
      return write_to(other);
    }
    const auto first_line = AppendFile(path).first_line();
    if (first_line.starts_with("schema,") || first_line.find("\"samples/1\"") != std::string::npos)
      throw BadUsage(path + " contains results, which are never overwritten; choose another name");
    if (first_line.starts_with("SQLite format 3"))
      throw BadUsage(path +
                     " is a database, such as a store of results, which is never overwritten; choose another name");
  }
  replace_file(path, [&](const std::string& part) {
    AppendFile file(part);
    write_to(file);
    file.sync();
  });
}

void write_file_or_output(const std::string& path, std::string_view text) {
  if (path != "-") return write_file(path, text);
  if (!std::cout.write(text.data(), static_cast<std::streamsize>(text.size())).flush())
    throw std::runtime_error("cannot write to standard output");
}

}  // namespace ringmark
