// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/mapping_kind.h"

#include <boost/test/unit_test.hpp>

using namespace pilotlight;

BOOST_AUTO_TEST_SUITE(kind_of_mapping)

BOOST_AUTO_TEST_CASE(memory_without_a_file_is_anonymous) {
  for (const auto* path : {"", "[anon]", "//anon", "[heap]", "[stack]", "[stack:12]", "[anon:v8 code]",
                           "[anon_shmem:x]", "anon_inode:[perf_event]", "/dev/zero", "/SYSV00000000"}) {
    BOOST_TEST((mapping_kind(path) == MappingKind::anonymous), path);
    BOOST_TEST(placeholder_name(path) == "[anon]");
  }
}

BOOST_AUTO_TEST_CASE(a_file_is_called_by_its_last_name) {
  BOOST_TEST((mapping_kind("/usr/lib/libfoo.so.1") == MappingKind::file));
  BOOST_TEST(placeholder_name("/usr/lib/libfoo.so.1") == "[libfoo.so.1]");
  BOOST_TEST(placeholder_name("relative") == "[relative]");
}

BOOST_AUTO_TEST_CASE(deleted_files_and_memfds_have_no_path) {
  BOOST_TEST((mapping_kind("/usr/lib/libfoo.so.1 (deleted)") == MappingKind::nameless));
  BOOST_TEST(placeholder_name("/usr/lib/libfoo.so.1 (deleted)") == "[libfoo.so.1]");
  BOOST_TEST((mapping_kind("/memfd:doublemapper (deleted)") == MappingKind::nameless));
  BOOST_TEST((mapping_kind("/memfd:jit") == MappingKind::nameless));
  BOOST_TEST(placeholder_name("/memfd:jit") == "[anon]");
}

BOOST_AUTO_TEST_CASE(the_kernels_own_pages_keep_their_names) {
  BOOST_TEST((mapping_kind("[vdso]") == MappingKind::vdso));
  BOOST_TEST((mapping_kind("[vsyscall]") == MappingKind::special));
  BOOST_TEST(placeholder_name("[vsyscall]") == "[vsyscall]");
  BOOST_TEST(placeholder_name("[vdso]") == "[vdso]");
}

BOOST_AUTO_TEST_SUITE_END()
