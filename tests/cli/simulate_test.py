"""`weir simulate` on a day of a few jobs: what it prints, in what form, and what its report repeats."""
import html
import json
import os
import pathlib
import re
import shlex
import tempfile
import unittest

from weir import main, weir

JOBS = "submit_s,duration_s,gpus\n0,3600,8\n600,3600,4\n1200,7200,2\n"
LOAD = "t_s,chat\n0,1\n43200,2\n"
POOL = "scenarios/config/ok-smallest.yaml"


class Simulate(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = pathlib.Path(folder.name)
        self.jobs = self.written("jobs.csv", JOBS)
        self.load = self.written("load.csv", LOAD)

    def written(self, name, text):
        path = os.path.join(os.fsencode(self.folder), os.fsencode(name))
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return os.fsdecode(path)

    def simulate(self, *options, jobs=None, env=None):
        return weir("simulate", "--jobs", jobs or self.jobs, "--pool", POOL, *options, env=env)

    def report(self, *options, jobs=None):
        path = str(self.folder / "the report.html")
        code, _, err = self.simulate("--report", path, *options, jobs=jobs)
        self.assertEqual(code, 0, err)
        return pathlib.Path(path).read_text(encoding="utf-8")

    def test_the_report_repeats_the_whole_call(self):
        options = ["--load", self.load, "--kappa", "1.5", "--split-inference", "4", "--data", "some where",
                   "--policy", "weir", "--saturated", "--on-demand", "--no-audit", "--json"]
        jobs = self.written("it's a list.csv", JOBS)
        command = re.search("<pre><code>(.*?)</code></pre>", self.report(*options, jobs=jobs), re.S).group(1)
        words = shlex.split(html.unescape(command))
        self.assertEqual(words[:2], ["weir", "simulate"])
        given = ["--jobs", jobs, "--pool", POOL, "--report", str(self.folder / "the report.html"), *options]
        self.assertEqual(sorted(words[2:]), sorted(given))
        self.assertEqual(weir(*words[1:])[0], 0)

    def test_what_was_not_given_is_not_repeated(self):
        command = re.search("<pre><code>(.*?)</code></pre>", self.report(), re.S).group(1)
        options = [word for word in shlex.split(html.unescape(command)) if word.startswith("--")]
        self.assertEqual(sorted(options), ["--jobs", "--pool", "--report"])

    def test_the_report_names_the_version(self):
        version = weir("version")[1].removeprefix("weir ").strip()
        self.assertRegex(version, r"^\d+\.\d+\.\d+$")
        self.assertIn(f"<dt>Weir</dt><dd>{version}</dd>", self.report())

    def test_names_that_are_not_utf_8_make_json(self):
        code, out, err = self.simulate("--json", jobs=self.written(os.fsdecode(b"jobs-\xff.csv"), JOBS))
        self.assertEqual(code, 0, err)
        self.assertEqual(json.loads(out)["scenario"], "jobs-\ufffd.csv")

    def test_the_locale_says_what_can_be_drawn(self):
        for variables, drawn in (({}, True),
                                 ({"LC_ALL": "C"}, False),
                                 ({"LC_ALL": "C.UTF-8", "LANG": "C"}, True),
                                 ({"LC_ALL": "", "LC_CTYPE": "POSIX", "LANG": "en_US.UTF-8"}, False),
                                 ({"LC_CTYPE": "zh_CN.utf8", "LANG": "C"}, True),
                                 ({"LANG": "de_DE.ISO-8859-1"}, False)):
            with self.subTest(variables):
                code, out, err = self.simulate("--policy", "split-fifo", env=variables)
                self.assertEqual(code, 0, err)
                self.assertEqual(not out.isascii(), drawn)


if __name__ == "__main__":
    main()
