#include "report/html/markup.h"

#include <gtest/gtest.h>

#include <cmath>

namespace weir::report::html {
namespace {

TEST(Markup, NothingOfATextIsReadAsMarkup) {
  EXPECT_EQ(escaped("<b a=\"1\" c='2'>&</b>"), "&lt;b a=&quot;1&quot; c=&#39;2&#39;&gt;&amp;&lt;/b&gt;");
  EXPECT_EQ(element("p", "x\"y", "<"), "<p class=\"x&quot;y\">&lt;</p>");
  EXPECT_EQ(element("p", "", "a"), "<p>a</p>");
}

TEST(Markup, TextStaysValidUtf8) {
  EXPECT_EQ(escaped("训练 ─ é 🙂"), "训练 ─ é 🙂");
  EXPECT_EQ(escaped("a\tb\nc"), "a\tb\nc");
  const std::string replaced = "\xEF\xBF\xBD";
  EXPECT_EQ(escaped(std::string("a\0b", 3)), "a" + replaced + "b");
  EXPECT_EQ(escaped("\x1b[1m"), replaced + "[1m");
  EXPECT_EQ(escaped("\xff"), replaced);
  EXPECT_EQ(escaped("\xe4\xb8"), replaced + replaced);  // cut off
  EXPECT_EQ(escaped("\xc0\xbc"), replaced + replaced);  // overlong '<'
  EXPECT_EQ(escaped("\xe0\x80\xbc"), replaced + replaced + replaced);
  EXPECT_EQ(escaped("\xed\xa0\x80"), replaced + replaced + replaced);  // surrogate
}

TEST(Markup, LengthsStayInTheirContainer) {
  EXPECT_EQ(percent(0.37425), "37.43%");
  EXPECT_EQ(percent(-1), "0.00%");
  EXPECT_EQ(percent(7), "100.00%");
  EXPECT_EQ(percent(std::nan("")), "0.00%");
}

TEST(Markup, NumbersStayWithTheirUnits) {
  EXPECT_EQ(unbroken("1 d 2 h"),
            "1\xC2\xA0"
            "d\xC2\xA0"
            "2\xC2\xA0h");
}

}  // namespace
}  // namespace weir::report::html
