"""No file over 600 lines, no function over 70: what outgrows that gets a new room, not a longer file."""
import ast
import re
import sys

import house

FILE_LINES_MAX = 600
FUNCTION_LINES_MAX = 70

SCOPE = re.compile(r"^(inline\s+)?namespace\b|^extern\b|\b(class|struct|union|enum)\b(?!.*\))")


def closing(code, opening):
    """Index of the brace that closes the one at `opening`, or the end of the text."""
    depth = 0
    for at in range(opening, len(code)):
        if code[at] == "{":
            depth += 1
        elif code[at] == "}":
            depth -= 1
            if depth == 0:
                return at
    return len(code) - 1


def without_directives(code):
    """Preprocessor lines blanked, with the lines they continue on."""
    return re.sub(r"^[ \t]*#(?:\\\n|[^\n])*", lambda m: house.blank(m.group()), code, flags=re.M)


def is_scope(header):
    """Whether the braces after `header` hold declarations: a namespace or a type."""
    plain = re.sub(r"\btemplate\s*<[^{;]*>|\[\[.*?\]\]|\balignas\s*\([^)]*\)", " ", header, flags=re.S).strip()
    return bool(SCOPE.search(" ".join(plain.split()))) or not plain


def functions(code):
    """(first line, last line, signature) of every function body outside other functions."""
    found = []
    at, start = 0, 0  # `start`: where the present declaration begins
    while at < len(code):
        char = code[at]
        if char in ";}":
            start = at + 1
        elif char == "{":
            header = code[start:at]
            if is_scope(header):
                start = at + 1
            else:
                end = closing(code, at)
                # `: a_{1}, b_{2} {` : the braces of an initialiser belong to the header.
                follows = code[end + 1 :].lstrip()[:1]
                if "(" in header and follows not in (",", "{") or "](" in header:
                    first = start + len(header) - len(header.lstrip())
                    found.append((code.count("\n", 0, first) + 1, code.count("\n", 0, end) + 1, " ".join(header.split())))
                if follows not in (",", "{"):
                    start = end + 1
                at = end
        at += 1
    return found


def cpp_problems(where, text):
    code = without_directives(house.code_only(text))
    return [
        f"{where}:{first}: {last - first + 1} lines, {FUNCTION_LINES_MAX} allowed: {signature[:90]}"
        for first, last, signature in functions(code)
        if last - first + 1 > FUNCTION_LINES_MAX
    ]


def python_problems(where, text):
    return [
        f"{where}:{node.lineno}: {node.end_lineno - node.lineno + 1} lines, {FUNCTION_LINES_MAX} allowed: {node.name}"
        for node in ast.walk(ast.parse(text))
        if isinstance(node, ast.FunctionDef) and node.end_lineno - node.lineno + 1 > FUNCTION_LINES_MAX
    ]


def file_problems(where, text):
    lines = text.count("\n") + (not text.endswith("\n"))
    return [f"{where}: {lines} lines, {FILE_LINES_MAX} allowed"] if lines > FILE_LINES_MAX else []


def check(root):
    problems = file_problems("dev", (root / "dev").read_text())
    for path in house.sources(root, suffixes=(".h", ".cc", ".py")):
        where, text = house.place(root, path), path.read_text()
        problems += file_problems(where, text)
        problems += python_problems(where, text) if path.suffix == ".py" else cpp_problems(where, text)
    return problems


if __name__ == "__main__":
    sys.exit(house.finish(check(house.root_argument())))
