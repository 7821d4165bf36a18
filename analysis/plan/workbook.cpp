#include "analysis/plan/workbook.hpp"

#include <cctype>
#include <functional>
#include <map>
#include <set>
#include <stdexcept>
#include <utility>

#include <fmt/format.h>
#include <xlsxwriter.h>

#include "analysis/write_file.hpp"
#include "results/provenance.hpp"

namespace ringmark::analysis {
namespace {

lxw_row_t row_of(std::size_t index) { return static_cast<lxw_row_t>(index); }
lxw_col_t column_of(std::size_t index) { return static_cast<lxw_col_t>(index); }

std::string letter(std::size_t column) { return std::string(1, static_cast<char>('A' + column)); }

class Workbook {
 public:
  Workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows)
      : path_(path), scenario_(scenario), rows_(rows) {
    lxw_workbook_options options{};
    book_ = workbook_new_opt(path.c_str(), &options);
    if (book_ == nullptr) throw std::runtime_error(fmt::format("cannot write {}", path));
    const auto make = [&] { return workbook_add_format(book_); };
    heading_ = make();
    format_set_bold(heading_);
    format_set_text_wrap(heading_);
    format_set_bottom(heading_, LXW_BORDER_THIN);
    bold_ = make();
    format_set_bold(bold_);
    input_ = make();
    format_set_bg_color(input_, 0xFFF4CC);
    format_set_border(input_, LXW_BORDER_THIN);
    format_set_num_format(input_, "#,##0.####");
    plain_ = make();
    format_set_num_format(plain_, "#,##0.####");
    whole_ = make();
    format_set_num_format(whole_, "#,##0");
  }

  ~Workbook() {
    if (book_ != nullptr) lxw_workbook_free(book_);
  }
  Workbook(const Workbook&) = delete;

  void write() {
    assumptions();
    best_sheet();
    results();
    sources();
    if (const auto error = workbook_close(std::exchange(book_, nullptr)); error != LXW_NO_ERROR) {
      throw std::runtime_error(fmt::format("cannot write {}: {}", path_, lxw_strerror(error)));
    }
  }

 private:
  lxw_worksheet* sheet(const char* name) {
    auto* made = workbook_add_worksheet(book_, name);
    if (made == nullptr) throw std::runtime_error(fmt::format("cannot make the sheet {}", name));
    return made;
  }
  static void text(lxw_worksheet* where, std::size_t row, std::size_t column, const std::string& words,
                   lxw_format* format = nullptr) {
    worksheet_write_string(where, row_of(row), column_of(column), words.c_str(), format);
  }

  /// "price_IB_A100": letters, digits and underscores, unlike any other.
  std::string unique_name(const std::string& what, const std::string& of) {
    auto name = what + (of.empty() ? "" : "_" + of);
    for (char& c : name) {
      if (std::isalnum(static_cast<unsigned char>(c)) == 0) c = '_';
    }
    const auto base = name += "_";  // never like a cell's address
    for (int i = 2; !names_.insert(name).second; ++i) name = fmt::format("{}{}_", base, i);
    return name;
  }

  /// A line of the sheet of assumptions; returns the name of its cell.
  std::string assume(const std::string& what, const std::string& of, double value, const char* unit,
                     const std::string& note = "") {
    const auto name = unique_name(what, of);
    text(assumptions_, line_, 0, of.empty() ? what : what + ", " + of);
    worksheet_write_number(assumptions_, row_of(line_), 1, value, input_);
    restrict_input(unit);
    text(assumptions_, line_, 2, unit);
    text(assumptions_, line_, 3, note);
    ++line_;
    if (workbook_define_name(book_, name.c_str(), fmt::format("=Assumptions!$B${}", line_).c_str()) != LXW_NO_ERROR) {
      throw std::runtime_error(fmt::format("cannot name a cell {}", name));
    }
    return name;
  }
  /// What would break the formulas cannot be typed.
  void restrict_input(std::string_view unit) {
    const bool is_switch = unit == "0 or 1";
    lxw_data_validation rule{};
    if (is_switch || unit == "nodes" || unit == "GPUs") {
      rule.validate = LXW_VALIDATION_TYPE_INTEGER;
      rule.criteria = LXW_VALIDATION_CRITERIA_BETWEEN;
      rule.minimum_number = is_switch ? 0 : 1;
      rule.maximum_number = is_switch ? 1 : 1 << 20;
    } else {
      rule.validate = LXW_VALIDATION_TYPE_DECIMAL;
      rule.criteria = LXW_VALIDATION_CRITERIA_GREATER_THAN_OR_EQUAL_TO;
      rule.value_number = 0;
    }
    worksheet_data_validation_cell(assumptions_, row_of(line_), 1, &rule);
  }
  void title(const std::string& words) {
    ++line_;
    text(assumptions_, line_++, 0, words, bold_);
  }

