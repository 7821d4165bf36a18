#include "bench/flags/make_counts.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>
#include <numeric>
#include <random>

#include <fmt/format.h>

#include "base/errors.hpp"
#include "bench/flags/sizes.hpp"

namespace ringmark {
namespace {

using Elements = std::vector<std::size_t>;
using Weights = std::vector<std::uint64_t>;

constexpr int most_ranks_of_pairs = 2048;

/// From 0 up to but excluding 1, the same on every machine.
double uniform(std::mt19937_64& random) { return static_cast<double>(random() >> 11U) * 0x1p-53; }

/// An integer, so that everything derived from it is the same on every machine. Weights may differ between C libraries,
/// which basis_of() detects.
std::uint64_t whole_weight(double weight) { return static_cast<std::uint64_t>(std::llround(weight * 0x1p32)); }

/// Splits `total` into integers in proportion to the weights. They add up to `total` exactly.
Elements apportion(std::size_t total, const Weights& weights) {
  const auto sum = std::accumulate(weights.begin(), weights.end(), std::uint64_t{0});
  Elements parts;
  std::uint64_t passed = 0;
  std::size_t given = 0;
  for (std::size_t i = 0; i < weights.size(); ++i) {
    passed += weights[i];
    const bool is_last = i + 1 == weights.size();
    const double up_to = static_cast<double>(passed) / static_cast<double>(sum) * static_cast<double>(total);
    const auto until = is_last ? total : std::min(total, static_cast<std::size_t>(std::llround(up_to)));
    parts.push_back(until - given);
    given = until;
  }
  return parts;
}

Weights zipf(int ranks, double exponent) {
  Weights weights;
  for (int rank = 0; rank < ranks; ++rank) weights.push_back(whole_weight(std::pow(rank + 1, -exponent)));
  return weights;
}

/// The weights of the ranks' blocks; for an all_to_all, of the blocks that `rank` sends to each rank.
Weights weights_for(const CountsChoice& choice, int ranks, int rank) {
  if (const auto* skew = std::get_if<SkewedCounts>(&choice)) return zipf(ranks, skew->exponent);
  Weights weights(static_cast<std::size_t>(ranks), 1);
  if (const auto* sparse = std::get_if<SparseCounts>(&choice)) {
    const std::int64_t others = std::max(ranks - 1, 1), peers = std::min<std::int64_t>(sparse->peers, others);
    std::fill(weights.begin(), weights.end(), 0);
    // Evenly spaced, so that some peers are near and some far.
    for (std::int64_t i = 0; i < peers; ++i)
      weights[static_cast<std::size_t>((rank + 1 + i * others / peers) % ranks)] = 1;
  }
  return weights;
}

/// The weights with which experts are chosen: log-normal, so that the busiest of 64 gets about three times its share.
Weights popularity(const ExpertCounts& choice, std::mt19937_64& random) {
  constexpr double sigma = 0.5;
  Weights weights;
  for (int expert = 0; expert < choice.experts; ++expert) {
    const double radius = std::sqrt(-2 * std::log(1 - uniform(random)));
    weights.push_back(whole_weight(std::exp(sigma * radius * std::cos(2 * std::numbers::pi * uniform(random)))));
  }
  return weights;
}

/// Draws experts by weight, each at most once until all are put back. A draw takes time logarithmic in the number of
/// experts, because a Fenwick tree keeps the sums of the weights.
class Urn {
 public:
  explicit Urn(const Weights& weights) : weights_(weights), sums_(weights.size() + 1) {
    for (std::size_t i = 0; i < weights.size(); ++i) add(i, weights[i]);
  }

  std::size_t draw(std::mt19937_64& random) {
    auto rest = random() % total_;
    std::size_t drawn = 0;
    for (auto step = std::bit_floor(weights_.size()); step > 0; step /= 2) {
      if (drawn + step >= sums_.size() || sums_[drawn + step] > rest) continue;
      drawn += step;
      rest -= sums_[drawn];
    }
    add(drawn, std::uint64_t{0} - weights_[drawn]);
    out_.push_back(drawn);
    return drawn;
  }

