#include "replay/model/model_file.hpp"

#include <algorithm>
#include <filesystem>
#include <set>
#include <unordered_map>

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <yaml-cpp/yaml.h>

#include "base/errors.hpp"
#include "base/input/input.hpp"
#include "base/input/yaml_reader.hpp"
#include "replay/model/architectures.hpp"
#include "replay/model/recompute.hpp"

namespace ringmark::replay {
namespace {

constexpr std::size_t most_parameters = 1'000'000, most_modules = 1'000'000, most_references = 4'000'000;
constexpr int deepest = 200;
constexpr std::uint64_t most_elements = std::uint64_t{1} << 48;

class DescriptionReader {
 public:
  explicit DescriptionReader(const std::string& file) : read_(file, YamlReader::Policy::throws) {}

  Model run(const YAML::Node& root) {
    read_.map("model", root,
              {"name", "parameters", "parameter_groups", "forward", "gradient_order", "recompute", "dimensions"});
    model_.name = root["name"] ? read_.text("name", root["name"]) : std::filesystem::path(read_.file()).stem().string();
    read_parameters(root["parameters"]);
    if (!root["forward"]) read_.refuse(root, "forward: missing; give the tree of modules in the order of execution");
    model_.forward = module(root["forward"], "forward", 0);
    gets_gradient_ = gets_gradient(model_);
    if (std::find(gets_gradient_.begin(), gets_gradient_.end(), true) == gets_gradient_.end())
      read_.refuse(root["forward"], "forward: no module uses a parameter that requires a gradient: nothing is trained");
    if (root["parameter_groups"]) read_parameter_groups(root["parameter_groups"]);
    if (root["gradient_order"]) read_gradient_order(root["gradient_order"]);
    if (root["dimensions"]) read_dimensions(root["dimensions"]);
    if (root["recompute"] && !root["recompute"].IsNull()) read_recompute(root["recompute"]);
    return std::move(model_);
  }

 private:
  void read_parameters(const YAML::Node& list) {
    if (!list.IsDefined() || !list.IsSequence() || list.size() == 0)
      read_.refuse(list, "parameters: expected a list of names and shapes, in registration order");
    if (list.size() > most_parameters) read_.refuse(list, "parameters: more than {}", most_parameters);
    std::uint64_t sum = 0;
    for (const auto& entry : list) {
      read_.map("parameters", entry, {"name", "shape", "requires_grad"});
      Parameter parameter{read_.text("parameters: name", entry["name"]), {}};
      if (entry["requires_grad"])
        parameter.requires_grad = read_.truth(parameter.name + ": requires_grad", entry["requires_grad"]);
      const auto shape = entry["shape"];
      if (!shape || !shape.IsSequence() || shape.size() > 8)
        read_.refuse(entry, "{}: shape: expected a list of at most 8 lengths", parameter.name);
      std::uint64_t elements = 1;
      for (const auto& length : shape) {
        parameter.shape.push_back(read_.number<std::uint64_t>(parameter.name + ": shape", length, 1, most_elements));
        if (parameter.shape.back() > most_elements / elements)
          read_.refuse(length, "{}: shape: too large", parameter.name);
        elements *= parameter.shape.back();
      }
      sum += elements;
      if (sum > most_elements) read_.refuse(entry, "parameters: more than {} elements in total", most_elements);
      if (!index_.emplace(parameter.name, static_cast<int>(model_.parameters.size())).second)
        read_.refuse(entry, "parameters: {} appears twice", parameter.name);
      model_.parameters.push_back(std::move(parameter));
    }
  }

  int parameter_named(const YAML::Node& node, const std::string& what) {
    const auto name = read_.text(what, node);
    const auto found = index_.find(name);
    if (found == index_.end()) read_.refuse(node, "{}: there is no parameter '{}'", what, name);
    return found->second;
  }

