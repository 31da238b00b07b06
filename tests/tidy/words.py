"""Words that must not occur in the engine, nor in what it is built on.

The engine is pure: no clock, file, thread, log, random number or floating
point, no exception, and no order that depends on a hash. base/ and model/ are
compiled into it, so the same holds there, but for the one place of base/ that
ends the process when an invariant of our own code is broken.
"""
import re
import sys

import house

BANNED = [
    (r"\b(float|double)\b", "floating point"),
    (r"\b\d+\.\d*(e[+-]?\d+)?f?\b|\b\d+e[+-]?\d+\b", "a floating-point number"),
    (r"\bstd::(chrono|this_thread)\b|\b(clock|time|gettimeofday|clock_gettime)\s*\(\s*(NULL|nullptr|&|0|CLOCK)", "a clock"),
    (r"#\s*include\s*<(chrono|ctime|time\.h|sys/time\.h)>", "a clock"),
    (r"#\s*include\s*<(random)>|\b(rand|srand|random)\s*\(\s*\)|\bPrng\b", "random numbers"),
    (r"#\s*include\s*<(iostream|ostream|istream|sstream|fstream|iomanip|syncstream|filesystem)>", "streams or files"),
    (r"\b(printf|fprintf|puts|fputs|fopen|fwrite|getenv)\s*\(", "input or output"),
    (r"#\s*include\s*<(thread|mutex|shared_mutex|condition_variable|future|atomic|semaphore|latch|barrier)>", "threads"),
    (r"\bstd::(thread|jthread|mutex|atomic|async|future|lock_guard|unique_lock)\b|\bthread_local\b", "threads"),
    (r"\bunordered_(multi)?(map|set)\b", "an order that depends on a hash"),
    (r"\b(throw|try|catch)\b", "exceptions"),
    (r"\bstd::hash\b|\breinterpret_cast<\s*(std::)?u?intptr_t", "a value that depends on an address"),
]
PATTERNS = [(re.compile(pattern), what) for pattern, what in BANNED]

# check_failed prints and aborts; Prng is defined in base/ for those who may use it.
EXEMPT = {"src/base/check.cc", "src/base/prng.h"}


def word_problems(where, text):
    problems = []
    code = house.code_only(text)
    for number, line in enumerate(code.splitlines(), 1):
        problems += [f"{where}:{number}: {what}: {line.strip()}" for pattern, what in PATTERNS if pattern.search(line)]
    return problems


def check(root):
    problems = []
    for path in house.sources(root, ("src/engine", "src/base", "src/model")):
        where = house.place(root, path)
        if where not in EXEMPT and not path.name.endswith("_test.cc"):
            problems += word_problems(where, path.read_text())
    return problems


if __name__ == "__main__":
    sys.exit(house.finish(check(house.root_argument())))
