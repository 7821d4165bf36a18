#include "sweeps/emit/manifest_options.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/errors.hpp"

namespace ringmark::sweep {
namespace {

/// Kubernetes adds to a name for those of pods and hosts.
constexpr std::size_t most_name = 40;

BadUsage bad(const char* flag, const std::string& value, std::string text, std::string remedy) {
  return BadUsage(Problem{.flag = flag, .value = value, .text = std::move(text), .remedy = std::move(remedy)});
}

bool is_name(const std::string& name) {
  const auto is_inner = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; };
  return !name.empty() && name.size() <= most_name && std::islower(static_cast<unsigned char>(name.front())) &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), is_inner);
}

std::string name_after(const std::string& sweep_file) {
  std::string name = "ringmark-";
  for (const char c : std::filesystem::path(sweep_file).stem().string()) {
    const auto letter = static_cast<unsigned char>(c);
    name += std::isalnum(letter) ? static_cast<char>(std::tolower(letter)) : '-';
  }
  name.resize(std::min(name.size(), most_name));
  while (name.back() == '-') name.pop_back();
  return name;
}

}  // namespace

ManifestOptions completed(ManifestOptions options, const std::string& sweep_file) {
  if (options.name.empty()) options.name = name_after(sweep_file);
  if (!is_name(options.name))
    throw bad("--name", options.name, "is no name that pods can have",
              "give at most 40 lower-case letters, digits and dashes, first a letter");
  if (options.image.empty()) throw bad("--image", "", "is empty", "name the image");
  if (options.claim.empty()) throw bad("--claim", "", "is empty", "name the claim of the volume");
  while (options.results.size() > 1 && options.results.ends_with('/')) options.results.pop_back();
  const std::filesystem::path results(options.results);
  if (!results.is_absolute() || results == "/" || results.lexically_normal() != results)
    throw bad("--output", options.results, "is no folder on a volume of the pods",
              "give an absolute path such as /results/first, whose first part is the volume");
  if (options.results == volume_of(options)) options.results += "/" + options.name;
  return options;
}

std::string volume_of(const ManifestOptions& options) {
  return "/" + std::next(std::filesystem::path(options.results).begin())->string();
}

}  // namespace ringmark::sweep
