"""Counts the test cases in ctest's JUnit file; the last line is "N passed, M failed".

One entry of ctest may hold many cases (a GoogleTest program, a set of
scenarios). They are counted from the summary that the program printed itself;
an entry that prints none is one case. An entry that ctest calls failed counts
at least one failure, whatever its output says.
"""
import re
import sys
import xml.etree.ElementTree as ElementTree

# Summary line of each kind of test program -> (passed, failed), as text or None.
GTEST_PASSED = re.compile(r"^\[  PASSED  \] (\d+) tests?\.", re.M)
GTEST_FAILED = re.compile(r"^\[  FAILED  \] (\d+) tests?, listed below", re.M)
SCENARIOS = re.compile(r"^(\d+) passed, (\d+) failed(?:, (\d+) skipped)?", re.M)
UNITTEST = re.compile(r"^Ran (\d+) tests? in", re.M)
UNITTEST_FAILED = re.compile(r"^FAILED \((?:failures=(\d+))?(?:, )?(?:errors=(\d+))?", re.M)


def number(match, group=1):
    return int(match.group(group) or 0) if match else 0


def cases_in(output):
    """(passed, failed, skipped) as printed by the program, or None when it prints no summary."""
    if GTEST_PASSED.search(output) or GTEST_FAILED.search(output):
        return number(GTEST_PASSED.search(output)), number(GTEST_FAILED.search(output)), 0
    summaries = SCENARIOS.findall(output)
    if summaries:
        return tuple(sum(int(line[i] or 0) for line in summaries) for i in range(3))
    ran = UNITTEST.search(output)
    if ran:
        bad = UNITTEST_FAILED.search(output)
        failed = number(bad) + number(bad, 2)
        return int(ran.group(1)) - failed, failed, 0
    return None


def tally(entry):
    """(passed, failed, skipped) of one ctest entry."""
    failed_entry = entry.get("status") != "run"
    output = entry.findtext("system-out") or ""
    counted = cases_in(output)
    if counted is None:
        counted = (0, 1, 0) if failed_entry else (1, 0, 0)
    passed, failed, skipped = counted
    if failed_entry:
        failed = max(failed, 1)
    return passed, failed, skipped


def main(path):
    try:
        entries = ElementTree.parse(path).getroot().findall("testcase")
    except (OSError, ElementTree.ParseError) as error:
        print(f"no test results: {error}")
        print("0 passed, 1 failed")
        return 1
    total = [0, 0, 0]
    for entry in entries:
        counted = tally(entry)
        total = [a + b for a, b in zip(total, counted)]
        if counted[1] > 0:
            print(f"failed: {entry.get('name')} ({counted[1]} of {counted[0] + counted[1]})")
    if total[2] > 0:
        print(f"{total[2]} skipped, named in the output of their tests")
    print(f"{total[0]} passed, {total[1]} failed")
    return 1 if total[1] > 0 or total[0] == 0 else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
