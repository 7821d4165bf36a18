#include "base/text/error_text.hpp"

#include <filesystem>
#include <new>
#include <string_view>

#include <fmt/format.h>
#include <nlohmann/json.hpp>

#include "base/text/printable.hpp"

namespace ringmark {

namespace {

std::string words_of(const std::exception& error) {
  if (const auto* file = dynamic_cast<const std::filesystem::filesystem_error*>(&error))
    return fmt::format("{}: {}", (file->path2().empty() ? file->path1() : file->path2()).string(),
                       file->code().message());
  if (dynamic_cast<const nlohmann::json::parse_error*>(&error) != nullptr) return "not JSON, or truncated";
  if (dynamic_cast<const nlohmann::json::exception*>(&error) != nullptr) {
    const std::string_view text = error.what();
    const auto mark = text.find("] ");  // "[json.exception.type_error.302] type must be …"
    return std::string(mark == std::string_view::npos ? text : text.substr(mark + 2));
  }
  if (dynamic_cast<const std::bad_alloc*>(&error) != nullptr) return "out of memory";
  return error.what();
}

}  // namespace

std::string text_of(const std::exception& error) { return as_message(words_of(error)); }

}  // namespace ringmark