  struct ModelNames {
    std::string parameters, layers, hidden, vocabulary, gathers;
  };
  struct ClusterNames {
    std::string gpus, peak, efficiency, memory, reserve, price, power, intra_alpha, intra_rate, alpha, rate;
  };

  void assumptions() {
    assumptions_ = sheet("Assumptions");
    worksheet_set_column(assumptions_, 0, 0, 34, nullptr);
    worksheet_set_column(assumptions_, 1, 1, 18, nullptr);
    worksheet_set_column(assumptions_, 2, 2, 16, nullptr);
    worksheet_set_column(assumptions_, 3, 3, 70, nullptr);
    text(assumptions_, line_++, 0, scenario_.question.empty() ? "Plan" : scenario_.question, bold_);
    text(assumptions_, line_++, 0, "Change what is yellow; all other sheets follow.");
    title("Training");
    tokens_ = assume("tokens", "", scenario_.tokens, "tokens");
    sequence_ = assume("sequence", "", scenario_.sequence, "tokens");
    overlap_ = assume("overlap", "", scenario_.overlap, "share",
                      "of the computation beside it that communication can hide behind");
    bucket_ = assume("bucket_elements", "", scenario_.bucket_elements, "elements", "reduce_bucket_size");
    recompute_ = assume("recompute", "", scenario_.recompute ? 1 : 0, "0 or 1",
                        "activations are computed again in the backward pass");
    scatter_ = assume("reduce_scatter", "", scenario_.reduce_scatter ? 1 : 0, "0 or 1",
                      "gradients of stages 1 and 2; 0 is the all_reduce that DeepSpeed issues");
    title("Numbers of nodes");
    for (std::size_t i = 0; i < scenario_.nodes.size(); ++i) {
      nodes_.push_back(assume("nodes", std::to_string(i + 1), scenario_.nodes[i], "nodes"));
    }
    title("Models");
    for (const auto& model : scenario_.models) {
      models_.push_back({assume("parameters", model.name, model.parameters, "elements"),
                         assume("layers", model.name, model.layers, ""),
                         assume("hidden", model.name, model.hidden, "elements"),
                         assume("vocabulary", model.name, model.vocabulary, "tokens"),
                         assume("gather_ratio", model.name, model.gather_ratio, "",
                                "stage 3: how often parameters are gathered in a micro-step")});
    }
    title("Clusters");
    for (const auto& c : scenario_.clusters) {
      clusters_.push_back(
          {assume("gpus_per_node", c.name, c.gpus_per_node, "GPUs"),
           assume("peak_TFLOPS", c.name, c.peak_TFLOPS, "1e12 / s"),
           assume("efficiency", c.name, c.efficiency, "share", "of the peak that training reaches"),
           assume("memory_GB", c.name, c.memory_GB, "1e9 B"),
           assume("reserve_GB", c.name, c.reserve_GB, "1e9 B", "for the framework and fragmentation"),
           assume("price_per_GPU_hour", c.name, c.price_per_GPU_hour, "money"),
           assume("power_kW_per_GPU", c.name, c.power_kW_per_GPU, "kW"),
           assume("intra_alpha_us", c.name, c.intra.alpha_us, "µs", c.intra.source),
           assume("intra_GBps", c.name, c.intra.GBps, "1e9 B / s", "busbw within a node; " + c.intra.source),
           assume("network_alpha_us", c.name, c.network.alpha_us, "µs", c.network.source),
           assume("network_GBps", c.name, c.network.GBps, "1e9 B / s", "busbw between nodes; " + c.network.source)});
    }
  }

  /// A column of results: its formula for a row, and what that is now.
  struct Column {
    const char* name;
    const char* unit;
    std::function<std::string(const PlanRow& row, std::size_t line)> formula;
    std::function<std::optional<double>(const PlanRow& row)> value;
  };

