#include "results/detail.hpp"

#include <algorithm>
#include <utility>

namespace ringmark {
namespace {

constexpr std::string_view between = "; ";

}  // namespace

Detail::Detail(std::string_view text) {
  if (text.empty()) return;
  for (std::size_t begin = 0; begin <= text.size();) {
    const auto end = std::min(text.find(between, begin), text.size());
    const auto remark = text.substr(begin, end - begin);
    if (const auto caveat = parse_caveat(remark)) {
      remarks_.emplace_back(*caveat);
    } else {
      remarks_.emplace_back(std::string(remark));
    }
    begin = end + between.size();
    if (end == text.size()) break;
  }
}

void Detail::add(std::string words) {
  if (!words.empty()) remarks_.emplace_back(std::move(words));
}

std::vector<Caveat> Detail::caveats() const {
  std::vector<Caveat> caveats;
  for (const auto& remark : remarks_) {
    if (const auto* caveat = std::get_if<Caveat>(&remark)) caveats.push_back(*caveat);
  }
  return caveats;
}

std::string Detail::text() const {
  std::string text;
  for (std::size_t i = 0; i < remarks_.size(); ++i) {
    if (i > 0) text += between;
    const auto* caveat = std::get_if<Caveat>(&remarks_[i]);
    text += caveat != nullptr ? in_words(*caveat) : std::get<std::string>(remarks_[i]);
  }
  return text;
}

}  // namespace ringmark
