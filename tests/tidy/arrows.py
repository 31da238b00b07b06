"""Arrows between the rooms: the folders of src/ and bench/.

ARCHITECTURE.md draws the house: a line per folder that ends in `uses ...`. That
list, the weir_room() calls of CMakeLists.txt and the #include lines have to
agree: CMake links what the drawing says, an include follows an arrow or a chain
of arrows, and nothing includes a library that its folder is not linked with.
"""
import re
import sys

import house

DRAWN = re.compile(r"^  (?P<name>[a-z]+)/\s.*?\buses (?P<uses>[a-z, ]+)$", re.M)
ROOM = re.compile(r"^\s*weir_(?P<kind>room|program)\((?P<call>[^)]*)\)", re.M)
OWN_INCLUDE = re.compile(r'^\s*#\s*include\s*"(?P<path>[^"]+)"', re.M)
ANY_INCLUDE = re.compile(r"^\s*#\s*include\s*<(?P<path>[^>]+)>", re.M)

# Library -> how its headers are named in an include. Tests may use the test libraries.
LIBRARIES = {
    "yaml-cpp": "yaml-cpp/",
    "fmt::fmt": "fmt/",
    "nlohmann_json::nlohmann_json": "nlohmann/",
    "CLI11::CLI11": "CLI/",
    "ZLIB::ZLIB": "zlib.h",
}
ROOTS = ("src", "bench")
TEST_HEADERS = ("gtest/", "gmock/", "rapidcheck")


def drawn_arrows(architecture):
    """folder -> set of folders it uses, from the drawing. `nothing` is no folder."""
    return {m["name"]: set(re.split(r"[,\s]+", m["uses"].strip())) - {"nothing", ""} for m in DRAWN.finditer(architecture)}


def linked_arrows(cmake):
    """folder -> (folders, libraries) it links, from CMakeLists.txt."""
    linked = {}
    for match in ROOM.finditer(cmake):
        words = match["call"].split()
        lists = {"USES": [], "WITH": [], "FOLDER": [], "ROOT": []}
        current = None
        for word in words[1:]:
            if word in lists:
                current = word
            elif current:
                lists[current].append(word)
        folder = lists["FOLDER"][0] if lists["FOLDER"] else words[0]
        linked[folder] = (set(lists["USES"]), set(lists["WITH"]))
    return linked


def reach(arrows, folder):
    """Folders that can be had from `folder` along the arrows, itself included."""
    seen, todo = set(), [folder]
    while todo:
        name = todo.pop()
        if name not in seen:
            seen.add(name)
            todo += arrows.get(name, ())
    return seen


def drawing_problems(drawn, linked, folders):
    problems = []
    for name in sorted(set(drawn) | set(linked) | folders):
        if name not in folders:
            problems.append(f"{name}: drawn or linked, but there is no folder of that name")
        elif name not in drawn:
            problems.append(f"{name}: a folder that ARCHITECTURE.md does not draw")
        elif name not in linked:
            problems.append(f"{name}: a folder that CMakeLists.txt does not build")
        elif drawn[name] != linked[name][0]:
            problems.append(f"{name}: ARCHITECTURE.md says it uses {sorted(drawn[name])}, CMake links {sorted(linked[name][0])}")
        if name in reach(drawn, name) and any(name in reach(drawn, used) for used in drawn.get(name, ())):
            problems.append(f"{name}: its arrows lead back to itself")
    return problems


def include_problems(where, folder, text, drawn, libraries, is_test):
    """Problems of one file of src/`folder`."""
    problems = []
    line_of = lambda match: text.count("\n", 0, match.start("path")) + 1
    for match in OWN_INCLUDE.finditer(text):
        target = match["path"].split("/")[0]
        if "/" not in match["path"]:
            problems.append(f'{where}:{line_of(match)}: "{match["path"]}": an include names its folder')
        elif target not in reach(drawn, folder):
            problems.append(f"{where}:{line_of(match)}: no arrow leads from {folder} to {target}")
    for match in ANY_INCLUDE.finditer(text):
        path = match["path"]
        known = [library for library, prefix in LIBRARIES.items() if path.startswith(prefix)]
        if any(library not in libraries for library in known):
            problems.append(f"{where}:{line_of(match)}: {folder} is not linked with {known[0]}")
        elif not known and ("/" in path or path.endswith(".h")) and not is_test and not path.startswith(("sys/", "ext/pb_ds/")):
            if not path.startswith(TEST_HEADERS) and path not in ("unistd.h", "fcntl.h", "signal.h"):
                problems.append(f"{where}:{line_of(match)}: <{path}> is no library this project knows")
        if path.startswith(TEST_HEADERS) and not is_test:
            problems.append(f"{where}:{line_of(match)}: a test library outside a test")
    return problems


def check(root):
    drawn = drawn_arrows((root / "ARCHITECTURE.md").read_text())
    linked = linked_arrows((root / "CMakeLists.txt").read_text())
    folders = {
        p.name for base in ROOTS for p in (root / base).iterdir() if p.is_dir() and house.sources(root, (f"{base}/{p.name}",))
    }
    problems = drawing_problems(drawn, linked, folders)
    for path in (p for base in ROOTS for p in house.sources(root, (base,))):
        folder = path.relative_to(root).parts[1]
        if folder not in folders:
            continue  # a program beside the rooms
        libraries = linked.get(folder, (set(), set()))[1]
        problems += include_problems(
            house.place(root, path), folder, path.read_text(), drawn, libraries, path.name.endswith("_test.cc")
        )
    return problems


if __name__ == "__main__":
    sys.exit(house.finish(check(house.root_argument())))
