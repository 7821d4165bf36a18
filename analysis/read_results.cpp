#include "analysis/read_results.hpp"

#include <array>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <system_error>

#include <fmt/format.h>

#include "analysis/foreign.hpp"
#include "transports/errors.hpp"

namespace ringmark::analysis {
namespace {

std::string first_line(std::string_view text) {
  constexpr std::size_t enough = 60;
  const auto line = text.substr(0, std::min(text.find('\n'), enough));
  std::string printable;
  for (const char c : line) printable += c >= ' ' && c < 127 ? c : '?';
  return printable;
}

}  // namespace

std::string whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw BadUsage(fmt::format("{}: cannot be read: {}", path, std::strerror(errno)));
  std::error_code is_no_file;
  std::string text(std::filesystem::is_regular_file(path) ? std::filesystem::file_size(path, is_no_file) : 0, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  text.resize(static_cast<std::size_t>(file.gcount()));
  // A pipe has no size, and a file may have grown.
  file.clear();
  std::array<char, 4096> more;
  while (file.read(more.data(), more.size()), file.gcount() > 0) {
    text.append(more.data(), static_cast<std::size_t>(file.gcount()));
  }
  return text;
}

void read_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";  // of spreadsheet programs
  if (text.starts_with(byte_order_mark)) text.remove_prefix(byte_order_mark.size());
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) {
    throw BadUsage(fmt::format("{}: the file is empty", file));
  }
  if (text.starts_with("schema,")) return read_own_csv(results, file, text);
  if (is_foreign(text)) return read_foreign(results, file, text, options);
  const std::pair<std::string_view, std::string_view> known[]{
      {R"("samples/1")", "these are samples; give the results.csv beside them"},
      {R"("steptrace/1")", "this is a step trace, for ringmark-replay"},
      {R"("fit/1")", "this is a fit, for --fit"}};
  const auto begin = text.substr(0, 4096);
  for (const auto& [mark, what] : known) {
    if (begin.find(mark) != std::string_view::npos) throw BadUsage(fmt::format("{}: {}", file, what));
  }
  throw BadUsage(fmt::format(
      "{}: neither a result CSV of Ringmark nor output of nccl-tests (text, JSON), OSU or IMB; it begins with "
      "'{}'",
      file, first_line(text)));
}

Results read_results(const std::vector<std::string>& paths, const ReadOptions& options) {
  Results results;
  for (const auto& path : paths) {
    const bool is_folder = std::filesystem::is_directory(path);
    const auto file = is_folder ? (std::filesystem::path(path) / "results.csv").string() : path;
    if (is_folder && !std::filesystem::exists(file)) {
      throw BadUsage(fmt::format("{}: there is no results.csv in this folder", path));
    }
    const auto before = results.table.rows();
    read_text(results, file, whole_file(file), options);
    if (results.table.rows() == before) throw BadUsage(fmt::format("{}: there is no row of results", file));
  }
  return results;
}

}  // namespace ringmark::analysis
