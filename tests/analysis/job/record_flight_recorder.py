#!/usr/bin/env python3
"""Records dumps of PyTorch's Flight Recorder from jobs over gloo with a fault, on one machine without a GPU.

  record_flight_recorder.py dumps           # writes the fixtures below FOLDER, one job each
  record_flight_recorder.py --trials BIN    # runs 20 jobs; BIN/ringmark-analyze job must name the rank of each

Needs torch; recorded with torch 2.15.0. Ranks do steps of collectives on all ranks and on groups of neighbours. In the
last step, one rank dies, sleeps, calls another collective, or enters its group's collective alone.
"""
import argparse
import json
import os
import pathlib
import signal
import subprocess
import sys
import tempfile
import threading
import time

STEPS = 3
HANG_S = 3
# fault, rank at fault, ranks, ranks of a group (0: no groups), whether the fault is in the group's collective
FIXTURES = {
    "healthy": ("none", 0, 4, 2, False),
    "killed": ("killed", 3, 4, 0, False),
    "late": ("late", 2, 4, 2, False),
    "other_collective": ("other", 1, 4, 2, False),
    "other_group": ("other_group", 2, 4, 2, False),
}
TRIALS = [
    ("killed", 0, 3, 0, False), ("killed", 2, 4, 0, False), ("killed", 1, 4, 2, False), ("killed", 3, 6, 3, True),
    ("killed", 5, 6, 2, False),
    ("late", 0, 4, 0, False), ("late", 1, 3, 0, False), ("late", 3, 4, 2, False), ("late", 2, 4, 2, True),
    ("late", 4, 6, 3, True), ("late", 5, 6, 2, False),
    ("other", 0, 4, 0, False), ("other", 2, 3, 0, False), ("other", 3, 4, 2, False), ("other", 4, 6, 3, True),
    ("other", 1, 4, 2, True),
    ("other_group", 0, 4, 2, False), ("other_group", 3, 4, 2, False), ("other_group", 4, 6, 3, False),
    ("other_group", 1, 6, 2, False),
]


def run_rank(job, rank, folder):
    """One rank: steps, then the fault; a dump after a while, whatever the main thread waits for."""
    import datetime
    import torch
    import torch.distributed as dist
    from torch._C._distributed_c10d import _dump_fr_trace, _dump_fr_trace_json

    fault, faulty, ranks, group_ranks, is_in_group = job
    once = threading.Lock()

    def dump():
        with once:
            (folder / f"nccl_trace_rank_{rank}").write_bytes(_dump_fr_trace(True, False, False))
            text = _dump_fr_trace_json(True, False)
            text = text if isinstance(text, str) else text.decode()
            (folder / f"nccl_trace_rank_{rank}.json").write_text(json.dumps(json.loads(text), indent=1) + "\n")
            os._exit(0)

    dist.init_process_group("gloo", init_method=f"file://{folder}/store", rank=rank, world_size=ranks,
                            timeout=datetime.timedelta(seconds=60))
    group = None
    for first in range(0, ranks, group_ranks or ranks):
        if group_ranks:
            made = dist.new_group(list(range(first, first + group_ranks)))
            group = made if first <= rank < first + group_ranks else group
    tensor = torch.ones(1000)

    def in_group():
        if group is not None:
            dist.all_reduce(tensor, group=group)

    try:
        for _ in range(STEPS):
            in_group()
            dist.all_reduce(tensor)
            dist.all_gather_into_tensor(torch.ones(1000 * ranks), tensor)
        threading.Thread(target=lambda: (time.sleep(HANG_S), dump()), daemon=True).start()
        if not is_in_group:
            in_group()
        if rank == faulty:
            if fault == "killed":
                os.kill(os.getpid(), signal.SIGKILL)
            if fault == "late":
                time.sleep(60)
            if fault == "other":
                root = rank - rank % group_ranks if is_in_group else 0
                dist.broadcast(tensor, root, group=group if is_in_group else None)
            if fault == "other_group":
                in_group()
        if is_in_group:
            in_group()
        dist.all_reduce(tensor)
        dist.barrier()
    except RuntimeError:  # a peer is lost
        time.sleep(1)
    else:
        time.sleep(60 if fault != "none" else 1)
    dump()


def run_job(job, folder):
    folder.mkdir(parents=True, exist_ok=True)
    environment = {**os.environ, "TORCH_FR_BUFFER_SIZE": "100", "OMP_NUM_THREADS": "1"}
    command = [sys.executable, __file__, "--rank-of", json.dumps(job), "--folder", str(folder), "--rank"]
    processes = [subprocess.Popen([*command, str(rank)], env=environment, stderr=subprocess.DEVNULL)
                 for rank in range(job[2])]
    for process in processes:
        process.wait(timeout=120)
    (folder / "store").unlink(missing_ok=True)


def run_trials(bin_folder):
    named = 0
    for job in TRIALS:
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            run_job(job, folder)
            kinds = []
            for form in ("nccl_trace_rank_?", "nccl_trace_rank_*.json"):
                # Gloo's dumps do not contain the number of ranks once there are groups.
                outcome = subprocess.run([bin_folder / "ringmark-analyze", "job", *sorted(folder.glob(form)), "--ranks",
                                          str(job[2]), "--json", folder / "found"], capture_output=True, text=True)
                found = json.loads((folder / "found").read_text())
                is_right = outcome.returncode == 1 and len(found) > 0 and found[0]["ranks"] == [job[1]]
                kinds.append(found[0]["kind"] if is_right else f"WRONG {outcome.stdout}{outcome.stderr}")
            named += all(not kind.startswith("WRONG") for kind in kinds)
            print(job, *kinds, flush=True)
    print(f"the right rank is named in {named} of {len(TRIALS)}")
    return 0 if named == len(TRIALS) else 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("folder", nargs="?", type=pathlib.Path)
    parser.add_argument("--trials", type=pathlib.Path)
    parser.add_argument("--rank-of")
    parser.add_argument("--rank", type=int)
    parser.add_argument("--folder", dest="rank_folder", type=pathlib.Path)
    options = parser.parse_args()
    if options.rank_of:
        return run_rank(json.loads(options.rank_of), options.rank, options.rank_folder)
    if options.trials:
        return run_trials(options.trials)
    for name, job in FIXTURES.items():
        run_job(job, options.folder / name)
        for path in (options.folder / name).glob("*.json"):
            if name != "late":  # one job shows both forms
                path.unlink()
    return 0


if __name__ == "__main__":
    sys.exit(main())
