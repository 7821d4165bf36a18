#include "lab/vm_flags.hpp"

#include <algorithm>
#include <filesystem>

#include "lab/duration.hpp"

namespace ringmark::lab {

VmFlags::VmFlags(Flags& program)
    : vm_(program.subcommand(
          "vm",
          "boot a virtual machine whose hosts have Soft-RoCE devices (rxe0, …), run a command in it, "
          "shut it down")),
      hosts_(vm_) {
  auto& options = options_;
  vm_.number("--hosts", options.hosts, 1, most_vm_hosts,
             fmt::format("number of hosts with an RDMA device each, 1 to {}", most_vm_hosts));
  vm_.number("--spines", options.spines, 1, most_vm_spines,
             "use two leaves with half of the hosts each, and this many paths between them, instead of a single "
             "switch: a hash "
             "of addresses and UDP ports chooses one per queue pair")
      .default_is(0);
  vm_.group("Links");
  vm_.word("--rate", "RATE", to_string(options.rate), read_with(parse_rate, allowed_rates, options.rate),
           "rate of every link, such as 40mbit; 0: unshaped");
  vm_.word("--uplink", "RATE", to_string(options.uplink), read_with(parse_rate, allowed_rates, options.uplink),
           "with --spines: rate of every link between a leaf and a spine; by default --rate");
  vm_.word("--delay", "TIME", fmt::format("{}ms", options.delay.count()),
           read_with(parse_duration, allowed_durations, options.delay),
           "one-way delay of each host's link, such as 5ms");
  vm_.percent("--loss", options.loss_percent, 0, 50, "share of packets that each host's link loses");
  hosts_.declare_cuts([&options](int host, auto after) { options.cuts.push_back({host, after}); });
  vm_.group("Command");
  vm_.seconds("--timeout", options.timeout, shortest_timeout_s, longest_timeout_s,
              "end the command after this time, with exit status 124");
  vm_.repeatable(
      "--share", "FOLDER",
      [&options](const std::string& folder) {
        if (!std::filesystem::is_directory(folder)) return "give an existing folder";
        options.shares.push_back(std::filesystem::canonical(folder).string());
        return "";
      },
      "a folder that the command may write to; /tmp is lost with the virtual machine, and all other folders are "
      "this machine's, read-only");
  vm_.toggle("--check", options.only_check, "only check the requirements: exit status 0 if all are met, else 4");
  vm_.examples({"ringmark-lab vm --check",
                "ringmark-lab vm --hosts 4 -- ringmark-all-reduce --ranks 4 --transport verbs -e 64K --max-time 1",
                "ringmark-lab vm --delay 5ms --loss 0.1 --share results -- sh -c 'ringmark-link --ranks 2 --csv "
                "results/links.csv'"});
  vm_.surplus("the command goes after \"--\"");
}

void VmFlags::check() {
  const bool has_spines = vm_.is_given("--spines");
  if (vm_.is_given("--uplink") && !has_spines)
    vm_.problem("--uplink", "a single switch has no uplinks", "give --spines");
  if (has_spines && !vm_.is_given("--uplink")) options_.uplink = options_.rate;
  if (has_spines && options_.hosts < 2)
    vm_.problem("--spines", "each of two leaves needs a host", "give --hosts 2 or more");
  const auto is_about_hosts = [](const Problem& problem) { return problem.flag == "--hosts"; };
  // Without a number of hosts, host numbers cannot be checked.
  if (std::none_of(vm_.problems().begin(), vm_.problems().end(), is_about_hosts)) hosts_.check(options_.hosts);
}

}  // namespace ringmark::lab
