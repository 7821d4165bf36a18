// A scan of links, on rank 0: goes through the steps, tells the ends of each step's links what to measure, and turns
// their reports into rows. A lost rank is reported, and only its links are left out.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "bench/link/incast.hpp"
#include "bench/link/link_end.hpp"
#include "bench/link/scan_plan.hpp"
#include "bench/link/scan_team.hpp"
#include "bench/link/sharing.hpp"
#include "bench/link/time_left.hpp"
#include "results/files/sink.hpp"

namespace ringmark {

class LinkScan {
 public:
  /// All arguments must outlive this; `csv` may be null.
  LinkScan(const LinkOptions& options, RankResources& resources, std::string run_id, Sink* csv);

  /// Returns the exit status, after telling the other ranks.
  int run();
  /// The lost ranks, without which the scan continued, each with the reason.
  const std::map<int, std::string>& lost() const { return team_.lost(); }

 private:
  bool is_incast() const { return options_.pairs.kind == PairKind::incast; }
  std::vector<std::string> ways_out() const;
  void walk(const ScanPlan& plan);
  std::vector<Record> measure_again(const LinkStep& step, std::size_t bytes);
  void repeat_alone();
  void repeat_over_other_connections(const ScanPlan& plan);
  Again over_other_connections(const LinkStep& step, std::size_t bytes);
  void note_received(LinkTest test, const LinkStep& step, std::size_t bytes, const std::vector<LinkReport>& reports);
  std::vector<Record> timed_step(LinkTest test, const LinkStep& step, std::size_t bytes);
  std::vector<Record> measure_step(LinkTest test, const LinkStep& planned, std::size_t bytes);
  std::vector<LinkReport> order_and_hear(LinkTest test, const LinkStep& step, std::size_t bytes);
  Record describe(LinkTest test, const LinkEnds& link, std::size_t bytes) const;
  void complete(Record& record, const LinkReport& source, const LinkReport& destination, PathFinding path);
  /// Why the link cannot be measured; empty if it can.
  std::string why_not(const LinkEnds& link) const;
  void take(std::vector<Record> records);
  void conclude() const;

  const LinkOptions& options_;
  RankResources& resources_;
  std::string run_id_;
  Sink* csv_;
  LinkEnd own_;
  ScanTeam team_;
  double max_time_s_ = 0;  ///< per measurement, once the scan is planned
  TimeLeft left_;
  int connection_ = 0;
  std::vector<Record> records_, alone_;  ///< of measured links
  std::vector<Again> again_;
  std::vector<Received> received_, received_alone_;
  bool is_wrong_ = false, has_failed_ = false, is_alone_ = false, takes_whole_time_;
};

}  // namespace ringmark
