// The column `detail`: remarks on a row, of which some are caveats.
#pragma once

#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "results/caveat.hpp"

namespace ringmark {

class Detail {
 public:
  Detail() = default;
  /// Reads text() back: remarks with "; " between them, those that are caveats as such.
  Detail(std::string_view text);  // NOLINT(google-explicit-constructor): a reason in words
  Detail(const std::string& text) : Detail(std::string_view(text)) {}  // NOLINT(google-explicit-constructor)
  Detail(const char* text) : Detail(std::string_view(text)) {}         // NOLINT(google-explicit-constructor)

  void add(std::string words);
  void add(const Caveat& caveat) { remarks_.emplace_back(caveat); }

  bool empty() const { return remarks_.empty(); }
  std::vector<Caveat> caveats() const;
  std::string text() const;

  bool operator==(const Detail&) const = default;

 private:
  std::vector<std::variant<std::string, Caveat>> remarks_;
};

}  // namespace ringmark
