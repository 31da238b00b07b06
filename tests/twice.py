"""Runs a command twice and holds the two outputs to be the same, byte for byte.

The command prints hashes of what it decided; anything that depends on the
clock, an address or the order of a hash table shows as a difference.
"""
import subprocess
import sys


def output_of(command):
    done = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, check=False)
    return done.stdout.decode(errors="replace").splitlines()


def main(command):
    first, second = output_of(command), output_of(command)
    differing = [(a, b) for a, b in zip(first, second) if a != b]
    for a, b in differing[:20]:
        print(f"first:  {a}\nsecond: {b}")
    if not any("hash" in line for line in first):
        print("the command printed no hash")
        return 1
    return 1 if differing or len(first) != len(second) else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
