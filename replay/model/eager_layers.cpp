#include "replay/model/eager_layers.hpp"

#include <algorithm>
#include <array>
#include <string_view>

namespace ringmark::replay {
namespace {

constexpr double bytes_in_16_bits = 2, bytes_in_32_bits = 4;

/// Bytes per unit of each width: the layer's, that of all heads, that of all key heads and the MLP's.
struct ByWidth {
  double hidden, queries, keys, feed_forward;
};
struct Counted {
  ByWidth forward, backward, kept;
};
struct Type {
  std::string_view name;
  std::array<Counted, 3> by_precision;
};

/// Counted by tests/replay/files/record_transformers_passes.py on PyTorch 2.11 and transformers 5.17, and rounded to
/// whole bytes; transformers_passes.json.xz next to it has the counts. Biases count as the type usually has them.
constexpr std::array types{
    Type{"llama",
         {{{{106, 36, 36, 10}, {286, 64, 64, 18}, {26, 4, 4, 8}},
           {{84, 20, 20, 10}, {214, 34, 34, 18}, {16, 4, 4, 8}},
           {{80, 40, 40, 20}, {244, 68, 68, 36}, {24, 8, 8, 16}}}}},
    Type{"mistral",
         {{{{106, 36, 36, 10}, {286, 64, 64, 18}, {26, 4, 4, 8}},
           {{84, 20, 20, 10}, {214, 34, 34, 18}, {16, 4, 4, 8}},
           {{80, 40, 40, 20}, {244, 68, 68, 36}, {24, 8, 8, 16}}}}},
    Type{"granite",
         {{{{114, 36, 36, 10}, {294, 64, 64, 18}, {26, 4, 4, 8}},
           {{92, 20, 20, 10}, {222, 34, 34, 18}, {16, 4, 4, 8}},
           {{96, 40, 40, 20}, {260, 68, 68, 36}, {24, 8, 8, 16}}}}},
    Type{"qwen2",
         {{{{106, 36, 36, 10}, {286, 66, 68, 18}, {26, 4, 4, 8}},
           {{84, 20, 20, 10}, {214, 36, 38, 18}, {16, 4, 4, 8}},
           {{80, 40, 40, 20}, {244, 72, 76, 36}, {24, 8, 8, 16}}}}},
    Type{"qwen3",
         {{{{106, 84, 84, 10}, {286, 179, 179, 18}, {26, 10, 10, 8}},
           {{84, 56, 56, 10}, {214, 127, 127, 18}, {16, 10, 10, 8}},
           {{80, 68, 68, 20}, {244, 161, 161, 36}, {24, 16, 16, 16}}}}},
    Type{"phi3",
         {{{{88, 48, 44, 10}, {232, 94, 116, 26}, {20, 8, 6, 8}},
           {{84, 28, 24, 10}, {196, 64, 86, 26}, {16, 8, 6, 8}},
           {{80, 56, 48, 20}, {208, 128, 172, 52}, {24, 16, 12, 16}}}}},
    Type{"gemma",
         {{{{106, 36, 36, 10}, {286, 64, 64, 18}, {26, 4, 4, 8}},
           {{92, 20, 20, 10}, {238, 34, 34, 18}, {20, 4, 4, 8}},
           {{80, 40, 40, 20}, {244, 68, 68, 36}, {24, 8, 8, 16}}}}},
    Type{"gemma2",
         {{{{186, 36, 36, 10}, {494, 64, 64, 18}, {42, 4, 4, 8}},
           {{172, 20, 20, 10}, {446, 34, 34, 18}, {36, 4, 4, 8}},
           {{136, 40, 40, 20}, {428, 68, 68, 36}, {40, 8, 8, 16}}}}},
    Type{"gemma3_text",
         {{{{186, 76, 76, 10}, {494, 169, 169, 18}, {42, 12, 12, 8}},
           {{172, 60, 60, 10}, {446, 139, 139, 18}, {36, 12, 12, 8}},
           {{136, 68, 68, 20}, {428, 161, 161, 36}, {40, 16, 16, 16}}}}},
    Type{"smollm3",
         {{{{106, 36, 36, 10}, {286, 64, 64, 18}, {26, 4, 4, 8}},
           {{84, 20, 20, 10}, {214, 34, 34, 18}, {16, 4, 4, 8}},
           {{80, 40, 40, 20}, {244, 68, 68, 36}, {24, 8, 8, 16}}}}},
    Type{"olmo2",
         {{{{130, 76, 76, 10}, {310, 168, 168, 18}, {26, 12, 12, 8}},
           {{92, 76, 76, 10}, {238, 168, 168, 18}, {20, 12, 12, 8}},
           {{80, 68, 68, 20}, {244, 160, 160, 36}, {24, 16, 16, 16}}}}},
    Type{"olmo3",
         {{{{130, 76, 76, 10}, {310, 168, 168, 18}, {26, 12, 12, 8}},
           {{92, 76, 76, 10}, {238, 168, 168, 18}, {20, 12, 12, 8}},
           {{80, 68, 68, 20}, {244, 160, 160, 36}, {24, 16, 16, 16}}}}},
    Type{"stablelm",
         {{{{90, 0, 20, 10}, {184, 0, 42, 18}, {24, 0, 4, 8}},
           {{33, 0, 9, 10}, {76, 0, 26, 18}, {14, 0, 4, 8}},
           {{66, 0, 18, 20}, {151, 0, 51, 36}, {28, 0, 8, 16}}}}},
    Type{"starcoder2",
         {{{{60, 36, 36, 4}, {128, 66, 68, 8}, {16, 4, 4, 4}},
           {{20, 20, 20, 4}, {48, 36, 38, 8}, {8, 4, 4, 4}},
           {{40, 40, 40, 8}, {96, 72, 76, 16}, {16, 8, 8, 8}}}}},
    Type{"cohere",
         {{{{98, 52, 52, 10}, {242, 76, 76, 18}, {22, 4, 4, 8}},
           {{72, 52, 52, 10}, {182, 76, 76, 18}, {14, 4, 4, 8}},
           {{72, 40, 40, 20}, {200, 68, 68, 36}, {16, 8, 8, 16}}}}},
    Type{"opt",
         {{{{64, 0, 0, 4}, {138, 0, 0, 8}, {24, 0, 0, 2}},
           {{24, 0, 0, 4}, {58, 0, 0, 8}, {16, 0, 0, 2}},
           {{48, 0, 0, 8}, {116, 0, 0, 16}, {32, 0, 0, 4}}}}},
    Type{"gpt2",
         {{{{48, 0, 0, 76}, {110, 0, 0, 128}, {20, 0, 0, 16}},
           {{20, 0, 0, 36}, {54, 0, 0, 58}, {16, 0, 0, 10}},
           {{40, 0, 0, 72}, {108, 0, 0, 116}, {32, 0, 0, 20}}}}},
    Type{"gpt_neox",
         {{{{88, 0, 0, 4}, {192, 0, 0, 8}, {22, 0, 0, 4}},
           {{42, 0, 0, 4}, {109, 0, 0, 8}, {20, 0, 0, 4}},
           {{84, 0, 0, 8}, {218, 0, 0, 16}, {40, 0, 0, 8}}}}},
};

double bytes(const ByWidth& each, const Dimensions& d) {
  const auto number = [](std::uint64_t value) { return static_cast<double>(value); };
  return each.hidden * number(d.hidden) + each.queries * number(d.attention_width) + each.keys * number(d.key_width) +
         each.feed_forward * number(d.feed_forward);
}

}  // namespace

std::optional<LayerBytes> eager_layer_bytes(const Model& model, Precision precision) {
  const auto* const found =
      std::find_if(types.begin(), types.end(), [&](const Type& each) { return each.name == model.type; });
  if (found == types.end()) return std::nullopt;
  const auto& counted = found->by_precision[static_cast<std::size_t>(precision)];
  return LayerBytes{bytes(counted.forward, model.dimensions), bytes(counted.backward, model.dimensions),
                    bytes(counted.kept, model.dimensions)};
}

double eager_parameter_bytes(Precision precision) {
  return precision == Precision::autocast ? bytes_in_32_bits + bytes_in_16_bits : 0;
}

double eager_layer_input_bytes(Precision precision) {
  return precision == Precision::half ? bytes_in_16_bits : bytes_in_32_bits;
}

}  // namespace ringmark::replay
