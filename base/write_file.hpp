// A result file, whole or not at all.
#pragma once

#include <functional>
#include <string>
#include <string_view>

namespace ringmark {

/// Lets `write` make a file of another name beside it, then puts that in its place at once: a full disk or a crash
/// leaves the old one. Passes on what `write` throws, but a std::system_error as one that names the file.
void replace_file(const std::string& path, const std::function<void(const std::string& part)>& write);

/// The same for a text; a pipe or a device is written to. Throws BadUsage instead of replacing rows or samples that
/// Ringmark measured: nothing that is made from them goes in their place.
void write_file(const std::string& path, std::string_view text);

}  // namespace ringmark
