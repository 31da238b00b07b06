"""Holds `weir simulate` to what the project promises on the recorded fortnights.

usage: must_show.py WEIR NAME

NAME is a key of PROMISES. The simulation runs once with --json; every promise
that is not kept is printed with what came out instead.
"""
import json
import statistics
import subprocess
import sys


def weir(result):
    return next(policy for policy in result["policies"] if policy["name"] == "weir")


def useful_of_rotations(result):
    return statistics.median(result["rotations"]["useful"])


def over(value, path):
    """The number at a path such as "wait_s.by_size.8"; a by_size entry is a mean or holds one."""
    for key in path.split("."):
        value = value[key]
    return value["mean"] if isinstance(value, dict) else value


def at_least(path, bound, of=weir):
    return (f"{path} >= {bound}", lambda result: over(of(result), path), lambda value: value >= bound)


def at_most(path, bound, of=weir):
    return (f"{path} <= {bound}", lambda result: over(of(result), path), lambda value: value <= bound)


def median_useful(bound):
    return (f"median useful of the rotations >= {bound}", useful_of_rotations, lambda value: value >= bound)


def all_at_boundary():
    return ("every preemption at a boundary", lambda result: weir(result)["preemption"]["at_boundary"], lambda share: share == 1)


# name -> (arguments, promises)
PROMISES = {
    "r64_b": (
        ["--scenario", "r64-b"],
        [
            at_least("useful", 0.710),
            at_most("wait_s.mean", 5000),
            at_most("wait_s.p95", 24000),
            at_most("queueing_s.mean", 8500),
            at_most("wait_s.by_size.8", 10000),
            at_least("preemption.success_300s", 0.96),
            all_at_boundary(),
            at_most("preemption.lost_steps", 0),
            at_most("unmet_inference_share", 0.0001),
            at_least("deadlines_met_share", 0.91),
            at_most("worse_off_share.all", 0.02),
            at_most("worse_off_share.over8h", 0.12),
            at_most("lost_share.all", 0.008),
            at_most("lost_share.inference", 0.001),
        ],
    ),
    "r64_b_rotations": (["--scenario", "r64-b", "--policy", "weir", "--rotations"], [median_useful(0.745)]),
    "r64_b_saturated": (["--scenario", "r64-b", "--policy", "weir", "--saturated"], [at_least("useful", 0.84)]),
    "r64_b_on_demand": (["--scenario", "r64-b", "--policy", "weir", "--on-demand"], [at_least("preemption.success_120s", 1)]),
    "r64_a": (
        ["--scenario", "r64-a"],
        [
            at_least("useful", 0.503),
            at_most("wait_s.mean", 4000),
            at_most("wait_s.p95", 17000),
            at_least("deadlines_met_share", 0.91),
            at_most("worse_off_share.all", 0.03),
        ],
    ),
    "r64_a_rotations": (["--scenario", "r64-a", "--policy", "weir", "--rotations"], [median_useful(0.511)]),
    "rfull_b": (["--scenario", "rfull-b", "--policy", "weir"], [at_least("useful", 0.693)]),
}


def main(program, name):
    arguments, promises = PROMISES[name]
    done = subprocess.run([program, "simulate", *arguments, "--json"], stdout=subprocess.PIPE, check=True)
    result = json.loads(done.stdout)
    broken = 0
    for text, value_of, kept in promises:
        value = value_of(result)
        holds = value is not None and kept(value)
        print(f"{'kept' if holds else 'BROKEN'}: {text}: {value}")
        broken += not holds
    print(f"{len(promises) - broken} passed, {broken} failed")
    return 1 if broken else 0


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
