// Stubs for programs built without SQLite.
#include "analysis/history/history_baseline.hpp"
#include "analysis/history/history_report.hpp"

namespace ringmark::analysis {

struct HistoryReport::Options {};

HistoryReport::HistoryReport() = default;
HistoryReport::~HistoryReport() = default;

void HistoryReport::declare(Flags& /*flags*/) {}

bool HistoryReport::is_asked() const { return false; }

void HistoryReport::write(const std::string& /*file*/, const std::string& /*title*/,
                          const std::vector<std::string>& /*where*/) const {}

struct HistoryBaseline::Options {};

HistoryBaseline::HistoryBaseline() = default;
HistoryBaseline::~HistoryBaseline() = default;

void HistoryBaseline::declare(Flags& /*flags*/) {}

bool HistoryBaseline::is_asked() const { return false; }

AddedBaseline HistoryBaseline::add_to(Table& /*table*/, const std::optional<std::string>& /*baseline*/) const {
  return {};
}

}  // namespace ringmark::analysis
