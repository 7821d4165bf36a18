// `ringmark-analyze report --store`: the page of a store. Programs built without the store do not have these flags.
#pragma once

#include <memory>
#include <string>
#include <vector>

namespace ringmark {
class Flags;
}

namespace ringmark::analysis {

class HistoryReport {
 public:
  HistoryReport();
  ~HistoryReport();

  /// --store, --cluster, --host, --since and --until
  void declare(Flags& flags);
  bool is_asked() const;
  void write(const std::string& file, const std::string& title, const std::vector<std::string>& where) const;

 private:
  struct Options;
  std::unique_ptr<Options> options_;
};

}  // namespace ringmark::analysis
