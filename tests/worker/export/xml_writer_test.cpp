// SPDX-License-Identifier: Apache-2.0
#include "worker/export/xml_writer.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(xml_writer)

BOOST_AUTO_TEST_CASE(it_escapes_and_closes) {
  XmlWriter writer;
  writer.begin("a").attribute("b", "<&\"'>").attribute("c", -7);
  writer.begin("empty").end().begin("d").text("1 < 2 & \"3\"").end();
  writer.begin("open").cdata("x && y");
  const std::string document = std::move(writer).finish();
  BOOST_TEST(document ==
             "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n"
             "<a b=\"&lt;&amp;&quot;&#39;&gt;\" c=\"-7\"><empty/><d>1 &lt; 2 &amp; &quot;3&quot;</d>"
             "<open><![CDATA[x && y]]></open></a>\n");
}

BOOST_AUTO_TEST_SUITE_END()
