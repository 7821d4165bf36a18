#include "replay/step/step_chart.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <utility>

#include <fmt/format.h>

namespace ringmark::replay {
namespace {

// All lengths are pixels.
constexpr double left = 70, top = 48, width = 1200, row_height = 34, box_height = 20, lane_height = 6;
constexpr std::size_t most_rows = 64;

const char* colour_of(Phase phase) {
  switch (phase) {
    case Phase::forward:
      return "#7fb2e5";
    case Phase::recompute:
      return "#bcd7f0";
    case Phase::backward:
      return "#8fca86";
    case Phase::step:
      return "#c9c3b4";
  }
  return "";
}
constexpr auto communication_colour = "#d0743c";

/// 1, 2 or 5 times a power of ten, so that an axis has about ten marks.
double mark_distance(double total) {
  const double least = total / 10, power = std::pow(10, std::floor(std::log10(least)));
  for (const double each : {1.0, 2.0, 5.0}) {
    if (each * power >= least) return each * power;
  }
  return 10 * power;
}

std::string rectangle(double x, double y, double w, double height, const char* fill, const std::string& title) {
  return fmt::format(
      "<rect x=\"{:.2f}\" y=\"{:.1f}\" width=\"{:.2f}\" height=\"{:.1f}\" fill=\"{}\"><title>{}</title></rect>\n", x, y,
      w, height, fill, title);
}

/// Names of channels come from files.
std::string escaped(const std::string& text) {
  std::string result;
  for (const char each : text) {
    switch (each) {
      case '&':
        result += "&amp;";
        break;
      case '<':
        result += "&lt;";
        break;
      case '>':
        result += "&gt;";
        break;
      default:
        result += each;
    }
  }
  return result;
}

std::string text_at(double x, double y, const char* anchor, const std::string& text) {
  return fmt::format("<text x=\"{:.2f}\" y=\"{:.1f}\" text-anchor=\"{}\">{}</text>\n", x, y, anchor, text);
}

std::string legend() {
  std::string text;
  double x = left;
  const auto add = [&](const char* colour, const std::string& what) {
    text += fmt::format("<rect x=\"{:.0f}\" y=\"10\" width=\"12\" height=\"12\" fill=\"{}\"/>\n", x, colour);
    text += text_at(x + 17, 20, "start", what);
    constexpr double of_letter = 7, gap = 40;
    x += gap + of_letter * static_cast<double>(what.size());
  };
  for (const auto phase : {Phase::forward, Phase::recompute, Phase::backward, Phase::step})
    add(colour_of(phase),
        std::array{"forward", "recomputation", "backward", "optimizer"}[static_cast<std::size_t>(phase)]);
  add(communication_colour, "communication");
  return text;
}

}  // namespace

/// Computation of one phase and micro-step is one box with the collectives in between, unless the rank waits for a
/// message.
std::vector<StepChart::Bar> StepChart::boxes_of(const StepTrace& trace, const Timeline& timeline) {
  std::vector<Bar> boxes;
  bool has_waited = false;
  const auto is_of_message = [&](int index) { return is_message(trace.events[static_cast<std::size_t>(index)]); };
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    if (event.stream != 0) continue;
    const bool may_wait =
        (is_message(event) && !event.is_async) ||
        (event.kind == EventKind::wait && std::any_of(event.after.begin(), event.after.end(), is_of_message));
    if (may_wait && !boxes.empty() && timeline.end_us[i] > boxes.back().end_us + noticeable_skew_us) has_waited = true;
    if (!computes(event) || timeline.end_us[i] <= timeline.begin_us[i]) continue;
    const bool goes_on = !boxes.empty() && !std::exchange(has_waited, false) && boxes.back().phase == event.phase &&
                         boxes.back().micro_step == event.micro_step;
    if (goes_on) {
      boxes.back().end_us = std::max(boxes.back().end_us, timeline.end_us[i]);
    } else {
      boxes.push_back({timeline.begin_us[i], timeline.end_us[i], event.phase, event.micro_step, ""});
    }
  }
  return boxes;
}

