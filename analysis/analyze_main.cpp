#include "analysis/analyze_main.hpp"

#include "analysis/commands/commands.hpp"
#include "results/files/provenance.hpp"

namespace ringmark::analysis {

int analyze_main(int argc, const char* const* argv) {
  Flags flags("ringmark-analyze", "Turns results into decisions. Needs no MPI and no network.",
              "ringmark " + version());
  flags.examples(
      {"ringmark-analyze compare results", "ringmark-analyze fit results links.csv -o fit.json",
       "ringmark-analyze report results links.csv -o report.html"},
      "See ringmark-analyze SUBCOMMAND --help for details.\n"
      "Exit status: 0 done; 1 compare: something is slower than --fail-if-slower allows, job: a problem was\n"
      "found; 2 bad usage, or nothing to compare; 3 a failure at run time; 5 undecided (compare, job).");
  constexpr AddCommand* commands[]{add_compare, add_fit,       add_portability, add_stragglers,
                                   add_job,     add_recommend, add_plan,        add_report};
  return run_command(flags, commands, argc, argv);
}

}  // namespace ringmark::analysis
