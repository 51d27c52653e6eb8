// SPDX-License-Identifier: Apache-2.0
#include "worker/export/main_mapping.h"

#include <boost/test/unit_test.hpp>

#include "tests/worker/export/profile_builder.h"

using namespace pilotlight;
using namespace pilotlight::test;

BOOST_AUTO_TEST_SUITE(main_mapping_unit)

BOOST_AUTO_TEST_CASE(of_one_process_it_is_the_file_with_its_name) {
  ProfileBuilder builder;
  builder.process(5, "a-very-long-nam");
  builder.mapping("/usr/lib/libc.so.6");
  builder.mapping("/opt/a-very-long-name-of-a-program (deleted)");
  BOOST_TEST((main_mapping(builder.profile).index == std::size_t{1}));
}

BOOST_AUTO_TEST_CASE(a_process_that_executed_something_else_counts_as_one) {
  ProfileBuilder builder;
  builder.process(5, "sh");
  builder.process(5, "burner");
  builder.mapping("/usr/bin/sh");
  builder.mapping("/usr/bin/burner");
  BOOST_TEST((main_mapping(builder.profile).index == std::size_t{1}));
}

BOOST_AUTO_TEST_CASE(a_renamed_process_has_its_first_file) {
  ProfileBuilder builder;
  builder.process(5, "renamed");
  builder.mapping("[kernel.kallsyms]");
  builder.mapping("/usr/bin/python3");
  BOOST_TEST((main_mapping(builder.profile).index == std::size_t{1}));
}

BOOST_AUTO_TEST_CASE(a_process_without_files_gives_its_name) {
  ProfileBuilder builder;
  builder.process(5, "kworker/0:1");
  builder.mapping("[kernel.kallsyms]");
  const MainMapping main = main_mapping(builder.profile);
  BOOST_TEST(!main.index);
  BOOST_TEST(main.synthetic_path == "[kworker/0:1]");
}

BOOST_AUTO_TEST_CASE(several_processes_are_the_system) {
  ProfileBuilder builder;
  builder.process(5, "a");
  builder.process(6, "a");
  builder.mapping("/usr/bin/a");
  const MainMapping main = main_mapping(builder.profile);
  BOOST_TEST(!main.index);
  BOOST_TEST(main.synthetic_path == "[system]");
}

BOOST_AUTO_TEST_SUITE_END()
