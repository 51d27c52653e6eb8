// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/symbolizer.h"

#include <dlfcn.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <cstdlib>
#include <filesystem>

#include "common/file.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "worker/elf/build_id.h"
#include "worker/process/memory_map.h"

using namespace pilotlight;

namespace pilotlight::test {
// Not in an anonymous namespace, so that it has a symbol like any function of a program.
__attribute__((noinline)) int function_to_be_named(int number) { return number + 1; }
}  // namespace pilotlight::test

namespace {

constexpr int no_code = 1;

/// A profile of this process with its real mappings.
class OwnProfile {
 public:
  OwnProfile() {
    for (const MemoryMapping& mapping : parse_memory_map(read_file("/proc/self/maps").value()).mappings)
      profile_.mappings.push_back({.start = mapping.start,
                                   .limit = mapping.limit,
                                   .file_offset = mapping.file_offset,
                                   .path = mapping.path,
                                   .build_id = {},
                                   .pid = static_cast<std::uint32_t>(::getpid())});
  }

  /// Adds a location and a sample of it, and returns the location's index.
  std::uint32_t add(Location location, std::uint64_t count = 1) {
    profile_.locations.push_back(std::move(location));
    const auto index = static_cast<std::uint32_t>(profile_.locations.size() - 1);
    profile_.samples.push_back({.process = 0, .thread_name = {}, .locations = {index}, .count = count});
    return index;
  }

  std::uint32_t add_user(std::uint64_t address, std::uint64_t count = 1) {
    const auto covers = [&](const Mapping& mapping) {
      return mapping.start <= address && address < mapping.limit;
    };
    const auto found = std::ranges::find_if(profile_.mappings, covers);
    const auto mapping = static_cast<std::uint32_t>(found - profile_.mappings.begin());
    return add({.kind = FrameKind::user,
                .mapping = found == profile_.mappings.end() ? no_mapping : mapping,
                .address = address,
                .lines = {}},
               count);
  }

  std::uint32_t add_in(Mapping mapping, std::uint64_t count = 1) {
    mapping.start = 0x10000;
    mapping.limit = 0x20000;
    profile_.mappings.push_back(std::move(mapping));
    return add({.kind = FrameKind::user,
                .mapping = static_cast<std::uint32_t>(profile_.mappings.size() - 1),
                .address = 0x12345,
                .lines = {}},
               count);
  }

  const Function& function(std::uint32_t location) {
    BOOST_REQUIRE(profile_.locations[location].lines.size() == 1U);
    return profile_.functions.at(profile_.locations[location].lines[0].function);
  }
  const std::string& name(std::uint32_t location) { return function(location).name; }

  Profile& operator*() { return profile_; }
  Profile* operator->() { return &profile_; }

