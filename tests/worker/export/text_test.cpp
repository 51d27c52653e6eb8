// SPDX-License-Identifier: Apache-2.0
#include "worker/export/text.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(text)

BOOST_AUTO_TEST_CASE(valid_utf8_stays_as_it_is) {
  const std::string names = "plain, ünïcödé, 漢字, 🔥, \n\t";
  BOOST_TEST(valid_utf8(names) == names);
}

BOOST_AUTO_TEST_CASE(bytes_that_are_no_utf8_are_spelled) {
  BOOST_TEST(valid_utf8("a\xff"
                        "b") == "a\\xffb");
  BOOST_TEST(valid_utf8("cut \xe6\xbc") == "cut \\xe6\\xbc");
  BOOST_TEST(valid_utf8("overlong \xc0\xaf") == "overlong \\xc0\\xaf");
  BOOST_TEST(valid_utf8("surrogate \xed\xa0\x80") == "surrogate \\xed\\xa0\\x80");
  BOOST_TEST(valid_utf8("\x80") == "\\x80");
  BOOST_TEST(valid_utf8("\xf5\x80\x80\x80 beyond") == "\\xf5\\x80\\x80\\x80 beyond");
}

BOOST_AUTO_TEST_CASE(printable_text_has_one_line_and_nothing_that_xml_forbids) {
  BOOST_TEST(printable("a\nb\tc\x7f") == "a\\x0ab\\x09c\\x7f");
  BOOST_TEST(printable(std::string_view("\0", 1)) == "\\x00");
  BOOST_TEST(printable("line separator \u2028") == "line separator \\xe2\\x80\\xa8");
  BOOST_TEST(printable("no character \uffff") == "no character \\xef\\xbf\\xbf");
  BOOST_TEST(printable("next line \u0085") == "next line \\xc2\\x85");
  BOOST_TEST(printable("ü <b> 漢") == "ü <b> 漢");
}

BOOST_AUTO_TEST_CASE(long_text_keeps_both_ends_and_whole_characters) {
  BOOST_TEST(shortened("short", 8) == "short");
  BOOST_TEST(shortened("0123456789abcdef", 11) == "0123…cdef");
  const std::string wide = "漢漢漢漢漢漢漢漢";
  for (std::size_t limit = 8; limit < wide.size(); ++limit) {
    BOOST_TEST(shortened(wide, limit).size() <= limit);
    BOOST_TEST(valid_utf8(shortened(wide, limit)) == shortened(wide, limit));
  }
}

BOOST_AUTO_TEST_CASE(cut_text_has_so_many_characters) {
  BOOST_TEST(cut("12345", 5) == "12345");
  BOOST_TEST(cut("123456", 5) == "1234…");
  BOOST_TEST(cut("漢字漢字", 3) == "漢字…");
  BOOST_TEST(cut("漢字漢", 3) == "漢字漢");
  BOOST_TEST(cut("ab", 1) == "…");
  BOOST_TEST(cut("", 1).empty());
}

BOOST_AUTO_TEST_CASE(markup_is_escaped) {
  BOOST_TEST(escaped_for_xml("<a b='c' d=\"&\">") == "&lt;a b=&#39;c&#39; d=&quot;&amp;&quot;&gt;");
}

BOOST_AUTO_TEST_CASE(numbers_are_written_for_people) {
  BOOST_TEST(with_thousands_separators(0) == "0");
  BOOST_TEST(with_thousands_separators(999) == "999");
  BOOST_TEST(with_thousands_separators(1000) == "1,000");
  BOOST_TEST(with_thousands_separators(UINT64_MAX) == "18,446,744,073,709,551,615");
  BOOST_TEST(percentage(1, 3) == "33.33 %");
  BOOST_TEST(percentage(1, 2) == "50 %");
  BOOST_TEST(percentage(0, 0) == "0 %");
  BOOST_TEST(decimal(10, 0) == "10");
  BOOST_TEST(decimal(0.25, 1) == "0.2");
  BOOST_TEST(decimal(100, 3) == "100");
}

BOOST_AUTO_TEST_SUITE_END()