  void put_all_back() {
    for (const auto each : out_) add(each, weights_[each]);
    out_.clear();
  }

 private:
  /// Unsigned numbers wrap around, so a negative delta subtracts.
  void add(std::size_t index, std::uint64_t weight) {
    total_ += weight;
    for (auto i = index + 1; i < sums_.size(); i += i & (~i + 1)) sums_[i] += weight;
  }

  const Weights& weights_;
  Weights sums_;
  std::uint64_t total_ = 0;
  std::vector<std::size_t> out_;
};

/// The elements that one rank sends to each rank. Its `elements` are split into equal shares, one for each token and
/// expert.
Elements route(const ExpertCounts& choice, int ranks, std::size_t elements, Urn& urn, std::mt19937_64& random) {
  constexpr std::size_t most_tokens = 1024, most_shares = 16'384;
  const auto experts = static_cast<std::size_t>(choice.experts), per_token = static_cast<std::size_t>(choice.per_token);
  const auto most = std::clamp<std::size_t>(most_shares / per_token, 1, most_tokens);
  const auto tokens = std::clamp<std::size_t>(elements / per_token, 1, most);
  const double mean = static_cast<double>(tokens * per_token) / choice.experts;
  const auto room = static_cast<std::size_t>(std::ceil(choice.capacity * mean));
  const std::size_t length = elements / (tokens * per_token), longer = elements % (tokens * per_token);
  Elements taken(experts), to_rank(static_cast<std::size_t>(ranks));
  for (std::size_t share = 0; share < tokens * per_token; ++share) {
    if (share % per_token == 0) urn.put_all_back();
    const auto expert = urn.draw(random);
    if (taken[expert] == room) continue;
    ++taken[expert];
    to_rank[expert * static_cast<std::size_t>(ranks) / experts] += length + (share < longer ? 1 : 0);
  }
  urn.put_all_back();
  return to_rank;
}

Elements routed(const ExpertCounts& choice, int ranks, std::size_t elements_per_rank) {
  std::mt19937_64 random(choice.seed);
  const auto weights = popularity(choice, random);
  Urn urn(weights);
  Elements all;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto row = route(choice, ranks, elements_per_rank, urn, random);
    all.insert(all.end(), row.begin(), row.end());
  }
  return all;
}

Elements to_one(int ranks, int to, std::size_t elements) {
  const auto n = static_cast<std::size_t>(ranks), target = static_cast<std::size_t>(to);
  Elements all(n * n);
  for (std::size_t rank = 0; rank < n; ++rank) all[rank * n + target] = rank == target ? 0 : elements;
  return all;
}

Elements permuted(int ranks, std::uint64_t seed, std::size_t elements) {
  // A cycle through all ranks in random order, so that no rank sends to itself.
  std::mt19937_64 random(seed);
  const auto n = static_cast<std::size_t>(ranks);
  std::vector<std::size_t> order(n);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random() % i]);
  Elements all(n * n);
  for (std::size_t i = 0; i < n; ++i) all[order[i] * n + order[(i + 1) % n]] = elements;
  return all;
}

Elements of_file(const CountsFile& file, std::size_t ranks, bool is_of_pairs, std::size_t element) {
  Elements all;
  for (std::size_t from = 0; from < (is_of_pairs ? ranks : 1); ++from) {
    for (std::size_t to = 0; to < ranks; ++to) all.push_back(file.bytes[from * file.columns + to] / element);
  }
  return all;
}

}  // namespace

