// Any command line, a word per line, is either understood or refused with status 2 and a message; never a crash, and
// what was understood gives sizes in bounded time.
#include <cstdint>
#include <cstdlib>
#include <sstream>
#include <string>
#include <vector>

#include "bench/flags/options.hpp"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace ringmark;
  std::vector<std::string> words{"ringmark-all-reduce"};
  std::istringstream lines(std::string(reinterpret_cast<const char*>(data), size));
  for (std::string word; words.size() < 20 && std::getline(lines, word);) words.push_back(word);
  std::vector<const char*> argv;
  for (const auto& word : words) argv.push_back(word.c_str());
  const auto parsed = parse_options(Collective::all_reduce, static_cast<int>(argv.size()), argv.data());
  if (parsed.exit_status == 2 && parsed.problems.empty()) std::abort();
  if (!parsed.exit_status && parsed.options.sizes.sizes().empty()) std::abort();
  return 0;
}
