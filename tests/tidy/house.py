"""What the tidy checks share: which files there are, and C++ without its comments."""
import pathlib
import re
import sys

SOURCE_FOLDERS = ("src", "tests", "bench")
CPP_SUFFIXES = (".h", ".cc")


def sources(root, folders=SOURCE_FOLDERS, suffixes=CPP_SUFFIXES):
    """Files below the named folders, in order, as paths."""
    found = []
    for folder in folders:
        found += [p for p in pathlib.Path(root, folder).rglob("*") if p.is_file() and p.suffix in suffixes]
    return sorted(found)


def place(root, path, line=None):
    """src/base/ids.h:12, as editors and people read it."""
    name = str(pathlib.Path(path).relative_to(root))
    return name if line is None else f"{name}:{line}"


# In this order: a quote inside a comment is no string, a slash inside a string no comment.
TOKEN = re.compile(
    r"""(?P<comment>//[^\n]*|/\*.*?\*/)
      |(?P<raw>R"(?P<mark>[^()\\\s]{0,16})\(.*?\)(?P=mark)")
      |(?P<text>"(?:\\.|[^"\\\n])*")
      |(?P<letter>(?<![0-9A-Fa-f])'(?:\\.[^'\n]*|[^'\\\n])')""",
    re.S | re.X,
)


def blank(text):
    """The same text with everything but line ends replaced by spaces."""
    return re.sub(r"[^\n]", " ", text)


def code_only(text):
    """C++ with comments and the inside of literals blanked; every line keeps its number."""

    def replace(match):
        if match.group("comment"):
            return blank(match.group())
        return match.group()[0] + blank(match.group()[1:-1]) + match.group()[-1]

    return TOKEN.sub(replace, text)


def comments_of(text):
    """(line, comment without its slashes) for every // comment."""
    found = []
    for match in TOKEN.finditer(text):
        comment = match.group("comment")
        if comment and comment.startswith("//"):
            found.append((text.count("\n", 0, match.start()) + 1, comment.lstrip("/").rstrip()))
    return found


def finish(problems):
    """Prints the problems; the exit status of a check."""
    for problem in problems:
        print(problem)
    return 1 if problems else 0


def root_argument():
    return pathlib.Path(sys.argv[1]).resolve()
