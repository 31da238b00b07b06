"""Purity of the engine's objects.

usage: purity.py ROOT libweir_engine.a

What the source does not say, the objects do: `nm` lists every symbol that the
engine needs from elsewhere, and none of them may be of a clock, file, thread,
random number or stream. The instructions are read too, and none may be of
floating point. Exceptions are not looked for here: std::visit and the growth of
a container name them even where none is thrown; words.py bans the keyword.
"""
import platform
import re
import subprocess
import sys

import house

BANNED = [
    (r"^(clock|clock_\w+|time|gettimeofday|ftime|nanosleep|usleep|sleep|localtime\w*|gmtime\w*|mktime|strftime|timer\w*)$", "clock"),
    (r"std::chrono::|std::this_thread", "clock"),
    (r"^(f?open\w*|fdopen|fclose|f?read|f?write|pread\w*|pwrite\w*|fseek\w*|fsync|unlink|rename|mkdir|opendir|stat|fstat|mmap\w*)$", "file"),
    (r"std::(filesystem|__fs)|std::basic_filebuf|std::basic_[io]?fstream", "file"),
    (r"^(printf|fprintf|vfprintf|puts|fputs|putchar|fputc|perror|syslog|__\w*printf_chk|stdout|stderr|stdin)$", "log"),
    (r"^(pthread_(?!once)\w+|sem_\w+|thrd_\w+|mtx_\w+|cnd_\w+|fork|vfork|clone|execv\w*|system|popen)$", "thread or process"),
    (r"std::(thread|jthread|mutex|condition_variable|__future_base|future)\b", "thread"),
    (r"^(rand|rand_r|srand|random|srandom|drand48|lrand48|getrandom|getentropy|arc4random\w*)$", "random"),
    (r"std::random_device", "random"),
    (r"std::basic_(i|o|io)?stream|std::basic_streambuf|std::basic_(stringbuf|ostringstream|istringstream|stringstream)", "stream"),
    (r"std::ios_base|std::c(out|err|in|log)\b|std::locale|std::ostream|std::istream", "stream"),
    (r"std::__detail::_Prime_rehash_policy", "an order that depends on a hash"),
    (r"^(getenv|secure_getenv|getpid|socket|connect|send|recv|poll|epoll_\w+|select)$", "the world outside"),
]
PATTERNS = [(re.compile(pattern), what) for pattern, what in BANNED]

# Scalar and packed arithmetic and conversion of floating point on x86-64; moves are not: they copy 16 bytes at a time.
FLOAT_INSTRUCTION = re.compile(r"\tv?(?:(?:add|sub|mul|div|sqrt|min|max)[sp][sd]|u?comis[sd]|cvt\w*s[sd]\w*|f(?:ld|add|mul|div|sub)\w*)\b")
FUNCTION_START = re.compile(r"^[0-9a-f]+ <(.*)>:$")


def symbol_problems(nm_output):
    """Problems in the output of `nm --demangle --undefined-only`."""
    problems = []
    member = ""
    for line in nm_output.splitlines():
        if line.endswith(":"):
            member = line[:-1]
        name = re.sub(r"^\s*[UwV]\s+|@.*$", "", line).strip()
        problems += [f"{member}: needs {name}: {what}" for pattern, what in PATTERNS if line.strip() and pattern.search(name)]
    return problems


def instruction_problems(objdump_output):
    """Functions with a floating-point instruction, from the output of `objdump -d --demangle`."""
    problems, function = [], ""
    for line in objdump_output.splitlines():
        start = FUNCTION_START.match(line)
        if start:
            function = start.group(1)
        elif FLOAT_INSTRUCTION.search(line):
            problems.append(f"{function}: floating point: {line.split(chr(9))[-1].strip()}")
    return problems


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def check(archive):
    symbols = run("nm", "--demangle", "--undefined-only", archive)
    if "weir::" not in run("nm", "--demangle", "--defined-only", archive):
        return [f"{archive}: no symbol of weir: nothing was looked at"]
    problems = symbol_problems(symbols)
    if platform.machine() == "x86_64":
        problems += instruction_problems(run("objdump", "--disassemble", "--demangle", "--no-show-raw-insn", archive))
    return sorted(set(problems))


if __name__ == "__main__":
    sys.exit(house.finish(check(sys.argv[2])))
