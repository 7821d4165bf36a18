#include "bench/flags/groups.hpp"

#include <algorithm>
#include <cctype>
#include <charconv>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/flags/flags.hpp"
#include "base/flags/option.hpp"
#include "base/text/number_ranges.hpp"

namespace ringmark {
namespace {

constexpr int most_ranks = 1'000'000;

/// Decimal, or hexadecimal and binary with 0x and 0b.
std::optional<int> read_operand(std::string_view text) {
  const int base = text.starts_with("0x") ? 16 : text.starts_with("0b") ? 2 : 10;
  if (base != 10) text.remove_prefix(2);
  int value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  if (error != std::errc() || end != text.data() + text.size() || value < 0) return std::nullopt;
  return value;
}

/// "mod:8", or in nccl-tests' spelling "MOD 8" and "%8".
std::optional<GroupChoice> read_coloring(std::string_view text) {
  using Operator = Coloring::Operator;
  static const std::map<std::string, Operator> operators{
      {"mask", Operator::bit_and}, {"and", Operator::bit_and}, {"&", Operator::bit_and},
      {"or", Operator::bit_or},    {"|", Operator::bit_or},    {"mod", Operator::modulo},
      {"%", Operator::modulo},     {"div", Operator::divide},  {"/", Operator::divide}};
  const auto is_digit = [](char c) { return std::isdigit(static_cast<unsigned char>(c)) != 0; };
  const auto digits = std::find_if(text.begin(), text.end(), is_digit);
  std::string word(text.begin(), digits);
  std::transform(word.begin(), word.end(), word.begin(), [](unsigned char c) { return std::tolower(c); });
  while (!word.empty() && (word.back() == ' ' || word.back() == ':')) word.pop_back();
  const auto found = operators.find(word);
  const auto operand = read_operand({digits, text.end()});
  if (found == operators.end() || !operand) return std::nullopt;
  const bool divides = found->second == Operator::modulo || found->second == Operator::divide;
  if (divides && *operand == 0) return std::nullopt;
  return Coloring{found->second, *operand};
}

std::optional<GroupChoice> read_lists(std::string_view text) {
  GroupLists lists;
  for (const auto& group : split_at(text, ';')) {
    auto& ranks = lists.emplace_back();
    for (const auto& part : split_at(group, ',')) {
      const auto ends = split_at(part, '-');
      int first = 0, last = 0;
      if (ends.size() > 2 || !read_number(ends.front(), 0, most_ranks, first) ||
          !read_number(ends.back(), first, most_ranks, last))
        return std::nullopt;
      for (int rank = first; rank <= last; ++rank) ranks.push_back(rank);
    }
    std::sort(ranks.begin(), ranks.end());
  }
  return lists;
}

std::optional<GroupChoice> read_mesh(std::string_view text) {
  Mesh mesh;
  for (const auto& part : split_at(text, ',')) {
    const auto words = split_at(part, ':');
    const auto is_name = [](unsigned char c) { return std::isalpha(c) != 0 || c == '_' || c == '-'; };
    if (words.size() > 2 || words.front().empty() || !std::all_of(words[0].begin(), words[0].end(), is_name))
      return std::nullopt;
    auto& dimension = mesh.emplace_back(MeshDimension{words.front(), std::nullopt});
    if (int size = 0; words.size() == 2) {
      if (!read_number(words[1], 1, most_ranks, size)) return std::nullopt;
      dimension.size = size;
    }
  }
  const auto is_open = [](const auto& dimension) { return !dimension.size; };
  const auto has_twin = [&](const auto& dimension) {
    return std::count_if(mesh.begin(), mesh.end(), [&](const auto& each) { return each.name == dimension.name; }) > 1;
  };
  if (std::count_if(mesh.begin(), mesh.end(), is_open) > 1 || std::any_of(mesh.begin(), mesh.end(), has_twin))
    return std::nullopt;
  return mesh;
}

/// The product of the dimensions that have a size.
long long given_ranks(const Mesh& mesh) {
  long long product = 1;
  for (const auto& dimension : mesh) product = std::min<long long>(product * dimension.size.value_or(1), most_ranks);
  return product;
}

std::vector<GroupKind> kinds_of(const Mesh& mesh, int ranks) {
  std::vector<GroupKind> kinds;
  const int rest = ranks / static_cast<int>(given_ranks(mesh));
  int stride = 1;
  for (const auto& dimension : mesh) {
    const int size = dimension.size.value_or(rest);
    auto& kind = kinds.emplace_back(GroupKind{dimension.name, {}});
    for (int rank = 0; rank < ranks; ++rank) {
      if (rank / stride % size != 0) continue;
      auto& group = kind.groups.emplace_back();
      for (int i = 0; i < size; ++i) group.push_back(rank + i * stride);
    }
    stride *= size;
  }
  return kinds;
}

int color_of(const Coloring& coloring, int rank) {
  switch (coloring.op) {
    case Coloring::Operator::bit_or:
      return rank | coloring.operand;
    case Coloring::Operator::modulo:
      return rank % coloring.operand;
    case Coloring::Operator::divide:
      return rank / coloring.operand;
    case Coloring::Operator::bit_and:
      break;
  }
  return rank & coloring.operand;
}

}  // namespace

std::optional<std::size_t> GroupKind::group_of(int rank) const {
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (std::binary_search(groups[i].begin(), groups[i].end(), rank)) return i;
  }
  return std::nullopt;
}

std::optional<GroupChoice> parse_groups(std::string_view text) {
  if (text.empty()) return std::nullopt;
  if (std::isdigit(static_cast<unsigned char>(text.front())) != 0) return read_lists(text);
  if (auto coloring = read_coloring(text)) return coloring;
  return read_mesh(text);
}

std::optional<std::string> why_no_groups(const GroupChoice& choice, int ranks) {
  if (const auto* mesh = std::get_if<Mesh>(&choice)) {
    const auto given = given_ranks(*mesh);
    const bool is_open = std::any_of(mesh->begin(), mesh->end(), [](const auto& each) { return !each.size; });
    if (is_open ? ranks % given != 0 : ranks != given)
      return is_open ? fmt::format("the sizes multiply to {}, which does not divide the {} ranks", given, ranks)
                     : fmt::format("the dimensions multiply to {} ranks, but there are {}", given, ranks);
  }
  if (const auto* lists = std::get_if<GroupLists>(&choice)) {
    std::vector<int> all;
    for (const auto& group : *lists) all.insert(all.end(), group.begin(), group.end());
    std::sort(all.begin(), all.end());
    if (const auto twice = std::adjacent_find(all.begin(), all.end()); twice != all.end())
      return fmt::format("rank {} is named twice", *twice);
    if (all.back() >= ranks)
      return fmt::format("rank {} does not exist: there are {} ranks, numbered from 0", all.back(), ranks);
  }
  return std::nullopt;
}

std::string ranges_of(const std::vector<int>& ranks) { return fmt::format("{}", fmt::join(number_ranges(ranks), ",")); }

std::vector<GroupKind> group_kinds(const GroupChoice& choice, int ranks) {
  if (const auto* mesh = std::get_if<Mesh>(&choice)) return kinds_of(*mesh, ranks);
  if (const auto* lists = std::get_if<GroupLists>(&choice)) return {{"list", *lists}};
  std::map<int, std::vector<int>> by_color;
  for (int rank = 0; rank < ranks; ++rank) by_color[color_of(std::get<Coloring>(choice), rank)].push_back(rank);
  GroupKind kind{"color", {}};
  for (auto& [color, group] : by_color) kind.groups.push_back(std::move(group));
  return {kind};
}

}  // namespace ringmark
