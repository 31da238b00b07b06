"""Mistakes that g++ 12 compiles without a word.

A range-for over what a temporary holds, `for (x : *f())` with an optional or a
Result, reads freed memory: without C++23's P2718, which g++ 12 does not have,
only the last value of the range expression lives as long as the loop.
"""
import re
import sys

import house

FOR = re.compile(r"\bfor\s*\(")
CALL_RESULT = re.compile(r"^(\*.*\)|.*\)\.value\(\))$", re.S)


def closing(code, opening):
    """Index of the parenthesis that closes the one at `opening`, or the end of the text."""
    depth = 0
    for at in range(opening, len(code)):
        depth += {"(": 1, ")": -1}.get(code[at], 0)
        if depth == 0:
            return at
    return len(code)


def loop_problems(where, text):
    code = house.code_only(text)
    problems = []
    for match in FOR.finditer(code):
        head = code[match.end() : closing(code, match.end() - 1)]
        parts = re.split(r"(?<!:):(?!:)", head, maxsplit=1)
        if ";" in head or len(parts) != 2:
            continue
        over = " ".join(parts[1].split())
        if CALL_RESULT.match(over):
            problems.append(f"{where}:{code.count(chr(10), 0, match.start()) + 1}: a loop over what a temporary holds: {over}")
    return problems


def check(root):
    problems = []
    for path in house.sources(root):
        problems += loop_problems(house.place(root, path), path.read_text())
    return problems


if __name__ == "__main__":
    sys.exit(house.finish(check(house.root_argument())))
