// The words of a container, run as a kubelet runs them.
#pragma once

#include <filesystem>
#include <fstream>
#include <map>
#include <string>
#include <vector>

#include "base/text/shell_text.hpp"
#include "tests/programs/result_folder.hpp"
#include "tests/programs/shell.hpp"

namespace ringmark::testing_support {

/// Replaces each `text` by `other`.
inline void replace_all(std::string& in, const std::string& text, const std::string& other) {
  for (auto at = in.find(text); at != std::string::npos; at = in.find(text, at + other.size()))
    in.replace(at, text.size(), other);
}

/// A kubelet makes $( of $$(.
inline std::vector<std::string> as_kubelet_gives(std::vector<std::string> words) {
  for (auto& word : words) replace_all(word, "$$(", "$(");
  return words;
}

/// Runs them by a real shell, with a ringmark-sweep that says what it was given and then does `sweep_ends`. The last
/// word, the folder of the results, is one with these files; the output has FOLDER for it.
inline ShellResult run_as_pod(std::vector<std::string> words, const std::map<std::string, std::string>& files = {},
                              const std::string& sweep_ends = "exit 0") {
  const ResultFolder folder;
  std::ofstream(folder.file("ringmark-sweep")) << "#!/bin/sh\nfor word; do printf '<%s>' \"$word\"; done\n"
                                               << sweep_ends << "\n";
  std::filesystem::permissions(folder.file("ringmark-sweep"), std::filesystem::perms::owner_all);
  words.back() = folder.path();
  for (const auto& [name, text] : files) std::ofstream(folder.file(name)) << text;
  auto result = run("PATH=" + folder.path() + ":$PATH; exec " + shell_words(words));
  replace_all(result.output, folder.path(), "FOLDER");
  return result;
}

}  // namespace ringmark::testing_support
