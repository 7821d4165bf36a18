#include "bench/mix/mix_file.hpp"

#include <span>
#include <utility>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"
#include "base/units.hpp"
#include "bench/flags/groups.hpp"
#include "transports/schedules/catalogue.hpp"

namespace ringmark::mix {
namespace {

class MixReader {
 public:
  explicit MixReader(const std::string& path) : yaml_(path) {}

  Mix read(const YAML::Node& root) {
    Mix mix;
    for (const auto& [key, node, line] : yaml_.map("the file", root, {"groups", "links", "host-link"})) {
      if (key == "groups") read_groups(node, mix);
      if (key == "links") read_links(node, mix);
      if (key == "host-link") mix.host_bits_per_s = rate("host-link", node);
    }
    if (mix.groups.empty()) yaml_.problem(root, "groups: is empty; give a list");
    if (!yaml_.problems().empty()) throw BadUsage(yaml_.problems());
    return mix;
  }

 private:
  void read_groups(const YAML::Node& list, Mix& mix) {
    if (!list.IsSequence()) return yaml_.problem(list, "groups: give a list with one entry per group");
    for (const auto& node : list) {
      auto group = read_group(node);
      if (group.name.empty()) group.name = fmt::format("group{}", mix.groups.size());
      for (const auto& other : mix.groups) {
        if (other.name == group.name) yaml_.problem(node, "name: '{}' is given twice", group.name);
      }
      mix.groups.push_back(std::move(group));
    }
  }

  MixGroup read_group(const YAML::Node& node) {
    MixGroup group;
    std::string counts, congestor;
    bool has_size = false, has_operation = false, has_ranks = false;
    for (const auto& [key, value, line] :
         yaml_.map("groups", node,
                   {"name", "ranks", "operation", "congestor", "to", "size", "datatype", "op", "root", "pattern",
                    "counts", "transport", "algorithm"})) {
      has_ranks |= key == "ranks";
      has_operation |= key == "operation";
      has_size |= key == "size";
      if (key == "name") group.name = yaml_.text(key, value);
      if (key == "ranks") read_ranks(value, group);
      if (key == "operation") word(key, value, all_collectives(), parse_collective, group.collective);
      if (key == "congestor")
        congestor = yaml_.choice<std::string>(
            key, value, {{"incast", "incast"}, {"all_to_all", "uniform"}, {"permutation", "permutation:1"}});
      if (key == "to") to_ = yaml_.number(key, value, 0, 1'000'000);
      if (key == "size") read_bytes(value, group);
      if (key == "datatype") word(key, value, all_datatypes(), parse_datatype, group.type);
      if (key == "op") word(key, value, all_reduce_ops(), parse_reduce_op, group.op);
      if (key == "root") group.root = yaml_.number(key, value, 0, 1'000'000);
      if (key == "pattern") word(key, value, all_patterns(), parse_pattern, group.pattern);
      if (key == "counts") counts = yaml_.text(key, value);
      if (key == "transport") group.transport = named_transport(key, value);
      if (key == "algorithm") group.algorithm = yaml_.text(key, value);
    }
    if (!congestor.empty()) {
      if (has_operation) yaml_.problem(node, "congestor: cannot be combined with operation; leave out one of them");
      group.is_congestor = true;
      group.collective = Collective::all_to_all;
      counts = congestor == "incast" && to_ ? fmt::format("incast:{}", *to_) : congestor;
    } else if (!has_operation) {
      yaml_.problem(node, "operation: is missing; give one, or a congestor");
    }
    if (to_ && congestor != "incast") yaml_.problem(node, "to: only goes with congestor: incast");
    to_.reset();
    if (!has_ranks) yaml_.problem(node, "ranks: is missing; give 0-3, all, or 50%");
    if (!has_size) yaml_.problem(node, "size: is missing; give bytes such as 4M");
    read_group_counts(node, counts, group);
    if (group.algorithm != "auto" && !has_algorithm(group.collective, group.algorithm))
      yaml_.problem(node, "algorithm: {} has no '{}'; it has auto, {}", ringmark::name(group.collective),
                    group.algorithm, fmt::join(algorithms_for(group.collective), ", "));
    return group;
  }

