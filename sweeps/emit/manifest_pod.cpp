#include "sweeps/emit/manifest_pod.hpp"

#include <fmt/format.h>

namespace ringmark::sweep {
namespace {

void write_variable(ManifestYaml& out, const std::string& name, const std::string& value) {
  out.open();
  out.pair("name", name);
  out.quoted("value", value);
  out.close();
}

void write_spread(ManifestYaml& out, const PodFacts& facts) {
  out.open_list("topologySpreadConstraints");
  out.open();
  out.pair("maxSkew", 1);
  out.pair("topologyKey", "kubernetes.io/hostname");
  out.pair("whenUnsatisfiable", "ScheduleAnyway");
  out.open("labelSelector");
  out.flow("matchLabels", {{facts.label, facts.name}});
  out.close();
  out.close();
  out.close_list();
}

void write_devices(ManifestYaml& out, const PodFacts& facts) {
  if (facts.gpus == 0) {
    out.choice(fmt::format(
        "resources: {{limits: {{nvidia.com/gpu: {}, rdma/hca: 1}}}}     # as your device plug-ins name them",
        facts.ranks));
    return;
  }
  out.open("resources");
  out.open("limits");
  out.choice("rdma/hca: 1     # as your device plug-in names it");
  out.pair("nvidia.com/gpu", facts.gpus);
  out.close();
  out.close();
}

void write_volumes(ManifestYaml& out, const PodFacts& facts) {
  out.open_list("volumes");
  const auto volume = [&](const char* name, const char* kind, const char* inner, const std::string& value) {
    out.open();
    out.pair("name", name);
    out.flow(kind, {{inner, value}});
    out.close();
  };
  volume("sweep", "configMap", "name", facts.name);
  volume("results", "persistentVolumeClaim", "claimName", facts.claim);
  volume("shm", "emptyDir", "medium", "Memory");
  out.close_list();
}

}  // namespace

void write_pod(ManifestYaml& out, const PodFacts& facts, bool is_measuring,
               const std::optional<std::chrono::seconds>& time_limit, const std::function<void()>& container) {
  out.pair("restartPolicy", "Never");
  if (time_limit) out.pair("activeDeadlineSeconds", time_limit->count());
  out.pair("terminationGracePeriodSeconds", facts.time_to_stop.count());
  if (is_measuring) {
    out.choice("hostNetwork: true                      # the hosts' own interfaces, as RDMA often needs");
    out.choice("dnsPolicy: ClusterFirstWithHostNet     # with hostNetwork");
    out.choice("nodeSelector: {node.kubernetes.io/instance-type: NAME}");
    write_spread(out, facts);
  }
  out.open_list("containers");
  out.open();
  out.pair("name", "ringmark");
  out.pair("image", facts.image);
  container();
  if (is_measuring) {
    out.choice("securityContext: {capabilities: {add: [IPC_LOCK]}}     # RDMA registers memory");
    write_devices(out, facts);
  }
  out.open_list("volumeMounts");
  out.entry({{"name", "sweep"}, {"mountPath", sweep_folder}});
  out.entry({{"name", "results"}, {"mountPath", facts.volume_path}});
  out.entry({{"name", "shm"}, {"mountPath", "/dev/shm"}});
  out.close_list();
  out.close();
  out.close_list();
  write_volumes(out, facts);
}

void write_meeting(ManifestYaml& out, int nodes, const std::string& first_pod) {
  constexpr auto port = "29500";
  out.open_list("env");
  write_variable(out, "WORLD_SIZE", std::to_string(nodes));
  out.open();
  out.pair("name", "RANK");
  out.open("valueFrom");
  out.flow("fieldRef", {{"fieldPath", "metadata.annotations['batch.kubernetes.io/job-completion-index']"}});
  out.close();
  out.close();
  write_variable(out, "MASTER_ADDR", first_pod);
  write_variable(out, "MASTER_PORT", port);
  out.open();
  out.pair("name", "RINGMARK_TOKEN");
  out.open("valueFrom");
  out.open("secretKeyRef");
  out.pair("name", "ringmark");
  out.pair("key", "token");
  out.pair("optional", false);
  out.close();
  out.close();
  out.close();
  out.close_list();
}

}  // namespace ringmark::sweep