std::optional<std::string> why_no_counts(const CountsChoice& choice, Collective collective, int ranks) {
  const bool is_of_pairs = collective == Collective::all_to_all;
  if (is_of_pairs && ranks > most_ranks_of_pairs)
    return fmt::format("a matrix of counts supports at most {} ranks, but there are {}", most_ranks_of_pairs, ranks);
  const bool is_for_pairs = std::holds_alternative<ExpertCounts>(choice) ||
                            std::holds_alternative<IncastCounts>(choice) ||
                            std::holds_alternative<PermutedCounts>(choice);
  if (!is_of_pairs && is_for_pairs) return "works with all_to_all only; give a file, uniform, skew:A or sparse";
  if (const auto* incast = std::get_if<IncastCounts>(&choice); incast != nullptr && incast->to >= ranks)
    return fmt::format("rank {} does not exist: there are {} ranks, numbered from 0", incast->to, ranks);
  const auto* file = std::get_if<CountsFile>(&choice);
  if (file == nullptr) return std::nullopt;
  const auto needed = static_cast<std::size_t>(ranks);
  if (is_of_pairs && (file->rows != file->columns || file->rows < needed))
    return fmt::format("has {} lines of {} numbers; give {} numbers per line and one line for each of {} ranks",
                       file->rows, file->columns, ranks, ranks);
  if (!is_of_pairs && ((file->rows != 1 && file->columns != 1) || file->bytes.size() < needed))
    return fmt::format("has {} lines of {} numbers; give one number for each of {} ranks", file->rows, file->columns,
                       ranks);
  return std::nullopt;
}

std::shared_ptr<const BlockCounts> make_counts(const CountsChoice& choice, Collective collective, DataType type,
                                               int ranks, std::size_t total_bytes) {
  if (const auto why = why_no_counts(choice, collective, ranks))
    throw BadUsage(Problem{.flag = "--counts", .text = *why});
  const bool is_of_pairs = collective == Collective::all_to_all;
  const auto n = static_cast<std::size_t>(ranks);
  const std::size_t elements = count_for(collective, type, ranks, total_bytes) * n;
  if (const auto* file = std::get_if<CountsFile>(&choice)) {
    const auto all = of_file(*file, n, is_of_pairs, size_bytes(type));
    return is_of_pairs ? BlockCounts::of_pairs(ranks, all) : BlockCounts::of_ranks(all);
  }
  if (elements > BlockCounts::most_elements / (is_of_pairs ? n : 1))
    throw BadUsage(Problem{.flag = "--counts",
                           .text = fmt::format("results in too many elements to count at {} bytes", total_bytes),
                           .remedy = "give a smaller size"});
  if (!is_of_pairs) return BlockCounts::of_ranks(apportion(elements, weights_for(choice, ranks, 0)));
  if (const auto* experts = std::get_if<ExpertCounts>(&choice))
    return BlockCounts::of_pairs(ranks, routed(*experts, ranks, elements));
  if (const auto* incast = std::get_if<IncastCounts>(&choice))
    return BlockCounts::of_pairs(ranks, to_one(ranks, incast->to, elements));
  if (const auto* permutation = std::get_if<PermutedCounts>(&choice))
    return BlockCounts::of_pairs(ranks, permuted(ranks, permutation->seed, elements));
  Elements all;
  for (int rank = 0; rank < ranks; ++rank) {
    const auto row = apportion(elements, weights_for(choice, ranks, rank));
    all.insert(all.end(), row.begin(), row.end());
  }
  return BlockCounts::of_pairs(ranks, all);
}

std::vector<std::uint64_t> basis_of(const CountsChoice& choice, int ranks) {
  if (const auto* file = std::get_if<CountsFile>(&choice)) return {file->bytes.begin(), file->bytes.end()};
  if (const auto* skew = std::get_if<SkewedCounts>(&choice)) return zipf(ranks, skew->exponent);
  if (const auto* experts = std::get_if<ExpertCounts>(&choice)) {
    std::mt19937_64 random(experts->seed);
    return popularity(*experts, random);
  }
  return {};
}

std::optional<std::size_t> own_size(const CountsChoice& choice, Collective collective) {
  const auto* file = std::get_if<CountsFile>(&choice);
  if (file == nullptr) return std::nullopt;
  const auto sum = std::accumulate(file->bytes.begin(), file->bytes.end(), std::size_t{0});
  return collective == Collective::all_to_all ? sum / file->rows : sum;
}

}  // namespace ringmark
