"""What must not be left behind: work marks, commented-out code, empty files, odd names, headers without a contract."""
import re
import sys

import house

# In two halves, so that this file does not hold what it looks for.
MARK = re.compile(r"\b(TO" r"DO|FIX" r"ME|XX" r"X|HA" r"CK)\b")
NAME = re.compile(r"^[a-z][a-z0-9_]*(\.h|\.cc|\.py)$")

# A comment line that is code: it ends as code does and has the shape of a statement.
CODE = re.compile(
    r"""^(?:(?:if|for|while|switch)\s*\(.*\)\s*\{?$
        |return\b[^.]*;$
        |\#\s*(?:include|define|if)\b
        |[\w:<>,&*\s\[\].>()-]+\s[+-]?=\s[^=].*;$
        |[\w:.>-]+\(.*\);$
        |\}\s*(?:else\s*\{)?$)""",
    re.X,
)


def is_code(comment):
    """An example is indented by two spaces or more; code that was switched off is not."""
    return not comment.startswith("  ") and bool(CODE.match(comment.strip()))


def text_problems(where, text):
    problems = [
        f"{where}:{number}: a work mark: {line.strip()}"
        for number, line in enumerate(text.splitlines(), 1)
        if MARK.search(line)
    ]
    if not text.strip():
        problems.append(f"{where}: empty")
    return problems


def cpp_problems(where, text):
    problems = [f"{where}:{line}: commented-out code: {comment}" for line, comment in comments_that_are_code(text)]
    if re.search(r"^\s*#\s*if\s+0\b", text, re.M):
        problems.append(f"{where}: #if 0")
    if where.endswith(".h"):
        if not text.startswith("//"):
            problems.append(f"{where}: a header opens with what the thing is")
        if "#pragma once" not in text:
            problems.append(f"{where}: no #pragma once")
    return problems


def comments_that_are_code(text):
    """Comments at the beginning of a line only: what follows code on its line explains it."""
    lines = text.splitlines()
    return [(number, comment) for number, comment in house.comments_of(text)
            if lines[number - 1].lstrip().startswith("//") and is_code(comment)]


def check(root):
    problems = []
    for path in house.sources(root, suffixes=(".h", ".cc", ".py")):
        where, text = house.place(root, path), path.read_text()
        if not NAME.match(path.name):
            problems.append(f"{where}: file names are snake_case with .h, .cc or .py")
        problems += text_problems(where, text)
        if path.suffix != ".py":
            problems += cpp_problems(where, text)
    for path in sorted((root / "src").rglob("*")):
        if path.is_file() and path.suffix not in (".h", ".cc") and path.name != ".clang-format":
            problems.append(f"{house.place(root, path)}: src/ holds .h and .cc files")
    problems += text_problems("dev", (root / "dev").read_text())
    return problems


if __name__ == "__main__":
    sys.exit(house.finish(check(house.root_argument())))
