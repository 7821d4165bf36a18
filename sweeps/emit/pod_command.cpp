#include "sweeps/emit/pod_command.hpp"

#include <fmt/format.h>

#include "base/text/shell_text.hpp"

namespace ringmark::sweep {
namespace {

constexpr auto pod_script = R"(trap 'kill -TERM $! || exit 143' TERM
if [ -s "$0/journal" ]; then
  ringmark-sweep resume --other-hosts "$0"{more} &
else
  {run} -o "$0"{more} &
fi
sweep=$!
wait $sweep; status=$?
# A signal ends a wait early.
while kill -0 $sweep 2>/dev/null; do wait $sweep; status=$?; done
# 3 requests a retry, which cannot help a sweep that is complete: some of its launches failed.
if [ $status = 3 ] && grep -qs '"how": "complete"' "$0/manifest.json"; then status=1; fi
{end}exit $status
)";

/// Status 0 keeps the job from retrying.
constexpr auto end_without_retries = R"(case $status in
1 | 2 | 4)
  say="ringmark-sweep ended with exit status $status, which a retry would not change"
  echo "$say"
  if [ -w /dev/termination-log ]; then echo "$say" >/dev/termination-log; fi
  status=0
  ;;
esac
)";

/// Kubernetes replaces $(NAME) with the value of a variable.
std::string literally(std::string text) {
  for (auto at = text.find("$("); at != std::string::npos; at = text.find("$(", at + 3)) text.insert(at, 1, '$');
  return text;
}

}  // namespace

std::vector<std::string> pod_command(const PodSweep& sweep) {
  const auto more = sweep.more.empty() ? "" : " " + shell_words(sweep.more);
  return {
      "/bin/sh", "-c",
      literally(fmt::format(fmt::runtime(pod_script), fmt::arg("run", shell_words(sweep.run)), fmt::arg("more", more),
                            fmt::arg("end", sweep.is_always_tried_again ? end_without_retries : ""))),
      literally(sweep.results)};
}

}  // namespace ringmark::sweep