  Module module(const YAML::Node& node, const std::string& what, int depth) {
    if (depth > deepest) read_.refuse(node, "{}: modules are nested more than {} deep", what, deepest);
    if (++modules_ > most_modules) read_.refuse(node, "forward: more than {} modules", most_modules);
    read_.map(what, node, {"name", "parameters", "children", "differentiable_input", "recompute", "attention_window"});
    Module result;
    result.name = node["name"] ? read_.text(what + ": name", node["name"]) : what;
    if (node["differentiable_input"])
      result.differentiable_input = read_.truth(result.name + ": differentiable_input", node["differentiable_input"]);
    if (node["recompute"]) result.recompute = read_.truth(result.name + ": recompute", node["recompute"]);
    if (node["attention_window"])
      result.attention_window =
          read_.number<std::uint64_t>(result.name + ": attention_window", node["attention_window"], 1, most_elements);
    if (const auto list = node["parameters"]; list && !list.IsNull()) {
      if (!list.IsSequence()) read_.refuse(list, "{}: parameters: expected a list of names", result.name);
      for (const auto& each : list) {
        if (++references_ > most_references)
          read_.refuse(each, "forward: more than {} uses of parameters", most_references);
        result.parameters.push_back(parameter_named(each, result.name + ": parameters"));
      }
    }
    if (const auto list = node["children"]; list && !list.IsNull()) {
      if (!list.IsSequence()) read_.refuse(list, "{}: children: expected a list of modules", result.name);
      for (const auto& each : list) result.children.push_back(module(each, result.name + ".child", depth + 1));
    }
    return result;
  }

  void read_gradient_order(const YAML::Node& list) {
    if (list.IsNull()) return;
    if (!list.IsSequence()) read_.refuse(list, "gradient_order: expected a list of parameters");
    std::set<int> named;
    model_.gradient_order.emplace();
    for (const auto& each : list) {
      const int parameter = parameter_named(each, "gradient_order");
      if (!named.insert(parameter).second) read_.refuse(each, "gradient_order: {} appears twice", name_of(parameter));
      if (gets_gradient_[static_cast<std::size_t>(parameter)]) model_.gradient_order->push_back(parameter);
    }
    require_all(list, "gradient_order", gets_gradient_, named);
  }

  void read_parameter_groups(const YAML::Node& list) {
    if (list.IsNull()) return;
    if (!list.IsSequence()) read_.refuse(list, "parameter_groups: expected a list of lists of parameters");
    std::set<int> named;
    model_.parameter_groups.emplace();
    for (const auto& group : list) {
      if (!group.IsSequence()) read_.refuse(group, "parameter_groups: expected a list of parameters for each group");
      auto& parameters = model_.parameter_groups->emplace_back();
      for (const auto& each : group) {
        parameters.push_back(parameter_named(each, "parameter_groups"));
        if (!named.insert(parameters.back()).second)
          read_.refuse(each, "parameter_groups: {} appears twice", name_of(parameters.back()));
      }
    }
    require_all(list, "parameter_groups", gets_gradient_, named);
  }

  const std::string& name_of(int parameter) const {
    return model_.parameters[static_cast<std::size_t>(parameter)].name;
  }

  void require_all(const YAML::Node& list, const char* what, const std::vector<bool>& wanted,
                   const std::set<int>& named) const {
    for (std::size_t i = 0; i < wanted.size(); ++i) {
      if (wanted[i] && !named.contains(static_cast<int>(i)))
        read_.refuse(list, "{}: {} gets a gradient, but is missing", what, model_.parameters[i].name);
    }
  }

  /// The value is one for all layers, or the names of modules.
  void read_recompute(const YAML::Node& node) {
    if (!node.IsSequence()) {
      const auto recompute = parse_recompute(read_.text("recompute", node));
      if (!recompute) read_.refuse(node, "recompute: give {}, or a list of modules", recompute_words);
      if (const auto problem = problem_of_recompute(model_, *recompute, "recompute"))
        read_.refuse(node, "{}", to_text(*problem));
      mark_recomputed(model_, *recompute);
      return;
    }
    std::set<std::string> names;
    for (const auto& each : node) names.insert(read_.text("recompute", each));
    mark(model_.forward, names);
    if (!names.empty()) read_.refuse(node, "recompute: there is no module '{}'", *names.begin());
  }
  static void mark(Module& module, std::set<std::string>& names) {
    if (names.erase(module.name) > 0) module.recompute = true;
    for (auto& child : module.children) mark(child, names);
  }

