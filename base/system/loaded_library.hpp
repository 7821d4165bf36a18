// The shared libraries loaded into this process, whatever search path led to them.
#pragma once

#include <string>
#include <string_view>

namespace ringmark {

/// The file of a library loaded under this name, with links resolved: "libibverbs.so.1" is
/// "/usr/lib/x86_64-linux-gnu/libibverbs.so.1.14.44.0". Empty if not loaded; this does not load it.
std::string loaded_file(const char* soname);

/// The version at the end of a library's file name: "1.14.44.0" of libibverbs.so.1.14.44.0. Empty if it has none.
std::string version_in_file_name(std::string_view path);

}  // namespace ringmark
