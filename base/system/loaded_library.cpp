#include "base/system/loaded_library.hpp"

#include <filesystem>
#include <memory>

#include <dlfcn.h>
#include <link.h>

namespace ringmark {

std::string loaded_file(const char* soname) {
  const std::unique_ptr<void, int (*)(void*)> library(::dlopen(soname, RTLD_LAZY | RTLD_NOLOAD), ::dlclose);
  struct link_map* map = nullptr;
  if (library == nullptr || ::dlinfo(library.get(), RTLD_DI_LINKMAP, &map) != 0 || map == nullptr) return "";
  std::error_code unknown;
  const auto file = std::filesystem::canonical(map->l_name, unknown);
  return unknown ? map->l_name : file.string();
}

std::string version_in_file_name(std::string_view path) {
  constexpr std::string_view mark = ".so.";
  const auto name = path.substr(path.rfind('/') + 1);
  const auto at = name.rfind(mark);
  return at == std::string_view::npos ? "" : std::string(name.substr(at + mark.size()));
}

}  // namespace ringmark
