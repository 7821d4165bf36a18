// Writes result files, all or nothing.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ringmark {

/// Lets `write` create a temporary file next to `path`, then replaces `path` atomically: after a full disk or a crash,
/// the old file is still there. Rethrows exceptions of `write`; a std::system_error gets the file's name.
void replace_file(const std::string& path, const std::function<void(const std::string& part)>& write);

/// Receives the next part of a text.
using TextSink = std::function<void(std::string_view part)>;

/// Replaces a file by a text; writes directly to a pipe or device. Throws BadUsage if the file contains rows or samples
/// measured by Ringmark, or is a database, so that no derived file overwrites them.
void write_file(const std::string& path, std::string_view text);
/// The same for a text that is too long to keep in memory.
void write_file(const std::string& path, const std::function<void(const TextSink&)>& write);

/// The same; "-" is standard output. Throws std::runtime_error if that cannot be written.
void write_file_or_output(const std::string& path, std::string_view text);

}  // namespace ringmark
