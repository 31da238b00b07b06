"""Runs the benchmark programs; with --base, two builds of them in turn, and prints the ratios.

One run of the head, one of the base, and again: what disturbs the machine for
a while disturbs both. Of the rounds the fastest counts, since disturbance only
ever adds time.
"""
import argparse
import json
import pathlib
import subprocess
import sys

ROUNDS = 3
UNIT_NS = {"ns": 1, "us": 1e3, "ms": 1e6, "s": 1e9}


def programs(folder):
    return {p.name: p for p in sorted(pathlib.Path(folder).glob("*_bench"))}


def time_of(row):
    return row["real_time" if "/manual_time" in row["name"] else "cpu_time"]


def measure(program, bench_filter):
    """name of the benchmark -> its time in ns, of one run of the program.

    Where a benchmark takes the time itself (of its steps alone, say) that counts, else the CPU time.
    """
    done = subprocess.run(
        [str(program), f"--benchmark_filter={bench_filter}", "--benchmark_format=json"], stdout=subprocess.PIPE, check=True
    )
    rows = json.loads(done.stdout or "{}").get("benchmarks", [])
    for row in rows:
        if row.get("error_occurred"):
            raise SystemExit(f"{program}: {row['name']}: {row.get('error_message')}")
    singles = [row for row in rows if row.get("run_type") != "aggregate"]
    return {row["name"]: time_of(row) * UNIT_NS[row["time_unit"]] for row in singles}


def keep_fastest(best, measured):
    for name, ns in measured.items():
        best[name] = min(ns, best.get(name, ns))


def compare(head, base, bench_filter):
    """(name, base ns or None, head ns or None) of every benchmark."""
    best_head, best_base = {}, {}
    for turn in range(ROUNDS):
        print(f"round {turn + 1} of {ROUNDS}", file=sys.stderr)
        for name in sorted(set(head) | set(base)):
            if name in head:
                keep_fastest(best_head, measure(head[name], bench_filter))
            if name in base:
                keep_fastest(best_base, measure(base[name], bench_filter))
    return [(name, best_base.get(name), best_head.get(name)) for name in sorted(set(best_head) | set(best_base))]


def readable(ns):
    if ns is None:
        return "-"
    for unit, size in (("s", 1e9), ("ms", 1e6), ("us", 1e3)):
        if ns >= size:
            return f"{ns / size:.2f} {unit}"
    return f"{ns:.0f} ns"


def print_ratios(rows):
    width = max((len(row[0]) for row in rows), default=10)
    print(f"{'benchmark':{width}}  {'base':>10}  {'head':>10}  head/base")
    for name, base_ns, head_ns in rows:
        ratio = f"{head_ns / base_ns:9.3f}" if base_ns and head_ns else f"{'-':>9}"
        print(f"{name:{width}}  {readable(base_ns):>10}  {readable(head_ns):>10}  {ratio}")


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("--head", required=True, help="folder of the built benchmarks")
    parser.add_argument("--base", help="the same of the build to compare with")
    parser.add_argument("--filter", default=".", help="regular expression over benchmark names")
    options = parser.parse_args()
    head = programs(options.head)
    if not head:
        sys.exit(f"no benchmark in {options.head}")
    if options.base:
        print_ratios(compare(head, programs(options.base), options.filter))
        return
    for program in head.values():
        subprocess.run([str(program), f"--benchmark_filter={options.filter}"], check=True)


if __name__ == "__main__":
    main()
