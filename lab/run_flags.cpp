#include "lab/run_flags.hpp"

namespace ringmark::lab {

RunFlags::RunFlags(Flags& program)
    : program_(program),
      run_(program.subcommand("run", "create the hosts, run a command on host 0, remove the hosts")),
      hosts_(run_) {
  auto& options = options_;
  run_.number("--hosts", host_count_, 1, most_hosts,
              fmt::format("number of hosts on a single switch, 1 to {}", most_hosts));
  declare_fabric();
  run_.group("Links");
  run_.word("--rate", "RATE", to_string(options.rate), read_with(parse_rate, allowed_rates, options.rate),
            "rate of every host's link in each direction, such as 1gbit; 0: unshaped");
  run_.word("--burst", "SIZE", "", read_with(parse_burst, allowed_bursts, options.burst_bytes),
            "bytes that an idle link lets through at once, above its rate; by default two milliseconds of its "
            "rate, from 8K to 128K");
  hosts_.declare(
      "--host-rate", "HOST=RATE",
      fmt::format("HOST=RATE, each host once, such as 2=100mbit; a rate is {}", allowed_rates),
      [&options](int host, const std::string& rest) {
        const auto rate = parse_rate(rest);
        return rate && options.host_rates.emplace(host, *rate).second;
      },
      "a different rate for one host, such as 2=100mbit");
  hosts_.declare_cuts([&options](int host, auto after) {
    options.faults.push_back({fmt::format("host-{}", host), LinkDown{}, after});
  });
  run_.repeatable(
      "--fault", "PART:CHANGE@TIME",
      [&options](const std::string& word) -> std::string {
        const auto fault = parse_fault(word);
        if (!fault) return fmt::format("give {}", allowed_faults);
        options.faults.push_back(*fault);
        return {};
      },
      "change a link at a time after the command starts: " + std::string(allowed_faults) +
          "; a host or switch stands for all its links; --show lists the names");
  run_.group("Command");
  run_.seconds("--timeout", options.timeout, shortest_timeout_s, longest_timeout_s,
               "end the command after this time, with exit status 124");
  run_.toggle("--verbose", options.verbose, "print the steps that create the lab");
  run_.examples(
      {"ringmark-lab run --hosts 4 --rate 1gbit -- mpirun.mpich -n 4 ringmark-all-reduce",
       "ringmark-lab run --hosts 4 --rate 1gbit --host-rate 2=100mbit -- mpirun.mpich -n 4 ringmark-link "
       "--pairs all",
       "ringmark-lab run --hosts 3 --cut 2@3s --timeout 60 -- mpirun.mpich -n 3 ringmark-all-reduce",
       "ringmark-lab run --leaves 4 --spines 2 --hosts-per-leaf 4 --rails 2 --rate 1gbit --uplink 500mbit --show",
       "ringmark-lab run --leaves 2 --hosts-per-leaf 2 --rate 100mbit --fault leaf1-spine2:rate=10mbit@5s -- "
       "mpirun.mpich -n 4 ringmark-link --pairs all"});
  run_.surplus("the command goes after \"--\"");
}

void RunFlags::declare_fabric() {
  run_.group("Fabric");
  run_.number("--leaves", fabric_.leaves, 1, most_leaves, "number of leaf switches, instead of a single switch");
  run_.number("--spines", fabric_.spines, 1, most_spines, "number of spines; every leaf has a link to each")
      .default_is(default_spines);
  run_.number("--hosts-per-leaf", fabric_.hosts_per_leaf, 1, most_hosts, "number of hosts per leaf");
  run_.number("--rails", fabric_.rails, 1, most_rails, "number of NICs per host: e0, e1, …").default_is(1);
  run_.word("--uplink", "RATE", "", read_with(parse_rate, allowed_rates, fabric_.uplink),
            "rate of every link between a leaf and a spine; by default --rate");
  run_.file("--fabric", fabric_path_,
            "YAML file with leaves, spines, hosts_per_leaf, rails, rate, uplink, burst, links (a map from a link's "
            "name to its "
            "rate) and faults (a list of values as for --fault); flags override it");
  run_.toggle("--show", shows_, "draw the network without running anything");
  run_.file("--svg", svg_path_, "with --show: write the drawing to this file");
}

void RunFlags::take_fabric_file() {
  auto [file, problems] = read_fabric(fabric_path_);
  for (auto& problem : problems) program_.add_problem(std::move(problem));
  if (!options_.burst_bytes) options_.burst_bytes = file.burst_bytes;
  if (!run_.is_given("--rate") && file.rate) options_.rate = *file.rate;
  options_.faults.insert(options_.faults.end(), file.faults.begin(), file.faults.end());
  const auto take = [](auto& to, const auto& from) {
    if (!to) to = from;
  };
  take(fabric_.leaves, file.leaves);
  take(fabric_.spines, file.spines);
  take(fabric_.hosts_per_leaf, file.hosts_per_leaf);
  take(fabric_.rails, file.rails);
  take(fabric_.uplink, file.uplink);
  fabric_.links = std::move(file.links);
}

void RunFlags::settle_fabric() {
  if (!fabric_.leaves || !fabric_.hosts_per_leaf) {
    if (program_.problems().empty())
      program_.add_problem({.text = "a fabric needs --leaves and --hosts-per-leaf", .remedy = "give both"});
    return;
  }
  const FabricShape shape{*fabric_.leaves,           fabric_.spines.value_or(default_spines), *fabric_.hosts_per_leaf,
                          fabric_.rails.value_or(1), fabric_.uplink.value_or(options_.rate),  fabric_.links};
  options_.fabric = shape;
  if (shape.hosts() > most_hosts) {
    program_.add_problem({.flag = "--hosts-per-leaf",
                          .value = std::to_string(shape.hosts_per_leaf),
                          .text = fmt::format("{} leaves have {} hosts in total", shape.leaves, shape.hosts()),
                          .remedy = fmt::format("a lab has at most {}", most_hosts)});
    return;
  }
  host_count_ = shape.hosts();
}

void RunFlags::settle_hosts() {
  const bool has_fabric = !fabric_path_.empty() || fabric_.is_any();
  if (host_count_ && has_fabric)
    run_.problem("--hosts", "a fabric has --leaves times --hosts-per-leaf hosts",
                 "leave out --hosts or the fabric's flags");
  if (!host_count_ && !has_fabric && program_.problems().empty())
    program_.add_problem(
        {.flag = "--hosts", .text = "is missing", .remedy = "give --hosts, or --leaves and --hosts-per-leaf"});
  if (has_fabric) settle_fabric();
  options_.hosts = host_count_.value_or(0);
}

void RunFlags::check_names() const {
  const auto network = plan_network(options_);
  for (const auto& [name, rate] : fabric_.links) {
    const auto found = find_links(network, name);
    if (found.size() != 1 || network.links[found.front()].name != name)
      program_.add_problem({"links", name, "is not a link; the links are " + link_names(network)});
  }
  for (const auto& fault : options_.faults) {
    if (find_links(network, fault.part).empty())
      program_.add_problem(
          {"--fault", fault.part, fmt::format("is not a link, host or switch; the links are {}", link_names(network))});
  }
}

void RunFlags::check() {
  if (!svg_path_.empty() && !shows_) run_.problem("--svg", "only goes with --show", "add --show");
  const auto before = program_.problems().size();
  if (!fabric_path_.empty()) take_fabric_file();
  if (program_.problems().size() == before) settle_hosts();
  if (options_.hosts > 0) hosts_.check(options_.hosts);
  if (program_.problems().empty()) check_names();
}

std::optional<ShowNetwork> RunFlags::drawing() const {
  if (!shows_) return std::nullopt;
  return ShowNetwork{options_, svg_path_};
}

Network plan_network(const LabOptions& options) {
  auto network = options.fabric ? plan_fabric(*options.fabric, options.rate, options.host_rates)
                                : plan_switch(options.hosts, options.rate, options.host_rates);
  network.burst_bytes = options.burst_bytes.value_or(0);
  return network;
}

}  // namespace ringmark::lab
