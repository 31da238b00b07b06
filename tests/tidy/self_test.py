"""The tidy checks themselves: each finds its bad example and leaves its good one alone."""
import pathlib
import sys
import tempfile
import unittest

import arrows
import house
import leftovers
import lengths
import purity
import traps
import words

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent.parent))
import tally  # noqa: E402


class CodeOnly(unittest.TestCase):
    def test_blanks_comments_and_literals_and_keeps_lines(self):
        code = house.code_only('int a = 1;  // float b\n/* double\n c */ auto s = "thr\\"ow";\nchar q = \'"\'; int n = 1\'000;\n')
        self.assertNotIn("float", code)
        self.assertNotIn("double", code)
        self.assertNotIn("ow", code)
        self.assertIn("int n = 1'000;", code)
        self.assertEqual(code.count("\n"), 4)

    def test_raw_string(self):
        self.assertNotIn("throw", house.code_only('auto s = R"(a "throw" b)"; int x;'))


class Arrows(unittest.TestCase):
    DRAWING = "src/\n  base/     ids                 uses nothing\n  model/    words      uses base\n  engine/   step   uses model\n  sim/   clock   uses engine\n"
    CMAKE = "weir_room(base)\nweir_room(model USES base)\nweir_room(engine USES model)\nweir_room(sim USES engine WITH fmt::fmt)\n"

    def setUp(self):
        self.drawn = arrows.drawn_arrows(self.DRAWING)
        self.linked = arrows.linked_arrows(self.CMAKE)
        self.folders = {"base", "model", "engine", "sim"}

    def include(self, folder, line, is_test=False):
        return arrows.include_problems("f.h", folder, line, self.drawn, self.linked[folder][1], is_test)

    def test_agreeing_house(self):
        self.assertEqual(arrows.drawing_problems(self.drawn, self.linked, self.folders), [])

    def test_cmake_links_more_than_is_drawn(self):
        linked = dict(self.linked, engine=({"model", "sim"}, set()))
        self.assertEqual(len(arrows.drawing_problems(self.drawn, linked, self.folders)), 1)

    def test_folder_that_is_not_drawn(self):
        self.assertTrue(arrows.drawing_problems(self.drawn, self.linked, self.folders | {"attic"}))

    def test_circle(self):
        drawn = dict(self.drawn, model={"base", "engine"})
        linked = dict(self.linked, model=({"base", "engine"}, set()))
        self.assertTrue(any("back to itself" in p for p in arrows.drawing_problems(drawn, linked, self.folders)))

    def test_include_along_a_chain(self):
        self.assertEqual(self.include("sim", '#include "base/ids.h"\n'), [])

    def test_include_against_the_arrow(self):
        self.assertEqual(len(self.include("engine", '\n  #include "sim/world.h"\n')), 1)

    def test_library_that_is_not_linked(self):
        self.assertTrue(self.include("engine", "#include <fmt/core.h>\n"))
        self.assertEqual(self.include("sim", "#include <fmt/core.h>\n#include <vector>\n"), [])

    def test_unknown_library_and_test_library(self):
        self.assertTrue(self.include("sim", "#include <boost/any.hpp>\n"))
        self.assertTrue(self.include("sim", "#include <gtest/gtest.h>\n"))
        self.assertEqual(self.include("sim", "#include <gtest/gtest.h>\n", is_test=True), [])


class Lengths(unittest.TestCase):
    LONG = "  a();\n" * 70

    def problems(self, text):
        return lengths.cpp_problems("f.cc", text)

    def test_long_function(self):
        found = self.problems(f"namespace weir {{\nint f(int a) {{\n{self.LONG}}}\n}}\n")
        self.assertEqual(len(found), 1)
        self.assertTrue(found[0].startswith("f.cc:2: 72 lines"))

    def test_function_of_the_allowed_length(self):
        body = "  a();\n" * 68
        self.assertEqual(self.problems(f"int f() {{\n{body}}}\n"), [])

    def test_long_method_constructor_test_and_lambda(self):
        for head in (
            "struct A {\n void f() const",
            "A::A(int b) : b_{b}, c_{1}",
            "TEST(Suite, name)",
            "template <class T> requires true\nauto f(T t) -> T",
            "bool operator==(const A& a, const A& b)",
        ):
            self.assertEqual(len(self.problems(f"{head} {{\n{self.LONG}}}\n")), 1, head)
        self.assertEqual(len(self.problems(f"const auto f = [](int a) {{\n{self.LONG}}};\n")), 1)

    def test_tables_and_types_are_no_functions(self):
        rows = "  {1, f(2)},\n" * 90
        self.assertEqual(self.problems(f"constexpr Row kRows[] = {{\n{rows}}};\n"), [])
        self.assertEqual(self.problems("struct A {\n" + "  int f();\n" * 90 + "};\nenum class B : int {\n" + "  c,\n" * 90 + "};\n"), [])

    def test_many_short_functions_after_each_other(self):
        self.assertEqual(self.problems("void f() {\n  if (a) {\n  }\n}\n" * 60), [])

    def test_long_file_and_long_python_function(self):
        self.assertTrue(lengths.file_problems("f.cc", "\n" * 601))
        self.assertEqual(lengths.file_problems("f.cc", "\n" * 600), [])
        self.assertTrue(lengths.python_problems("f.py", "def f():\n" + "    a()\n" * 70))


