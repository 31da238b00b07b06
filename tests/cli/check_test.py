"""`weir check` on the fixtures of scenarios/config/: the exit code, and the findings that stand in their comments.

The library's own test (src/config/pool_file_test.cc) holds the findings too;
here it is the program: what goes to which stream, and what a shell sees.
"""
import json
import pathlib
import unittest

from weir import main, weir

FIXTURES = pathlib.Path("scenarios/config")


def said(path, word):
    """The rest of every comment line that begins with "# WORD: "."""
    lines = path.read_text(errors="backslashreplace").splitlines()
    start = f"# {word}: "
    return [line[len(start):] for line in lines if line.startswith(start)]


def placed(path, finding):
    """A finding as printed: "12:3: text" and "text" after the name of the file."""
    return f"{path}:{finding}" if finding[:1].isdigit() else f"{path}: {finding}"


class Fixtures(unittest.TestCase):
    def test_good_files(self):
        paths = sorted(FIXTURES.glob("ok-*.yaml"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(str(path)):
                code, out, err = weir("check", str(path))
                self.assertEqual(code, 0, err)
                self.assertTrue(out.startswith(f"{path}: ok: "), out)
                self.assertEqual(err.splitlines(), [f"warning: {placed(path, w)}" for w in said(path, "warn")])

    def test_bad_files(self):
        paths = sorted(FIXTURES.glob("bad-*.yaml"))
        self.assertTrue(paths)
        for path in paths:
            with self.subTest(str(path)):
                expected = said(path, "expect")
                count = f"{path}: {len(expected)} problem{'' if len(expected) == 1 else 's'}"
                code, out, err = weir("check", str(path))
                self.assertEqual(code, 1, err)
                self.assertEqual(out, "")
                self.assertEqual(err.splitlines(), [placed(path, e) for e in expected] + [count])


class Calls(unittest.TestCase):
    GOOD, BAD, MISSING = (str(FIXTURES / name) for name in ("ok-smallest.yaml", "bad-numbers.yaml", "no-such.yaml"))

    def code(self, *arguments):
        return weir("check", *arguments)[0]

    def test_the_worst_file_decides(self):
        self.assertEqual(self.code(self.GOOD, self.GOOD), 0)
        self.assertEqual(self.code(self.GOOD, self.BAD), 1)
        self.assertEqual(self.code(self.BAD, self.GOOD), 1)
        self.assertEqual(self.code(self.BAD, self.MISSING, self.GOOD), 2)

    def test_wrong_calls(self):
        for arguments in ([], [self.MISSING], ["--no-such-option"], ["--reference", self.GOOD],
                          ["--print-defaults", self.GOOD, self.GOOD]):
            with self.subTest(arguments):
                self.assertEqual(self.code(*arguments), 2)

    def test_json_has_the_same_verdicts(self):
        code, out, err = weir("check", "--json", self.GOOD, self.BAD)
        self.assertEqual((code, err), (1, ""))
        good, bad = json.loads(out)
        self.assertEqual((good["ok"], good["problems"]), (True, []))
        self.assertFalse(bad["ok"])
        self.assertEqual(len(bad["problems"]), len(said(pathlib.Path(self.BAD), "expect")))

    def test_the_reference_page_is_the_one_that_is_kept(self):
        code, out, _ = weir("check", "--reference")
        self.assertEqual(code, 0)
        self.assertEqual(out, pathlib.Path("docs/reference/pool-yaml.md").read_text())


if __name__ == "__main__":
    main()