 private:
  Profile profile_;
};

template <class Signature>
std::uint64_t address_of(Signature* function) {
  return std::bit_cast<std::uint64_t>(function);
}

Mapping at_path(std::string path) {
  Mapping mapping;
  mapping.path = std::move(path);
  return mapping;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(symbolizer)

BOOST_AUTO_TEST_CASE(names_this_process_s_own_functions) {
  OwnProfile profile;
  const auto own = profile.add_user(address_of(test::function_to_be_named));
  const auto library = profile.add_user(address_of(&::drand48) + 1);
  Symbolizer().symbolize(*profile);
  BOOST_TEST(profile.name(own) == "pilotlight::test::function_to_be_named(int)");
  BOOST_TEST(profile.function(own).system_name == "_ZN10pilotlight4test20function_to_be_namedEi");
  Dl_info info{};
  BOOST_REQUIRE(::dladdr(std::bit_cast<void*>(&::drand48), &info) != 0);
  BOOST_TEST((profile.name(library) == "drand48" || profile.name(library) == info.dli_sname));
  BOOST_TEST(profile->mappings[profile->locations[own].mapping].symbolized);
  const auto symbolized =
      std::ranges::count_if(profile->mappings, [](const Mapping& mapping) { return mapping.symbolized; });
  BOOST_TEST(symbolized == 2);
  BOOST_TEST(profile->accounting.frames == 2U);
  BOOST_TEST(profile->accounting.unsymbolized_no_symbol == 0U);
}

BOOST_AUTO_TEST_CASE(names_stay_mangled_where_that_is_wanted) {
  OwnProfile profile;
  const auto own = profile.add_user(address_of(test::function_to_be_named));
  Symbolizer({.demangle = false}).symbolize(*profile);
  BOOST_TEST(profile.name(own) == "_ZN10pilotlight4test20function_to_be_namedEi");
}

BOOST_AUTO_TEST_CASE(names_functions_of_the_vdso) {
  OwnProfile profile;
  const auto found = std::ranges::find(profile->mappings, "[vdso]", &Mapping::path);
  BOOST_REQUIRE(found != profile->mappings.end());
  // Not dlsym(): that would give libc's. Any function there must do.
  const Mapping& mapping = *found;
  std::vector<std::uint32_t> locations;
  for (std::uint64_t address = mapping.start; address < mapping.limit; address += 16)
    locations.push_back(profile.add_user(address));
  Symbolizer().symbolize(*profile);
  const auto is_named = [&](std::uint32_t location) {
    return profile.name(location).find("clock_gettime") != std::string::npos;
  };
  BOOST_TEST(std::ranges::any_of(locations, is_named));
  BOOST_TEST(profile.name(locations.front()) == "[vdso]");  // its ELF header
}

BOOST_AUTO_TEST_CASE(frames_without_a_name_say_where_they_are_and_are_counted) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "no-elf.so", "text");
  OwnProfile profile;
  const auto data = profile.add_user(std::bit_cast<std::uint64_t>(&no_code), 2);
  const auto no_elf = profile.add_in(at_path(directory / "no-elf.so"), 4);
  const auto missing = profile.add_in(at_path("/no/such/libfoo.so.1"), 8);
  const auto anonymous = profile.add_in(at_path("[anon]"), 16);
  const auto heap = profile.add_in(at_path("[heap]"), 32);
  const auto memfd = profile.add_in(at_path("/memfd:jit"), 64);
  const auto nowhere =
      profile.add({.kind = FrameKind::user, .mapping = no_mapping, .address = 1, .lines = {}}, 128);
  const auto bad_index =
      profile.add({.kind = FrameKind::user, .mapping = 100'000, .address = 1, .lines = {}}, 256);
  Symbolizer().symbolize(*profile);
  BOOST_TEST(profile.name(data) == "[pilotlight_symbolize_test]");
  BOOST_TEST(profile.name(no_elf) == "[no-elf.so]");
  BOOST_TEST(profile.name(missing) == "[libfoo.so.1]");
  BOOST_TEST(profile.name(anonymous) == "[anon]");
  BOOST_TEST(profile.name(heap) == "[anon]");
  BOOST_TEST(profile.name(memfd) == "[anon]");
  BOOST_TEST(profile.name(nowhere) == "[unknown]");
  BOOST_TEST(profile.name(bad_index) == "[unknown]");
  BOOST_TEST(profile->accounting.frames == 2U + 4 + 8 + 16 + 32 + 64 + 128 + 256);
  BOOST_TEST(profile->accounting.unsymbolized_no_symbol == 2U);
  BOOST_TEST(profile->accounting.unsymbolized_no_file == 4U + 8);
  BOOST_TEST(profile->accounting.unsymbolized_anonymous == 16U + 32 + 64);
  BOOST_TEST(profile->accounting.unsymbolized_no_mapping == 128U + 256);
  BOOST_TEST(std::ranges::none_of(profile->mappings, &Mapping::symbolized));
}

BOOST_AUTO_TEST_CASE(frames_count_as_often_as_their_stacks_were_sampled) {
  OwnProfile profile;
  const auto nowhere =
      profile.add({.kind = FrameKind::user, .mapping = no_mapping, .address = 1, .lines = {}}, 3);
  const auto own = profile.add_user(address_of(test::function_to_be_named), 5);
  profile->samples.push_back(
      {.process = 0, .thread_name = {}, .locations = {own, nowhere, nowhere, 4711}, .count = 7});
  Symbolizer symbolizer;
  symbolizer.symbolize(*profile);
  BOOST_TEST(profile->accounting.frames == 3U + 5 + 3 * 7);
  BOOST_TEST(profile->accounting.unsymbolized_no_mapping == 3U + 2 * 7);
}

BOOST_AUTO_TEST_CASE(markers_keep_their_line_and_are_no_frames) {
  OwnProfile profile;
  profile->functions.push_back({.name = "[truncated]", .system_name = {}, .file = {}});
  const auto marker = profile.add(
      {.kind = FrameKind::marker, .mapping = no_mapping, .address = 0, .lines = {{.function = 0}}});
  const auto bare =
      profile.add({.kind = FrameKind::marker, .mapping = no_mapping, .address = 0, .lines = {}});
  Symbolizer().symbolize(*profile);
  BOOST_TEST(profile.name(marker) == "[truncated]");
  BOOST_TEST(profile.name(bare) == "[unknown]");
  BOOST_TEST(profile->accounting.frames == 0U);
}

BOOST_AUTO_TEST_CASE(kernel_frames_are_named_from_kallsyms) {
  const test::TemporaryDirectory directory;
  test::write_file(
      directory / "kallsyms",
      "ffffffff81000000 T first\nffffffff81000100 T _RNvC6_123foo3bar\nffffffff81000200 D data\n");
  OwnProfile profile;
  profile->mappings.insert(profile->mappings.begin(), at_path("[kernel.kallsyms]"));
  const auto kernel = [&](std::uint64_t address) {
    return profile.add({.kind = FrameKind::kernel, .mapping = 0, .address = address, .lines = {}});
  };
  const auto first = kernel(0xffffffff810000ff);
  const auto rust = kernel(0xffffffff81000100);
  const auto data = kernel(0xffffffff81000200);
  Symbolizer({.kallsyms_path = directory / "kallsyms"}).symbolize(*profile);
  BOOST_TEST(profile.name(first) == "first");
  BOOST_TEST(profile.name(rust) == "123foo::bar");
  BOOST_TEST(profile.name(data) == "[kernel]");
  BOOST_TEST(profile->mappings[0].symbolized);
  BOOST_TEST(profile->accounting.unsymbolized_no_symbol == 1U);
}

BOOST_AUTO_TEST_CASE(a_kernel_that_hides_its_addresses_is_noticed) {
  const test::TemporaryDirectory directory;
  test::write_file(directory / "kallsyms", "0000000000000000 T first\n0000000000000000 T second\n");
  OwnProfile profile;
  const auto kernel = profile.add(
      {.kind = FrameKind::kernel, .mapping = no_mapping, .address = 0xffffffff81000000, .lines = {}});
  Symbolizer symbolizer({.kallsyms_path = directory / "kallsyms"});
  symbolizer.symbolize(*profile);
  BOOST_TEST(symbolizer.kernel_is_restricted());
  BOOST_TEST(profile.name(kernel) == "[kernel]");
}

BOOST_AUTO_TEST_CASE(the_kernels_own_symbols_name_its_functions,
                     *boost::unit_test::precondition(test::NeedsRoot())) {
  const std::string text = read_file("/proc/kallsyms").value();
  const auto line = text.find(" T schedule\n");
  BOOST_REQUIRE(line != std::string::npos);
  OwnProfile profile;
  const auto kernel = profile.add({.kind = FrameKind::kernel,
                                   .mapping = no_mapping,
                                   .address = std::stoull(text.substr(line - 16, 16), nullptr, 16) + 4,
                                   .lines = {}});
  Symbolizer().symbolize(*profile);
  BOOST_TEST(profile.name(kernel) == "schedule");
}

BOOST_AUTO_TEST_CASE(quick_work_opens_nothing_but_uses_what_is_known) {
  OwnProfile cold;
  const auto own_path = std::filesystem::read_symlink("/proc/self/exe").string();
  const std::string build_id = read_build_id(*ElfFile::open(own_path)).value();
  for (Mapping& mapping : cold->mappings)
    if (mapping.path == own_path) mapping.build_id = build_id;
  const auto own = cold.add_user(address_of(test::function_to_be_named));
  const auto kernel = cold.add(
      {.kind = FrameKind::kernel, .mapping = no_mapping, .address = 0xffffffff81000000, .lines = {}});
  OwnProfile warm = cold;
  OwnProfile quick_again = cold;

  Symbolizer symbolizer;
  symbolizer.symbolize(*cold, SymbolizeEffort::quick);
  BOOST_TEST(cold.name(own) == "[pilotlight_symbolize_test]");
  BOOST_TEST(cold.name(kernel) == "[kernel]");
  BOOST_TEST(cold->accounting.unsymbolized_no_file == 1U);
  BOOST_TEST(symbolizer.cache().size() == 0U);

  symbolizer.symbolize(*warm);
  BOOST_TEST(warm.name(own) == "pilotlight::test::function_to_be_named(int)");
  symbolizer.symbolize(*quick_again, SymbolizeEffort::quick);
  BOOST_TEST(quick_again.name(own) == "pilotlight::test::function_to_be_named(int)");
}

BOOST_AUTO_TEST_CASE(files_are_read_once_for_many_profiles) {
  Symbolizer symbolizer;
  for (int round = 0; round < 3; ++round) {
    OwnProfile profile;
    const auto own = profile.add_user(address_of(test::function_to_be_named));
    symbolizer.symbolize(*profile);
    BOOST_TEST(profile.name(own) == "pilotlight::test::function_to_be_named(int)");
    BOOST_TEST(symbolizer.cache().size() == 1U);
  }
}

BOOST_AUTO_TEST_CASE(an_empty_profile_stays_empty) {
  Profile profile;
  Symbolizer().symbolize(profile);
  BOOST_TEST(profile.functions.empty());
}

BOOST_AUTO_TEST_SUITE_END()
