#include "analysis/read/read_results.hpp"

#include <filesystem>
#include <system_error>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <nlohmann/json.hpp>

#include "analysis/read/foreign.hpp"
#include "analysis/read/foreign_rows.hpp"
#include "analysis/read/sides.hpp"
#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/system/files.hpp"
#include "base/text/printable.hpp"

namespace ringmark::analysis {
namespace {

std::string first_line(std::string_view text) {
  constexpr std::size_t enough = 60;
  return without_controls(text.substr(0, std::min(text.find('\n'), enough)));
}

/// The cell of a row whose variable was left unset: these columns have the value that was in effect.
std::string of_nothing_set(std::string_view column) {
  return column == "transport" ? "tcp" : column == "algorithm" ? "auto" : "";
}

/// The sweep's default, from its manifest.
void read_defaults(Table& table, const std::string& folder) {
  const auto manifest = std::filesystem::path(folder) / "manifest.json";
  if (!std::filesystem::exists(manifest)) return;
  const auto json = nlohmann::json::parse(read_if_readable(manifest.string()), nullptr, false);
  if (!json.is_object() || !json.contains("default") || !json["default"].is_object()) return;
  for (const auto& [column, value] : json["default"].items()) {
    if (value.is_string()) table.set_default(column, value.get<std::string>());
    if (value.is_null()) table.set_default(column, of_nothing_set(column));
  }
}

}  // namespace

std::string try_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  if (text.find_first_not_of(" \t\r\n") == std::string_view::npos) return fmt::format("{}: the file is empty", file);
  if (text.starts_with("schema,")) {
    read_own_csv(results, file, text);
    return "";
  }
  const auto begin = text.substr(0, 4096);
  if (text.starts_with("# ringmark ") || begin.find("\n# ringmark ") != std::string_view::npos)
    return fmt::format("{}: this is Ringmark's printed output; give the file that --csv wrote", file);
  const bool is_json_rows = text.starts_with('[') || text.starts_with("{\"schema\":");
  if (is_json_rows && says(begin, "\"schema\":") && says(begin, "\"run_id\":"))
    return fmt::format("{}: these are rows of Ringmark as JSON (--json); give the file that --csv wrote", file);
  if (is_foreign(text)) return read_foreign(results, file, text, options);
  const std::pair<std::string_view, std::string_view> known[]{
      {R"("samples/1")", "these are samples; give the results.csv next to them"},
      {R"("steptrace/1")", "this is a step trace, for ringmark-replay"},
      {R"("fit/1")", "this is a fit, for --fit"},
      {"test_info: {",
       "perftest's JSON lacks the quotes around its keys and words; add them, or give perftest's text output"}};
  for (const auto& [mark, what] : known) {
    if (begin.find(mark) != std::string_view::npos) return fmt::format("{}: {}", file, what);
  }
  return fmt::format(
      "{}: neither a result CSV of Ringmark nor output of nccl-tests (text, JSON), OSU, IMB, perftest (text, JSON) or "
      "NCCL Inspector; it begins with '{}'",
      file, first_line(text));
}

void read_text(Results& results, const std::string& file, std::string_view text, const ReadOptions& options) {
  if (const auto why = try_text(results, file, text, options); !why.empty()) throw BadUsage(why);
}

Results read_results(const std::vector<std::string>& paths, const ReadOptions& options) {
  Results results;
  constexpr std::uint64_t most_bytes = std::uint64_t{16} << 30U;
  for (const auto& side : sides_of(paths)) {
    if (side.is_sweep) read_defaults(results.table, std::filesystem::path(side.files.front()).parent_path().string());
    results.table.set_side(side.name);
    const auto before = results.table.rows();
    std::vector<std::string> reasons;
    for (const auto& file : side.files) {
      const auto before_file = results.table.rows();
      auto why = try_text(results, file, whole_text(file, file, most_bytes), options);
      if (why.empty() && results.table.rows() == before_file) why = fmt::format("{}: no result rows found", file);
      if (!why.empty()) reasons.push_back(std::move(why));
    }
    if (results.table.rows() == before || (!reasons.empty() && !side.is_folder))
      throw BadUsage(fmt::format("{}", fmt::join(reasons, "\n")));
    for (const auto& why : reasons) results.notes.push_back(why + "; the file is left out");
  }
  return results;
}

}  // namespace ringmark::analysis