  void results() {
    auto* results = sheet("Results");
    worksheet_freeze_panes(results, 2, 5);
    enum {
      model,
      cluster,
      stage,
      micro_batch,
      accumulation,
      nodes,
      ranks,
      alpha_us,
      GBps,
      memory_GB,
      fits,
      compute_s,
      gradient_s,
      parameter_s,
      window_s,
      exposed_s,
      step_s,
      tokens_per_s,
      samples_per_s,
      scaling_factor,
      days,
      cost,
      energy_MWh,
      hidden_from_GBps,
      best
    };
    const auto at = [](std::size_t column, std::size_t line) { return fmt::format("{}{}", letter(column), line); };
    const auto all = [&](std::size_t column) {
      return fmt::format("${0}$3:${0}${1}", letter(column), rows_.size() + 2);
    };
    const auto if_fits = [&](std::size_t line, const std::string& formula) {
      return fmt::format("=IF({}=1,{},\"\")", at(fits, line), formula);
    };
    // Parts of formulas, as in estimate.cpp.
    const auto tokens = [&](std::size_t line) { return fmt::format("{}*{}", at(micro_batch, line), sequence_); };
    const auto passes = fmt::format("IF({}=1,4,3)", recompute_);
    const auto micro = [&](const PlanRow& row, std::size_t line) {
      const auto& m = models_[row.model];
      const auto& c = clusters_[row.cluster];
      return fmt::format("({}*{}*(2*{}+2*{}*{}*{})/({}*1E12*{}))", passes, tokens(line), m.parameters, m.layers,
                         sequence_, m.hidden, c.peak, c.efficiency);
    };
    const auto scatters = [&](std::size_t line) {
      return fmt::format("OR({0}=3,AND({1}=1,{0}>0))", at(stage, line), scatter_);
    };
    const auto rounds = [&](std::size_t line) {
      return fmt::format("IF({}>=2,{},1)", at(stage, line), at(accumulation, line));
    };
    const auto gathered = [&](const PlanRow& row, std::size_t line) {
      return fmt::format("CHOOSE({}+1,0,1,1,{}*{})", at(stage, line), at(accumulation, line),
                         models_[row.model].gathers);
    };
    const auto calls = [&](const PlanRow& row) {
      return fmt::format("ROUNDUP({}/{},0)", models_[row.model].parameters, bucket_);
    };
    const auto gradient_bytes = [&](const PlanRow& row, std::size_t line) {
      return fmt::format("{0}*IF({1},2,4)*({2}-1)/{2}*{3}", rounds(line), scatters(line), at(ranks, line),
                         models_[row.model].parameters);
    };
    const auto gradient_steps = [&](const PlanRow& row, std::size_t line) {
      return fmt::format("{}*{}*IF({},1,2)*({}-1)", rounds(line), calls(row), scatters(line), at(ranks, line));
    };
    const auto parameter_bytes = [&](const PlanRow& row, std::size_t line) {
      return fmt::format("{0}*2*({1}-1)/{1}*{2}", gathered(row, line), at(ranks, line), models_[row.model].parameters);
    };
    const auto parameter_steps = [&](const PlanRow& row, std::size_t line) {
      return fmt::format("{}*IF({}=3,{},1)*({}-1)", gathered(row, line), at(stage, line), models_[row.model].layers,
                         at(ranks, line));
    };
    const auto seconds = [&](const std::string& bytes, const std::string& steps, std::size_t line) {
      return fmt::format("{}/({}*1E9)+{}*{}/1E6", bytes, at(GBps, line), steps, at(alpha_us, line));
    };
    const auto figure = [](double PlanRow::*member) {
      return [member](const PlanRow& row) { return row.fits ? std::optional(row.*member) : std::nullopt; };
    };
    const auto path = [&](const PlanRow& row) {
      const auto& c = scenario_.clusters[row.cluster];
      return row.nodes == 1 ? c.intra : c.network;
    };
    const std::vector<Column> columns{
        {"nodes", "", [&](const PlanRow& row, std::size_t) { return "=" + nodes_[row.nodes_index]; },
         [](const PlanRow& row) { return row.nodes; }},
        {"ranks", "GPUs",
         [&](const PlanRow& row, std::size_t l) {
           return fmt::format("={}*{}", at(nodes, l), clusters_[row.cluster].gpus);
         },
         [](const PlanRow& row) { return row.ranks; }},
        {"alpha_us", "µs",
         [&](const PlanRow& row, std::size_t l) {
           return fmt::format("=IF({}=1,{},{})", at(nodes, l), clusters_[row.cluster].intra_alpha,
                              clusters_[row.cluster].alpha);
         },
         [&](const PlanRow& row) { return path(row).alpha_us; }},
        {"GBps", "1e9 B / s",
         [&](const PlanRow& row, std::size_t l) {
           return fmt::format("=IF({}=1,{},{})", at(nodes, l), clusters_[row.cluster].intra_rate,
                              clusters_[row.cluster].rate);
         },
         [&](const PlanRow& row) { return path(row).GBps; }},
        {"memory_GB", "1e9 B",
         [&](const PlanRow& row, std::size_t l) {
           const auto& m = models_[row.model];
           return fmt::format(
               "=(CHOOSE({0}+1,16*{1},4*{1}+16*{1}/{2},2*{1}+18*{1}/{2},16*{1}/{2}+MIN(2*{1},2E9))+"
               "CHOOSE({0}+1,0,4,4,2)*{3}+34*{4}*{5}*IF({6}=1,1+{7}/17,{7})+10*{4}*{8})/1E9",
               at(stage, l), m.parameters, at(ranks, l), bucket_, tokens(l), m.hidden, recompute_, m.layers,
               m.vocabulary);
         },
         [](const PlanRow& row) { return row.memory_GB; }},
        {"fits", "0 or 1",
         [&](const PlanRow& row, std::size_t l) {
           return fmt::format("=IF({}<={}-{},1,0)", at(memory_GB, l), clusters_[row.cluster].memory,
                              clusters_[row.cluster].reserve);
         },
         [](const PlanRow& row) { return row.fits ? 1 : 0; }},
        {"compute_s", "s",
         [&](const PlanRow& row, std::size_t l) {
           return if_fits(l, fmt::format("{}*{}", at(accumulation, l), micro(row, l)));
         },
         figure(&PlanRow::compute_s)},
        {"gradient_s", "s",
         [&](const PlanRow& row, std::size_t l) {
           return if_fits(l, seconds(gradient_bytes(row, l), gradient_steps(row, l), l));
         },
         figure(&PlanRow::gradient_s)},
        {"parameter_s", "s",
         [&](const PlanRow& row, std::size_t l) {
           return if_fits(l, seconds(parameter_bytes(row, l), parameter_steps(row, l), l));
         },
         figure(&PlanRow::parameter_s)},
        {"window_s", "s",
         [&](const PlanRow& row, std::size_t l) {
           const auto backward = fmt::format("{0}*({1}-1)/{1}", micro(row, l), passes);
           return if_fits(
               l, fmt::format("{0}*IF(OR({1}=0,AND({1}<3,{5}<=1)),0,IF({1}=3,{2}*{3},IF({1}=2,{2}*{4},{4})))", overlap_,
                              at(stage, l), at(accumulation, l), micro(row, l), backward, calls(row)));
         },
         figure(&PlanRow::window_s)},
        {"exposed_s", "s",
         [&](const PlanRow&, std::size_t l) {
           return if_fits(l, fmt::format("MAX(0,{0}+IF({1}=3,{2},0)-{3})+IF({1}=3,0,{2})", at(gradient_s, l),
                                         at(stage, l), at(parameter_s, l), at(window_s, l)));
         },
         figure(&PlanRow::exposed_s)},
        {"step_s", "s",
         [&](const PlanRow&, std::size_t l) {
           return if_fits(l, fmt::format("{}+{}", at(compute_s, l), at(exposed_s, l)));
         },
         figure(&PlanRow::step_s)},
        {"tokens_per_s", "1 / s",
         [&](const PlanRow&, std::size_t l) {
           return if_fits(l, fmt::format("{}*{}*{}/{}", at(ranks, l), tokens(l), at(accumulation, l), at(step_s, l)));
         },
         figure(&PlanRow::tokens_per_s)},
        {"samples_per_s", "1 / s",
         [&](const PlanRow&, std::size_t l) {
           return if_fits(l, fmt::format("{}/{}", at(tokens_per_s, l), sequence_));
         },
         figure(&PlanRow::samples_per_s)},
        {"scaling_factor", "per GPU",
         [&](const PlanRow& row, std::size_t l) {
           // Rows of one configuration follow one another.
           const auto first = l - row.nodes_index, last = first + scenario_.nodes.size() - 1;
           const auto block = [&](std::size_t c) { return fmt::format("{0}${1}:{0}${2}", letter(c), first, last); };
           const auto fewest = fmt::format("_xlfn.MINIFS({},{},1)", block(ranks), block(fits));
           return if_fits(l, fmt::format("{}/{}/(INDEX({},MATCH({},{},0))/{})", at(tokens_per_s, l), at(ranks, l),
                                         block(tokens_per_s), fewest, block(ranks), fewest));
         },
         figure(&PlanRow::scaling_factor)},
        {"days", "days",
         [&](const PlanRow&, std::size_t l) {
           return if_fits(l, fmt::format("{}/{}/86400", tokens_, at(tokens_per_s, l)));
         },
         figure(&PlanRow::days)},
        {"cost", "money",
         [&](const PlanRow& row, std::size_t l) {
           return if_fits(l, fmt::format("{}*24*{}*{}", at(days, l), at(ranks, l), clusters_[row.cluster].price));
         },
         figure(&PlanRow::cost)},
        {"energy_MWh", "MWh",
         [&](const PlanRow& row, std::size_t l) {
           return if_fits(l, fmt::format("{}*24*{}*{}/1000", at(days, l), at(ranks, l), clusters_[row.cluster].power));
         },
         figure(&PlanRow::energy_MWh)},
        {"hidden_from_GBps", "1e9 B / s",
         [&](const PlanRow& row, std::size_t l) {
           const auto bytes =
               fmt::format("({}+IF({}=3,{},0))", gradient_bytes(row, l), at(stage, l), parameter_bytes(row, l));
           const auto left = fmt::format("({}-({}+IF({}=3,{},0))*{}/1E6)", at(window_s, l), gradient_steps(row, l),
                                         at(stage, l), parameter_steps(row, l), at(alpha_us, l));
           return if_fits(l, fmt::format("IF(AND({0}>0,{1}>0),{1}/{0}/1E9,\"\")", left, bytes));
         },
         [](const PlanRow& row) { return row.hidden_from_GBps; }},
        {"best", "0 or 1",
         [&](const PlanRow&, std::size_t l) {
           return fmt::format("=IF({0}=1,IF({1}>=_xlfn.MAXIFS({2},{3},{4},{5},{6},{7},{8},{9},1)*(1-1E-9),1,0),0)",
                              at(fits, l), at(tokens_per_s, l), all(tokens_per_s), all(model), at(model, l),
                              all(cluster), at(cluster, l), all(nodes), at(nodes, l), all(fits));
         },
         [](const PlanRow& row) { return row.is_best ? 1 : 0; }},
    };
    const char* given[]{"model", "cluster", "stage", "micro_batch", "accumulation"};
    for (std::size_t c = 0; c < std::size(given); ++c) text(results, 0, c, given[c], heading_);
    for (std::size_t c = 0; c < columns.size(); ++c) {
      text(results, 0, c + nodes, columns[c].name, heading_);
      text(results, 1, c + nodes, columns[c].unit);
    }
    worksheet_set_column(results, 0, 1, 16, nullptr);
    worksheet_set_column(results, 2, column_of(best), 13, nullptr);
    for (std::size_t i = 0; i < rows_.size(); ++i) {
      const auto& row = rows_[i];
      const std::size_t line = i + 3;  // as the sheet numbers it
      text(results, line - 1, model, scenario_.models[row.model].name);
      text(results, line - 1, cluster, scenario_.clusters[row.cluster].name);
      worksheet_write_number(results, row_of(line - 1), stage, row.stage, whole_);
      worksheet_write_number(results, row_of(line - 1), micro_batch, row.micro_batch, whole_);
      worksheet_write_number(results, row_of(line - 1), accumulation, row.accumulation, whole_);
      for (std::size_t c = 0; c < columns.size(); ++c) {
        const auto value = columns[c].value(row);
        const auto formula = columns[c].formula(row, line);
        if (value) {
          worksheet_write_formula_num(results, row_of(line - 1), column_of(c + nodes), formula.c_str(), plain_, *value);
        } else {
          worksheet_write_formula_str(results, row_of(line - 1), column_of(c + nodes), formula.c_str(), plain_, "");
        }
      }
    }
  }

