#include "replay/predict/published_steps.hpp"

#include <algorithm>
#include <cctype>
#include <map>
#include <type_traits>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "base/datatype.hpp"
#include "base/errors.hpp"
#include "base/flags/option.hpp"
#include "base/input/input.hpp"
#include "base/text/spelling.hpp"
#include "replay/generate/generate.hpp"
#include "replay/generate/megatron/load_transformer.hpp"
#include "replay/generate/megatron/step.hpp"
#include "replay/generate/torchtitan/step.hpp"
#include "replay/model/architectures.hpp"
#include "replay/predict/parallel_steps.hpp"
#include "replay/predict/table_row.hpp"
#include "results/files/csv.hpp"

namespace ringmark::replay {
namespace {

const std::vector<std::string> needed_columns{
    "id",   "gpu",      "model_type",  "hidden",     "layers",     "heads",           "ffn", "vocabulary", "framework",
    "gpus", "sequence", "micro_batch", "intra_GBps", "inter_GBps", "published_step_s"};

const std::vector<std::string> optional_columns{
    "family",        "memory_GiB",   "kv_heads",       "positions",      "tied",         "zero",
    "gpus_per_node", "accumulation", "dtype",          "product_dtype",  "reduce_dtype", "recompute",
    "software",      "clip_grad",    "intra_alpha_us", "inter_alpha_us", "power_watts"};
/// Flags of predict, and keys of config.json, whose column has another name.
const std::map<std::string, std::string> other_names{{"grad_accum", "accumulation"},
                                                     {"grad-accum", "accumulation"},
                                                     {"num_key_value_heads", "kv_heads"},
                                                     {"micro-batch", "micro_batch"},
                                                     {"seq_len", "sequence"},
                                                     {"ranks", "gpus"},
                                                     {"ranks_per_node", "gpus_per_node"},
                                                     {"intermediate_size", "ffn"},
                                                     {"vocab_size", "vocabulary"},
                                                     {"hidden_size", "hidden"},
                                                     {"num_hidden_layers", "layers"},
                                                     {"num_attention_heads", "heads"},
                                                     {"device", "gpu"},
                                                     {"step_s", "published_step_s"},
                                                     {"zero_stage", "zero"}};

/// Unknown columns are ignored, so one that looks like a misspelt known column is refused.
void refuse_misspelt(const std::string& file, const CsvRow& header) {
  std::vector<std::string_view> known(needed_columns.begin(), needed_columns.end());
  known.insert(known.end(), optional_columns.begin(), optional_columns.end());
  for (const auto& column : header) {
    if (std::find(known.begin(), known.end(), column) != known.end()) continue;
    const auto other = other_names.find(column);
    const auto meant = other != other_names.end() ? std::string_view(other->second) : meant_by(column, known);
    if (meant.empty() || std::find(header.begin(), header.end(), meant) != header.end()) continue;
    throw BadUsage(Problem{.flag = column,
                           .text = "unknown column",
                           .remedy = fmt::format("did you mean {}?", meant),
                           .place = Place{file, 1}});
  }
}

/// A CSV file with a header and at least one row. Throws BadUsage.
std::vector<CsvRow> read_step_table(const std::string& file) {
  std::vector<CsvRow> rows;
  const auto text = whole_file(file, file);
  try {
    rows = parse_csv(text);
  } catch (const CsvError& error) {
    throw BadUsage(fmt::format("{}: {}", file, error.what()));
  }
  if (rows.size() < 2) throw BadUsage(fmt::format("{}: there are no steps; expected a header and rows", file));
  return rows;
}

/// A row of data-parallel steps.
class StepRow : TableRow {
 public:
  using TableRow::TableRow;

  PublishedStep step() const {
    PublishedStep step;
    step.id = text("id");
    step.family = text("family").empty() ? text("gpu") : text("family");
    step.device = device_named(text("gpu"), number("memory_GiB", 0.0, 1e4, 0.0));
    const auto common = settings();
    if (common.framework.kind == Framework::Kind::megatron) {
      step.step = megatron_settings(common);
    } else {
      UniformStep uniform{make_model(architecture()), common};
      uniform.model.name = step.id;
      recompute_some(uniform);
      step.step = std::move(uniform);
    }
    step.software = common.software.value_or(
        common.framework.kind == Framework::Kind::megatron ? Software::Kind::megatron_core : usual_software);
    const Link between{number("inter_alpha_us", 0.0, 1e6, 10.0), number("inter_GBps", 1e-6, 1e6)};
    const Link within{number("intra_alpha_us", 0.0, 1e6, 5.0), number("intra_GBps", 1e-6, 1e6)};
    step.links = {
        .between = between, .within = within, .ranks_per_node = common.ranks_per_node, .transport = Transport::nccl};
    step.step_s = number("published_step_s", 1e-9, 1e9);
    if (!text("power_watts").empty()) step.power_watts = number("power_watts", 1.0, 1e6);
    const auto products = text("product_dtype");
    if (!products.empty() && products != "model" && products != "fp8")
      refuse("product_dtype", "expected fp8 or an empty cell");
    if (products == "fp8") step.products = ProductType::float8;
    if (auto* settings = std::get_if<megatron::Settings>(&step.step)) settings->has_float8 = products == "fp8";
    return step;
  }

