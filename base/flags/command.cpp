#include "base/flags/command.hpp"

#include <algorithm>
#include <vector>

namespace ringmark {

int run_command(Flags& program, std::span<AddCommand* const> commands, int argc, const char* const* argv) {
  std::vector<std::unique_ptr<Command>> declared;
  for (AddCommand* add : commands) declared.push_back(add(program));
  Command* chosen = nullptr;
  const auto parsed = program.read(chosen, argc, argv, [&] {
    chosen =
        std::find_if(declared.begin(), declared.end(), [](const auto& each) { return each->flags.is_chosen(); })->get();
    chosen->check_flags();
  });
  return parsed.exit_status ? leave_with(parsed) : parsed.options->run();
}

}  // namespace ringmark