  void best_sheet() {
    auto* best = sheet("Best");
    worksheet_set_column(best, 0, 60, 16, nullptr);
    const auto all = [&](char column) { return fmt::format("Results!${0}$3:${0}${1}", column, rows_.size() + 2); };
    struct Table {
      const char* title;
      char column;
      double PlanRow::*value;
      bool is_least;
    };
    std::size_t top = 0;
    for (const Table& table : {Table{"days", 'U', &PlanRow::days, true}, Table{"cost", 'V', &PlanRow::cost, true},
                               Table{"tokens_per_s", 'R', &PlanRow::tokens_per_s, false}}) {
      text(best, top, 0, fmt::format("{} of the best configuration that fits, by nodes", table.title), bold_);
      text(best, top + 1, 0, "nodes", heading_);
      auto* chart = workbook_add_chart(book_, LXW_CHART_LINE);
      chart_title_set_name(chart, table.title);
      chart_axis_set_name(chart->x_axis, "nodes");
      chart_axis_set_log_base(chart->y_axis, 10);  // where nothing fits there is no point, not a zero
      std::size_t column = 1;
      for (std::size_t m = 0; m < scenario_.models.size(); ++m) {
        for (std::size_t c = 0; c < scenario_.clusters.size(); ++c, ++column) {
          const auto& model = scenario_.models[m].name;
          const auto& cluster = scenario_.clusters[c].name;
          text(best, top + 1, column, model + ", " + cluster, heading_);
          for (std::size_t n = 0; n < scenario_.nodes.size(); ++n) {
            const auto line = top + 2 + n;
            worksheet_write_formula_num(best, row_of(line), 0, ("=" + nodes_[n]).c_str(), whole_, scenario_.nodes[n]);
            const auto formula = fmt::format(
                "=IF(COUNTIFS({0},\"{1}\",{2},\"{3}\",{4},$A{5},{6},1)=0,\"\",_xlfn.{7}({8},{0},\"{1}\",{2},\"{3}\",{4}"
                ",$A{5},{6},1))",
                all('A'), model, all('B'), cluster, all('F'), line + 1, all('K'), table.is_least ? "MINIFS" : "MAXIFS",
                all(table.column));
            std::optional<double> value;
            for (const auto& row : rows_) {
              if (!row.fits || row.model != m || row.cluster != c || row.nodes_index != n) continue;
              const double each = row.*table.value;
              if (!value || (table.is_least ? each < *value : each > *value)) value = each;
            }
            if (value) {
              worksheet_write_formula_num(best, row_of(line), column_of(column), formula.c_str(), plain_, *value);
            } else {
              worksheet_write_formula_str(best, row_of(line), column_of(column), formula.c_str(), plain_, "");
            }
          }
          const auto last = top + 1 + scenario_.nodes.size();
          auto* series = chart_add_series(chart, nullptr, nullptr);
          chart_series_set_categories(series, "Best", row_of(top + 2), 0, row_of(last), 0);
          chart_series_set_values(series, "Best", row_of(top + 2), column_of(column), row_of(last), column_of(column));
          chart_series_set_name(series, (model + ", " + cluster).c_str());
          chart_series_set_marker_type(series, LXW_CHART_MARKER_AUTOMATIC);
        }
      }
      worksheet_insert_chart(best, row_of(top), column_of(column + 1), chart);
      constexpr std::size_t chart_rows = 17;
      top += std::max(scenario_.nodes.size() + 4, chart_rows);
    }
  }