  void read_dimensions(const YAML::Node& node) {
    read_.map("dimensions", node, {"layers", "hidden", "heads", "vocabulary", "positions", "attention_width"});
    const auto get = [&](const char* key) {
      return node[key] ? read_.number<std::uint64_t>(std::string("dimensions: ") + key, node[key], 1, 1ULL << 32) : 0;
    };
    model_.dimensions = {get("layers"),     get("hidden"),    get("heads"),
                         get("vocabulary"), get("positions"), get("attention_width")};
  }

  YamlReader read_;
  Model model_;
  std::unordered_map<std::string, int> index_;
  std::vector<bool> gets_gradient_;
  std::size_t modules_ = 0, references_ = 0;
};

}  // namespace

Model model_from_description(const std::string& file, const std::string& text) {
  try {
    return DescriptionReader(file).run(read_yaml(file, text));
  } catch (const YAML::Exception& error) {
    throw BadUsage(fmt::format("{}:{}: {}", file, error.mark.line + 1, error.msg));
  }
}

namespace {

/// Refuses files that do not describe a model, but look like another program's.
void refuse_other_configurations(const std::string& file, const YAML::Node& root) {
  if (!root.IsMap() || root["parameters"]) return;
  const auto has = [&](const char* key) { return root[key].IsDefined(); };
  if (has("zero_optimization") || has("train_batch_size") || has("train_micro_batch_size_per_gpu"))
    throw BadUsage(fmt::format("{}: is a configuration of DeepSpeed; give it with --ds-config", file));
  if (has("_diffusers_version"))
    throw BadUsage(
        fmt::format("{}: is a configuration of diffusers, whose models are not supported; write a model description "
                    "(docs/reference/model-file.md)",
                    file));
  if (has("transformers_version") && (has("eos_token_id") || has("do_sample")) && !has("architectures") &&
      !has("hidden_size") && !has("n_embd"))
    throw BadUsage(
        fmt::format("{}: is a generation_config.json, which has no sizes; give the config.json next to it", file));
  if (has("peft_type"))
    throw BadUsage(
        fmt::format("{}: is an adapter's configuration; write a model description with its tensors and the frozen ones "
                    "(docs/reference/model-file.md)",
                    file));
  if (has("architectures") || has("hidden_size") || has("n_embd"))
    throw BadUsage(
        fmt::format("{}: has no model_type; add that of its class, such as \"model_type\": \"llama\"", file));
}

}  // namespace

void require_model_file(const std::string& name_or_file) {
  std::error_code error;
  if (std::filesystem::is_regular_file(name_or_file, error)) return;
  std::vector<std::string> names;
  for (const auto& each : shipped_architectures()) names.push_back(each.name);
  throw BadUsage(Problem{.flag = "--model",
                         .value = name_or_file,
                         .text = "is neither a file nor a shipped model",
                         .remedy = fmt::format("give a file, or one of {}", fmt::join(names, ", "))});
}

Model load_model(const std::string& name_or_file) {
  if (const auto shipped = find_architecture(name_or_file)) return make_model(*shipped);
  require_model_file(name_or_file);
  const auto text = whole_text(name_or_file, "--model " + name_or_file);
  const auto root = read_yaml(name_or_file, text);
  if (root.IsMap() && root["model_type"]) {
    const auto architecture = architecture_from_config(name_or_file, text);
    auto model = make_model(architecture);
    model.notes = architecture.notes;
    if (!architecture.defaults_taken.empty())
      model.notes.push_back(fmt::format("{} leaves out sizes; transformers' defaults are used: {}", name_or_file,
                                        fmt::join(architecture.defaults_taken, ", ")));
    return model;
  }
  refuse_other_configurations(name_or_file, root);
  return model_from_description(name_or_file, text);
}

}  // namespace ringmark::replay
