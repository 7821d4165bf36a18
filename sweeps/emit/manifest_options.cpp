#include "sweeps/emit/manifest_options.hpp"

#include <algorithm>
#include <cctype>
#include <filesystem>

#include "base/errors.hpp"
#include "base/flags/flags.hpp"

namespace ringmark::sweep {
namespace {

/// Kubernetes appends to this name to form those of pods and hosts.
constexpr std::size_t most_name = 40;

BadUsage bad(const char* flag, const std::string& value, std::string text, std::string remedy) {
  return BadUsage(Problem{.flag = flag, .value = value, .text = std::move(text), .remedy = std::move(remedy)});
}

bool is_name(const std::string& name) {
  const auto is_inner = [](unsigned char c) { return std::islower(c) || std::isdigit(c) || c == '-'; };
  return !name.empty() && name.size() <= most_name && std::islower(static_cast<unsigned char>(name.front())) &&
         name.back() != '-' && std::all_of(name.begin(), name.end(), is_inner);
}

/// A DNS name, as claims and volumes have: parts of lower-case letters, digits and dashes, separated by dots.
bool is_name_with_dots(const std::string& name) {
  constexpr std::size_t most = 253;
  const auto is_end = [](unsigned char c) { return std::islower(c) || std::isdigit(c); };
  const auto is_part = [&](const std::string& part) {
    return !part.empty() && is_end(static_cast<unsigned char>(part.front())) &&
           is_end(static_cast<unsigned char>(part.back())) &&
           std::all_of(part.begin(), part.end(), [&](unsigned char c) { return is_end(c) || c == '-'; });
  };
  const auto parts = split_at(name, '.');
  return name.size() <= most && std::all_of(parts.begin(), parts.end(), is_part);
}

/// Names with registries, tags or digests have other characters too, but no blanks.
bool is_image(const std::string& image) {
  return std::all_of(image.begin(), image.end(), [](unsigned char c) { return std::isgraph(c); });
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
    throw bad("--name", options.name, "is not a valid pod name",
              "give at most 40 lower-case letters, digits and dashes, beginning with a letter");
  if (options.image.empty()) throw bad("--image", "", "is empty", "name the image");
  if (!is_image(options.image)) throw bad("--image", options.image, "is not an image name", "give it without blanks");
  if (options.claim.empty()) throw bad("--claim", "", "is empty", "name the claim of the volume");
  if (!is_name_with_dots(options.claim))
    throw bad("--claim", options.claim, "is not a valid claim name",
              "give lower-case letters, digits, dashes and dots, beginning and ending with a letter or digit");
  while (options.results.size() > 1 && options.results.ends_with('/')) options.results.pop_back();
  const std::filesystem::path results(options.results);
  const bool has_controls =
      std::any_of(options.results.begin(), options.results.end(), [](unsigned char c) { return std::iscntrl(c) != 0; });
  if (has_controls || !results.is_absolute() || results == "/" || results.lexically_normal() != results)
    throw bad("--output", options.results, "is not a folder on a volume of the pods",
              "give an absolute path such as /results/first, whose first part is the volume");
  if (options.results == volume_of(options)) options.results += "/" + options.name;
  return options;
}

std::string volume_of(const ManifestOptions& options) {
  return "/" + std::next(std::filesystem::path(options.results).begin())->string();
}

}  // namespace ringmark::sweep