 private:
  Architecture architecture() const {
    using Family = Architecture::Family;
    const std::map<std::string, Family> families{
        {"gpt2", Family::gpt2}, {"llama", Family::llama}, {"opt", Family::opt}};
    const auto family = families.find(text("model_type"));
    if (family == families.end()) refuse("model_type", "expected gpt2, llama or opt");
    Architecture architecture{text("id"), family->second};
    architecture.layers = count("layers");
    architecture.hidden = count("hidden");
    architecture.heads = count("heads");
    architecture.key_heads = count("kv_heads", architecture.heads);
    architecture.feed_forward = count("ffn");
    architecture.vocabulary = count("vocabulary");
    architecture.positions = count("positions", count("sequence"));
    architecture.is_tied = truth("tied", false);
    return architecture;
  }

  DataType type(const std::string& column) const {
    const auto type = parse_datatype(text(column));
    if (!type) refuse(column, "expected bf16, fp16 or fp32");
    return *type;
  }

  StepSettings settings() const {
    StepSettings settings;
    const auto framework = parse_framework(text("framework"));
    if (!framework)
      refuse("framework",
             "expected deepspeed, pytorch-ddp, pytorch-fsdp, pytorch-fsdp2 or megatron, with or without a version");
    settings.framework = *framework;
    if (framework->kind == Framework::Kind::deepspeed) settings.zero_stage = number<int>("zero", 0, 3, 0);
    settings.overlap_comm = usual_overlap_comm(settings.zero_stage);
    settings.ranks = number<int>("gpus", 1, most_ranks);
    settings.ranks_per_node = number<int>("gpus_per_node", 1, most_ranks, 8);
    settings.micro_steps = number<int>("accumulation", 1, 100'000, 1);
    settings.micro_batch = count("micro_batch");
    settings.sequence = count("sequence");
    if (!text("dtype").empty()) settings.type = type("dtype");
    if (!text("reduce_dtype").empty()) settings.reduce_type = type("reduce_dtype");
    settings.recompute = recompute().value_or(Recompute{});
    if (!text("clip_grad").empty()) settings.clips_gradients = number("clip_grad", 0.0, 1e6) > 0;
    if (text("software").empty()) return settings;
    settings.software = parse_software(text("software"));
    if (!settings.software) refuse("software", "expected one of " + software_names());
    return settings;
  }

  megatron::Settings megatron_settings(const StepSettings& common) const {
    if (!recompute()) refuse("recompute", fmt::format("expected {}", recompute_words));
    return megatron::usual_settings(megatron::transformer_of(architecture()), {}, common);
  }

  /// Empty for 1/N (every Nth layer), and if the cell cannot be read.
  std::optional<Recompute> recompute() const {
    const auto cell = text("recompute");
    return cell.empty() ? Recompute{} : parse_recompute(cell == "selective:core_attn" ? "selective" : cell);
  }

  /// 1/N: every Nth layer is recomputed.
  void recompute_some(UniformStep& step) const {
    const auto cell = text("recompute");
    if (const auto recomputed = recompute()) {
      if (const auto problem = problem_of_recompute(step.model, *recomputed, "recompute"))
        refuse("recompute", problem->text);
      return;
    }
    int every = 0;
    if (!cell.starts_with("1/") || !read_number(cell.substr(2), 2, 1000, every))
      refuse("recompute", fmt::format("expected {}, or 1/N for every Nth layer", recompute_words));
    int layer = 0;
    mark_layers(step.model.forward, every, layer);
  }

  static void mark_layers(Module& module, int every, int& layer) {
    if (is_layer(module)) {
      module.recompute = layer++ % every == 0;
      return;
    }
    for (auto& child : module.children) mark_layers(child, every, layer);
  }
};

}  // namespace

std::string device_named(const std::string& gpu, double memory_GiB) {
  std::string word;
  for (const char c : gpu) word += c == '_' ? '-' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
  const auto shipped = shipped_devices();
  const auto is_shipped = [&](const std::string& name) {
    return std::find(shipped.begin(), shipped.end(), name) != shipped.end();
  };
  constexpr double small_a100_GiB = 40;
  if (word.ends_with("gb")) word.resize(word.size() - 2);
  const bool is_small = word == "a100-40" || (word == "a100" && memory_GiB > 0 && memory_GiB <= small_a100_GiB);
  if (is_small) return "a100-40";
  if (is_shipped(word)) return word;
  // "h100-80": the memory is the device's usual one.
  const auto base = word.substr(0, word.rfind('-'));
  return is_shipped(base) ? base : "";
}

AnyTrace trace_of(const PublishedStep& step) {
  if (const auto* uniform = std::get_if<UniformStep>(&step.step)) return generate(uniform->model, uniform->settings);
  if (const auto* titan = std::get_if<torchtitan::Settings>(&step.step)) return generate(*titan);
  return generate(std::get<megatron::Settings>(step.step));
}

std::vector<PublishedStep> read_published_steps(const std::string& file) {
  const auto rows = read_step_table(file);
  if (has_parallel_steps(rows.front())) return read_parallel_steps(file, rows);
  std::vector<PublishedStep> steps;
  refuse_misspelt(file, rows[0]);
  std::vector<std::string> missing;
  for (const auto& column : needed_columns) {
    if (std::find(rows[0].begin(), rows[0].end(), column) == rows[0].end()) missing.push_back(column);
  }
  if (!missing.empty())
    throw BadUsage(fmt::format("{}: columns are missing: {}; optional ones are {}", file, fmt::join(missing, ", "),
                               fmt::join(optional_columns, ", ")));
  for (std::size_t i = 1; i < rows.size(); ++i) steps.push_back(StepRow(file, i + 1, rows[0], rows[i]).step());
  return steps;
}

}  // namespace ringmark::replay