void StepChart::add(int rank, const StepTrace& trace, const Timeline& timeline) {
  Row row{rank, boxes_of(trace, timeline), {}};
  for (std::size_t i = 0; i < trace.events.size(); ++i) {
    const auto& event = trace.events[i];
    // A message that is received is in transit while it is sent; before that, only its receiver waits.
    if (!is_call(event) || event.kind == EventKind::receive || timeline.end_us[i] <= timeline.begin_us[i]) continue;
    const auto channel = trace.channels[static_cast<std::size_t>(event.channel)].name;
    row.communication.push_back({timeline.begin_us[i], timeline.end_us[i], event.phase, event.micro_step,
                                 fmt::format("{}, {}", call_name(event), channel)});
  }
  for (const auto* bars : {&row.boxes, &row.communication}) {
    for (const auto& bar : *bars) {
      begin_us_ = std::min(begin_us_, bar.begin_us);
      end_us_ = std::max(end_us_, bar.end_us);
    }
  }
  micro_steps_ = std::max(micro_steps_, trace.micro_steps);
  rows_.push_back(std::move(row));
}

std::string StepChart::svg() const {
  const auto shown = std::min(rows_.size(), most_rows);
  const bool is_empty = end_us_ < begin_us_;
  const double begin_us = is_empty ? 0 : begin_us_, total_us = is_empty ? 1000 : std::max(end_us_ - begin_us_, 1e-3);
  const double height = top + row_height * static_cast<double>(shown) + 30, total_ms = total_us / 1e3;
  const auto x_of = [&](double us) { return left + width * (us - begin_us) / 1e3 / total_ms; };
  auto text = fmt::format(
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {0:.0f} {1:.0f}\" width=\"{0:.0f}\" "
      "height=\"{1:.0f}\" font-family=\"sans-serif\" font-size=\"12\">\n"
      "<rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n",
      left + width + 30, height);
  text += legend();
  if (shown < rows_.size())
    text += text_at(left + width, 20, "end", fmt::format("{} of {} ranks", shown, rows_.size()));
  const double distance = mark_distance(total_ms);
  for (int mark = 0; mark * distance <= total_ms * (1 + 1e-9); ++mark) {
    const double x = x_of(begin_us + mark * distance * 1e3);
    text += fmt::format("<line x1=\"{0:.2f}\" x2=\"{0:.2f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" stroke=\"#ddd\"/>\n", x,
                        top - 8, height - 24);
    text += text_at(x, height - 8, "middle", fmt::format("{:g}{}", mark * distance, mark == 0 ? " ms" : ""));
  }
  for (std::size_t number = 0; number < shown; ++number) {
    const auto& row = rows_[number * rows_.size() / shown];
    const double y = top + row_height * static_cast<double>(number);
    text += text_at(left - 8, y + 15, "end", fmt::format("rank {}", row.rank));
    for (const auto& box : row.boxes) {
      const double x = x_of(box.begin_us), w = x_of(box.end_us) - x;
      const auto micro_batch = micro_steps_ > 1 ? fmt::format(", micro-batch {}", box.micro_step) : "";
      text +=
          rectangle(x, y, w, box_height, colour_of(box.phase),
                    fmt::format("{}{}: {:.3f} ms", name(box.phase), micro_batch, (box.end_us - box.begin_us) / 1e3));
      const auto number_of_box = std::to_string(box.micro_step);
      constexpr double of_digit = 7;
      if (micro_steps_ > 1 && w >= of_digit * static_cast<double>(number_of_box.size() + 1) && box.phase != Phase::step)
        text += text_at(x + w / 2, y + 15, "middle", number_of_box);
    }
    for (const auto& call : row.communication) {
      const double x = x_of(call.begin_us), w = x_of(call.end_us) - x;
      text += rectangle(x, y + box_height + 1, w, lane_height, communication_colour,
                        fmt::format("{}: {:.3f} ms", escaped(call.what), (call.end_us - call.begin_us) / 1e3));
    }
  }
  return text + "</svg>\n";
}

}  // namespace ringmark::replay