  void sources() {
    auto* sources = sheet("Sources");
    worksheet_set_column(sources, 0, 1, 20, nullptr);
    worksheet_set_column(sources, 2, 2, 110, nullptr);
    text(sources, 0, 0, "cluster", heading_);
    text(sources, 0, 1, "path", heading_);
    text(sources, 0, 2, "alpha and rate", heading_);
    std::size_t line = 1;
    for (const auto& cluster : scenario_.clusters) {
      for (const auto& [path, cost] :
           {std::pair{"within a node", &cluster.intra}, std::pair{"between nodes", &cluster.network}}) {
        text(sources, line, 0, cluster.name);
        text(sources, line, 1, path);
        text(sources, line++, 2, cost->source);
      }
    }
    text(sources, ++line, 0, fmt::format("Made {} by ringmark {}", now_utc(), version()));
  }

  const std::string& path_;
  const Scenario& scenario_;
  const std::vector<PlanRow>& rows_;
  lxw_workbook* book_ = nullptr;
  lxw_worksheet* assumptions_ = nullptr;
  lxw_format *heading_ = nullptr, *bold_ = nullptr, *input_ = nullptr, *plain_ = nullptr, *whole_ = nullptr;
  std::size_t line_ = 0;
  std::set<std::string> names_;
  std::string tokens_, sequence_, overlap_, bucket_, recompute_, scatter_;
  std::vector<std::string> nodes_;
  std::vector<ModelNames> models_;
  std::vector<ClusterNames> clusters_;
};

}  // namespace

void write_workbook(const std::string& path, const Scenario& scenario, const std::vector<PlanRow>& rows) {
  replace_file(path, [&](const std::string& part) { Workbook(part, scenario, rows).write(); });
}

}  // namespace ringmark::analysis
