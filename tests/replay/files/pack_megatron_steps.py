#!/usr/bin/env python3
"""Packs recorded Megatron-LM steps into megatron_steps.json, for the tests.

    python3 pack_megatron_steps.py RECORDING.json.xz megatron_steps.json

RECORDING is a list of {name, framework, version, world, settings: {args}, groups, ranks}: what Megatron-LM's own code
issued in one optimizer step on processors (gloo, or PyTorch's fake group for many ranks), per rank and in program order.
megatron_steps.json.xz was packed from 186 settings of Megatron-LM 0.19.2 under PyTorch 2.15.0, without those of context
parallelism, whose exchange of keys and values was not recorded. Left out as well: calls of one rank alone, waits, and
logging between steps. A call is [op, elements, type, group or peer, launch]; the elements of an all_to_all in unequal
parts, which depend on routing, are null.
"""
import json
import lzma
import sys

source, target = sys.argv[1:]
packed = []
for step in json.load(lzma.open(source, "rt")):
    if step["framework"] != "megatron-lm" or step["settings"]["parallel"].get("cp", 1) > 1:
        continue
    groups = [group["ranks"] for group in step["groups"]]
    ranks = {}
    for rank, calls in step["ranks"].items():
        calls = calls if isinstance(calls, list) else calls["calls"]
        ranks[rank] = packed_calls = []
        for call in calls:
            if call["op"] in ("mark", "wait") or call.get("phase") == "after" or len(groups[call["group"]]) < 2:
                continue
            is_unequal = call["op"] == "all_to_all" and ("in" in call or "out" in call)
            elements = None if is_unequal else call["n"]
            where = call["peer"] if call["op"] in ("send", "recv") else groups[call["group"]]
            packed_calls.append([call["op"], elements, call["dtype"].removeprefix("torch."), where, call.get("batch")])
    words = []
    for name, value in step["settings"]["args"].items():
        if value is True:
            words.append(name)
        elif value is not False:
            words.append(f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}")
    packed.append({"name": step["name"], "version": step["version"], "world": step["world"], "args": "\n".join(words),
                   "ranks": ranks})
json.dump(packed, open(target, "w"), separators=(",", ":"))
