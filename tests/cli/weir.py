"""What the tests of the program share: a call of it, and the entry point."""
import subprocess
import sys
import unittest

PROGRAM = sys.argv[1] if len(sys.argv) > 1 else "weir"
TIMEOUT_S = 300


def weir(*arguments, env=None):
    """Exit code, standard output, standard error; bytes that are no UTF-8 come out as \\xNN."""
    done = subprocess.run([PROGRAM, *arguments], capture_output=True, check=False, timeout=TIMEOUT_S, env=env)
    return done.returncode, *(text.decode(errors="backslashreplace") for text in (done.stdout, done.stderr))


def main():
    unittest.main(module="__main__", argv=sys.argv[:1], verbosity=2)