class Words(unittest.TestCase):
    def test_each_kind_is_found(self):
        for line in (
            "double a = 1;", "auto a = 0.5 * b;", "auto t = std::chrono::now();", "#include <random>", "Prng p(1);",
            "#include <iostream>", "#include <fstream>", "#include <thread>", "std::mutex m;", "std::unordered_map<int, int> m;",
            "throw 1;", "try { f(); }", 'printf("x");', "std::hash<int> h;",
        ):
            self.assertTrue(words.word_problems("f.cc", line), line)

    def test_harmless(self):
        text = '// a double share; throw it away\nauto s = "float";\nTimeMs time(int a);\nint a = x.time() + 1\'000;\nint catcher;\n'
        self.assertEqual(words.word_problems("f.cc", text), [])


class Purity(unittest.TestCase):
    def test_each_kind_is_found(self):
        for name in (
            "clock_gettime", "std::chrono::_V2::system_clock::now()", "fopen", "fopen64", "pthread_create", "getrandom",
            "std::basic_ostream<char, std::char_traits<char> >::put(char)", "std::random_device::_M_getval()", "time",
            "fprintf", "__printf_chk", "std::ios_base::Init::Init()", "getenv@GLIBC_2.2.5",
        ):
            self.assertTrue(purity.symbol_problems(f"\nstep.cc.o:\n                 U {name}\n"), name)

    def test_harmless(self):
        names = ("memcpy", "operator new(unsigned long)", "weir::check_failed(char const*, char const*, int)", "abort",
                 "std::__throw_length_error(char const*)", "weir::engine::time_of(weir::Event const&)", "__stack_chk_fail")
        for name in names:
            self.assertEqual(purity.symbol_problems(f"step.cc.o:\n                 U {name}\n"), [], name)

    def test_float_instruction(self):
        bad = "0000000000000000 <weir::f(int)>:\n   0:\tcvtsi2sd %edi,%xmm0\n   4:\tret\n"
        good = "0000000000000000 <weir::f(int)>:\n   0:\tmovups %xmm0,(%rax)\n   3:\tpaddd  %xmm0,%xmm1\n   4:\tret\n"
        self.assertEqual(len(purity.instruction_problems(bad)), 1)
        self.assertEqual(purity.instruction_problems(good), [])


class Leftovers(unittest.TestCase):
    def test_work_mark_and_empty_file(self):
        self.assertTrue(leftovers.text_problems("f.cc", "// TO" "DO: later\n"))
        self.assertTrue(leftovers.text_problems("f.cc", "\n"))

    def test_commented_out_code(self):
        for line in ("// return x;", "// int a = f(b);", "// step(state, events);", "// if (a > b) {", "// }", '// #include "a.h"'):
            self.assertTrue(leftovers.cpp_problems("f.cc", line + "\n"), line)

    def test_prose_and_examples(self):
        for line in ("// whole: cards >= 1; milli == 0; the least;", "// return to the queue.", "//   step(state, events);",
                     "// the reader gives this back (see below);", "int a;  // b = c;"):
            self.assertEqual(leftovers.cpp_problems("f.cc", line + "\n"), [], line)

    def test_header_without_contract(self):
        self.assertEqual(len(leftovers.cpp_problems("f.h", "int a;\n")), 2)


class Traps(unittest.TestCase):
    def test_loop_over_what_a_temporary_holds(self):
        for line in ("for (const Value& v : *value.items()) {", "for (auto& [k, v] : *a->b().items(1, f(2)))\n  g();", "for (int a : f(x).value()) {"):
            self.assertEqual(len(traps.loop_problems("f.cc", line)), 1, line)

    def test_loops_that_are_sound(self):
        for line in ("for (const Value& v : *items) {", "for (int a : f()) {", "for (int a : x.items()) {", "for (int i = 0; i < *f(); ++i) {",
                     "for (const auto& e : value.node().entries) {"):
            self.assertEqual(traps.loop_problems("f.cc", line), [], line)


class Tally(unittest.TestCase):
    def tally_of(self, entries):
        with tempfile.NamedTemporaryFile("w", suffix=".xml") as file:
            file.write(f"<testsuite>{entries}</testsuite>")
            file.flush()
            return [tally.tally(e) for e in tally.ElementTree.parse(file.name).getroot().findall("testcase")]

    def test_counts_what_each_kind_prints(self):
        entry = '<testcase name="a" status="{}"><system-out>{}</system-out></testcase>'
        found = self.tally_of(
            entry.format("run", "[  PASSED  ] 12 tests.\n")
            + entry.format("fail", "[  PASSED  ] 2 tests.\n[  FAILED  ] 1 test, listed below:\n")
            + entry.format("run", "51 passed, 0 failed, 3 skipped\n")
            + entry.format("run", "Ran 7 tests in 0.1s\n\nOK\n")
            + entry.format("fail", "Ran 7 tests in 0.1s\n\nFAILED (failures=1, errors=2)\n")
        )
        self.assertEqual(found, [(12, 0, 0), (2, 1, 0), (51, 0, 3), (7, 0, 0), (4, 3, 0)])

    def test_an_entry_that_failed_counts_as_failed_whatever_it_printed(self):
        self.assertEqual(self.tally_of('<testcase name="a" status="fail"><system-out>[  PASSED  ] 3 tests.</system-out></testcase>'), [(3, 1, 0)])
        self.assertEqual(self.tally_of('<testcase name="a" status="notrun"/>'), [(0, 1, 0)])

    def test_an_entry_that_prints_no_summary_is_one_case(self):
        self.assertEqual(self.tally_of('<testcase name="a" status="run"/>'), [(1, 0, 0)])


if __name__ == "__main__":
    unittest.main()
