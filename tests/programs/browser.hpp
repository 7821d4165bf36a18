// A page in a real browser. It is opened as a file; what a reader would do is done by a script that is added to a copy.
#pragma once

#include <fstream>
#include <string>

#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

/// Empty if there is a browser.
inline std::string why_no_browser() { return run("command -v chromium").status == 0 ? "" : "there is no chromium"; }

/// `checks` is JavaScript that calls check(what, is). The outcome of each, "what: yes" or "what: NO", the last of them
/// "no problem".
inline std::string tried_in_browser(std::string page, const std::string& checks, const ResultFolder& folder) {
  const auto insert_before = [&page](std::size_t at, const std::string& text) {
    ASSERT_NE(at, std::string::npos);
    page.insert(at, text);
  };
  insert_before(page.find("<title>"), R"(<script>
    window.problems = [];
    window.addEventListener("error", (event) => problems.push(event.message));
    for (const name of ["error", "warn"]) console[name] = (...words) => problems.push(words.join(" "));
  </script>)");
  insert_before(page.rfind("</body>"), R"(<script>
    const found = [];
    const check = (what, is) => found.push(what + ": " + (is ? "yes" : "NO"));
    )" + checks + R"(
    check("no problem", problems.length === 0);
    document.title = found.join("; ") + "; " + problems.join("; ");
  </script>)");
  std::ofstream(folder.file("tried.html")) << page;
  return run("chromium --headless --no-sandbox --disable-gpu --user-data-dir=" + folder.file("profile") +
             " --virtual-time-budget=5000 --dump-dom file://" + folder.file("tried.html") +
             " 2>/dev/null | grep -o '<title>[^<]*</title>'")
      .output;
}

}  // namespace ringmark::testing_support
