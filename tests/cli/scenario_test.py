"""`weir scenario run`: golden logs, and what a shell sees when one cannot be kept."""
import pathlib
import shutil
import tempfile
import unittest

from weir import main, weir

SCENARIO = pathlib.Path("scenarios/preempt/disabled.yaml")


class Golden(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.file = pathlib.Path(folder.name, SCENARIO.name)
        self.golden = self.file.with_suffix(".golden")
        shutil.copy(SCENARIO, self.file)

    def run_it(self, *options):
        return weir("scenario", "run", *options, str(self.file))

    def test_a_log_is_kept_and_held(self):
        self.golden.write_text("")
        self.assertEqual(self.run_it()[0], 1)
        code, out, _ = self.run_it("--bless")
        self.assertEqual(code, 0)
        self.assertIn(f"{self.golden}: written\n", out)
        self.assertNotEqual(self.golden.read_text(), "")
        self.assertEqual(self.run_it()[0], 0)

    def test_a_log_that_cannot_be_written_is_an_error(self):
        self.golden.mkdir()  # also root cannot write to it
        code, out, err = self.run_it("--bless")
        self.assertEqual(code, 1)
        self.assertEqual(err, f"{self.golden}: cannot be written\n")
        self.assertNotIn("written\n", out)


if __name__ == "__main__":
    main()
