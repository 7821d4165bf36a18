#!/usr/bin/env python3
"""Packs recorded steps of ranks with roles into megatron_steps.json or torchtitan_steps.json, for the tests.

    python3 pack_role_steps.py megatron-lm|torchtitan RECORDING... steps.json

A RECORDING is a list of {name, framework, version, world, settings, groups, ranks} in a .json.xz, or the file of one
setting, {setting, ranks}, as the recorder leaves it: what the framework's own code issued in one optimizer step on
processors (gloo, or PyTorch's fake group for many ranks), per rank and in program order, under PyTorch 2.15.0.
megatron_steps.json.xz has 186 settings of Megatron-LM 0.19.2, without those of context parallelism, whose exchange of
keys and values was not recorded. torchtitan_steps.json.xz has settings of torchtitan 0.3.0. Left out as well: calls of
one rank alone, waits, and Megatron's logging between steps. A call is [op, elements, type, group or peer, launch]; the
elements of an all_to_all in unequal parts, which depend on routing, are null.
"""
import json
import lzma
import sys

framework, *sources, target = sys.argv[1:]


def steps_in(path):
    if path.endswith(".xz"):
        for step in json.load(lzma.open(path, "rt")):
            if step["framework"] == framework:
                yield step
        return
    step = json.load(open(path))
    settings = dict(step["setting"])
    yield {"name": settings.pop("name"), "world": settings.pop("world"), "settings": settings, "ranks": step["ranks"]}


def packed_call(call, members):
    is_unequal = call["op"] == "all_to_all" and ("in" in call or "out" in call)
    elements = None if is_unequal else call["n"]
    where = call["peer"] if call["op"] in ("send", "recv") else members
    return [call["op"], elements, call["dtype"].removeprefix("torch."), where, call.get("batch")]


def packed_ranks(step):
    is_left_out = (lambda call: call.get("phase") == "after") if framework == "megatron-lm" else (lambda call: False)
    ranks = {}
    for rank, calls in step["ranks"].items():
        ranks[rank] = packed = []
        for call in calls if isinstance(calls, list) else calls["calls"]:
            if call["op"] in ("mark", "wait") or is_left_out(call):
                continue
            members = call["group"] if isinstance(call["group"], list) else step["groups"][call["group"]]["ranks"]
            if len(members) > 1:
                packed.append(packed_call(call, members))
    return ranks


def megatron_words(args):
    words = []
    for name, value in args.items():
        if value is True:
            words.append(name)
        elif value is not False:
            words.append(f"{name} {' '.join(map(str, value)) if isinstance(value, list) else value}")
    return "\n".join(words)


packed = []
for source in sources:
    for step in steps_in(source):
        settings = step["settings"]
        if framework == "megatron-lm" and settings["parallel"].get("cp", 1) > 1:
            continue
        args = megatron_words(settings["args"]) if framework == "megatron-lm" else json.dumps(settings)
        packed.append({"name": step["name"], "world": step["world"], "args": args, "ranks": packed_ranks(step)})
json.dump(packed, open(target, "w"), separators=(",", ":"))