  void read_group_counts(const YAML::Node& node, const std::string& counts, MixGroup& group) {
    if (counts.empty()) return;
    if (!has_counts(group.collective))
      return yaml_.problem(node, "counts: {} always has equal blocks", ringmark::name(group.collective));
    try {
      group.counts = read_counts(counts, "counts");
      group.counts_text = counts;
    } catch (const BadUsage& error) {
      for (const auto& problem : error.problems()) yaml_.problem(node, "{}", to_text(problem));
    }
  }

  void read_ranks(const YAML::Node& node, MixGroup& group) {
    const auto text = yaml_.text("ranks", node);
    if (text == "all") {
      group.share = 1;
      return;
    }
    if (text.ends_with('%')) {
      double percent = 0;
      if (!read_number(text.substr(0, text.size() - 1), 0.1, 100.0, percent))
        yaml_.problem(node, "ranks: {} is not a share from 0.1% to 100%", text);
      group.share = percent / 100;
      return;
    }
    const auto choice = parse_groups(text);
    const auto* lists = choice ? std::get_if<GroupLists>(&*choice) : nullptr;
    if (lists == nullptr || lists->size() != 1) {
      yaml_.problem(node, "ranks: {} is not a list of ranks; give 0-3, 0,2,4, all, or 50%", text);
    } else {
      group.ranks = lists->front();
    }
  }

  void read_bytes(const YAML::Node& node, MixGroup& group) {
    if (!read_size(yaml_.text("size", node), 1, std::size_t{1} << 40U, group.size_bytes))
      yaml_.problem(node, "size: give bytes such as 8, 64K or 4M");
  }

  void read_links(const YAML::Node& list, Mix& mix) {
    if (!list.IsSequence()) return yaml_.problem(list, "links: give a list with one entry per link");
    for (const auto& node : list) {
      CutLink link;
      for (const auto& [key, value, line] : yaml_.map("links", node, {"name", "hosts", "rate"})) {
        if (key == "name") link.name = yaml_.text(key, value);
        if (key == "hosts") link.hosts = yaml_.texts(key, value);
        if (key == "rate") link.bytes_per_s = rate(key, value) / 8;
      }
      if (link.hosts.empty() || link.bytes_per_s == 0)
        yaml_.problem(node, "links: give hosts (those behind the link) and rate");
      if (link.name.empty()) link.name = fmt::format("{}", fmt::join(link.hosts, "+"));
      mix.links.push_back(std::move(link));
    }
  }

  double rate(const std::string& key, const YAML::Node& node) {
    const auto bits = parse_bit_rate(yaml_.text(key, node));
    if (!bits) yaml_.problem(node, "{}: give a rate such as 1gbit or 500mbit", key);
    return bits.value_or(0);
  }

  template <class Value, class Parse>
  void word(const std::string& key, const YAML::Node& node, std::span<const Value> all, Parse parse, Value& to) {
    const auto value = parse(yaml_.text(key, node));
    if (value) {
      to = *value;
      return;
    }
    std::vector<std::string_view> names;
    for (const auto& each : all) names.push_back(name(each));
    yaml_.problem(node, "{}: {} is unknown; give one of {}", key, YamlReader::shown(node), fmt::join(names, ", "));
  }

  Transport named_transport(const std::string& key, const YAML::Node& node) {
    auto transport = Transport::tcp;
    word(key, node, all_transports(), parse_transport, transport);
    return transport;
  }

  YamlReader yaml_;
  std::optional<int> to_;
};

}  // namespace

Mix read_mix(const std::string& path) { return MixReader(path).read(read_yaml(path, whole_file(path, path))); }

std::optional<double> parse_bit_rate(std::string_view text) {
  double factor = 1;
  for (const auto& [unit, value] : {std::pair<std::string_view, double>{"kbit", 1e3}, {"mbit", 1e6}, {"gbit", 1e9}}) {
    if (!text.ends_with(unit)) continue;
    factor = value;
    text.remove_suffix(unit.size());
    break;
  }
  double number = 0;
  if (!read_number(text, 1e-3, 1e15, number)) return std::nullopt;
  return number * factor;
}

}  // namespace ringmark::mix
