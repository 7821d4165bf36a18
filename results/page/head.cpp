#include "results/page/head.hpp"

#include <fmt/format.h>

#include "base/input/host_list.hpp"
#include "base/text/with_count.hpp"

namespace ringmark {
namespace {

/// A time such as "2026-11-21T06:11:57Z", cut off after the minutes.
struct Minute {
  explicit Minute(const std::string& utc) {
    constexpr std::size_t date_length = 10, minute_length = 16;
    if (utc.size() < minute_length || utc[date_length] != 'T' || utc.back() != 'Z') {
      text = utc;
      return;
    }
    date = utc.substr(0, date_length);
    time = utc.substr(date_length + 1, minute_length - date_length - 1);
    text = date + " " + time;
  }

  std::string date, time, text;
};

}  // namespace

std::string period_in_words(const std::string& first_utc, const std::string& last_utc) {
  const Minute first(first_utc), last(last_utc);
  const auto& known = first.text.empty() ? last : first;
  if (known.text.empty()) return "";
  const auto zone = known.date.empty() ? "" : " UTC";
  if (first.text.empty() || last.text.empty() || first.text == last.text) return known.text + zone;
  const bool is_one_day = !first.date.empty() && first.date == last.date;
  return fmt::format("{} to {}{}", first.text, is_one_day ? last.time : last.text, zone);
}

std::string hosts_in_words(const std::vector<std::string>& hosts) {
  if (hosts.empty()) return "";
  return fmt::format("{} ({})", fold_host_list(hosts), with_count(hosts.size(), "host"));
}

std::vector<PageHead::Fact> PageHead::facts() const {
  std::vector<Fact> all{{"Question", question},
                        {"Cluster", cluster},
                        {"Measured", period_in_words(first_utc, last_utc)},
                        {"Hosts", hosts_in_words(hosts)}};
  all.insert(all.end(), settings.begin(), settings.end());
  all.emplace_back("Software", software);
  std::erase_if(all, [](const Fact& fact) { return fact.second.empty(); });
  return all;
}

}  // namespace ringmark
