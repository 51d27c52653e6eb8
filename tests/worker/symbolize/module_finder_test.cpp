// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/module_finder.h"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <boost/test/unit_test.hpp>
#include <csignal>
#include <filesystem>
#include <set>

#include "common/file.h"
#include "tests/support/requires.h"
#include "tests/support/temporary_directory.h"
#include "tests/worker/symbolize/symbol_oracle.h"
#include "worker/elf/build_id.h"
#include "worker/process/memory_map.h"

using namespace pilotlight;

namespace {

constexpr std::size_t budget_bytes = 64 << 20;

Mapping mapping_of(const std::string& path, std::uint32_t pid = 0, const std::string& build_id = {}) {
  Mapping mapping;
  mapping.start = 0x7f0000000000;
  mapping.limit = 0x7f0000100000;
  mapping.path = path;
  mapping.pid = pid;
  mapping.build_id = build_id;
  return mapping;
}

std::string build_id_of(const std::string& path) { return read_build_id(*ElfFile::open(path)).value(); }

/// Whether a module is that program: it has main() where readelf says.
bool is_program(const std::shared_ptr<const Module>& module, const std::string& name) {
  if (!module) return false;
  const auto file = ElfFile::open(test::program_path(name));
  const auto* text = file->section_named(".text");
  const std::uint64_t main = test::SymbolOracle(test::program_path(name)).address_of("main");
  return module->lookup(main - text->address + text->file_offset).value_or("") == "main";
}

/// A file in this process's memory, and its mapping as a profiler knows it.
class MappedFile {
 public:
  explicit MappedFile(const std::string& path) {
    const UniqueFd fd(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
    memory_ = ::mmap(nullptr, size, PROT_READ | PROT_EXEC, MAP_PRIVATE, fd.get(), 0);
    BOOST_REQUIRE(memory_ != MAP_FAILED);
    mapping_ = mapping_of(path, static_cast<std::uint32_t>(::getpid()));
    mapping_.start = std::bit_cast<std::uint64_t>(memory_);
    mapping_.limit = mapping_.start + size;
  }
  MappedFile(const MappedFile&) = delete;
  MappedFile& operator=(const MappedFile&) = delete;
  ~MappedFile() { ::munmap(memory_, size); }

  [[nodiscard]] Mapping& mapping() { return mapping_; }

 private:
  static constexpr std::size_t size = 4096;
  void* memory_ = nullptr;
  Mapping mapping_;
};

const std::string pie = "symbols_program_pie";
const std::string other = "symbols_program_no-pie";

}  // namespace

BOOST_AUTO_TEST_SUITE(module_finder)

BOOST_AUTO_TEST_CASE(a_file_is_found_by_its_path_and_read_once) {
  ModuleFinder finder(budget_bytes);
  const auto module = finder.find(mapping_of(test::program_path(pie)), false);
  BOOST_TEST(is_program(module, pie));
  BOOST_TEST(finder.find(mapping_of(test::program_path(pie)), false) == module);
  BOOST_TEST(finder.cache().size() == 1U);
}

BOOST_AUTO_TEST_CASE(a_file_with_a_known_build_id_is_found_again_without_being_opened) {
  ModuleFinder finder(budget_bytes);
  const std::string id = build_id_of(test::program_path(pie));
  BOOST_TEST(finder.find(mapping_of(test::program_path(pie), 0, id), true) == nullptr);
  const auto module = finder.find(mapping_of(test::program_path(pie), 0, id), false);
  BOOST_TEST(finder.find(mapping_of("/elsewhere", 0, id), true) == module);
  BOOST_TEST(finder.find(mapping_of(test::program_path(pie)), true) == nullptr);
}

BOOST_AUTO_TEST_CASE(a_file_with_another_build_id_is_not_taken) {
  ModuleFinder finder(budget_bytes);
  BOOST_TEST(finder.find(mapping_of(test::program_path(pie), 0, build_id_of(test::program_path(other))),
                         false) == nullptr);
  BOOST_TEST(finder.find(mapping_of("/no/such/file"), false) == nullptr);
  BOOST_TEST(finder.find(mapping_of("/etc/passwd"), false) == nullptr);
  BOOST_TEST(finder.find(mapping_of("/dev/null"), false) == nullptr);
  BOOST_TEST(finder.find(mapping_of("[heap]"), false) == nullptr);
  BOOST_TEST(finder.cache().size() == 0U);
}

BOOST_AUTO_TEST_CASE(a_file_without_a_build_id_that_is_replaced_is_read_again) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "program";
  ModuleFinder finder(budget_bytes);
  std::filesystem::copy_file(test::program_path(pie), path);
  BOOST_TEST(is_program(finder.find(mapping_of(path), false), pie));
  std::filesystem::remove(path);
  std::filesystem::copy_file(test::program_path(other), path);
  BOOST_TEST(is_program(finder.find(mapping_of(path), false), other));
}

BOOST_AUTO_TEST_CASE(a_process_without_its_own_root_is_served_by_path) {
  ModuleFinder finder(budget_bytes);
  const auto own_pid = static_cast<std::uint32_t>(::getpid());
  BOOST_TEST(is_program(finder.find(mapping_of(test::program_path(pie), own_pid), false), pie));
  constexpr std::uint32_t no_process = 0x7fffffff;
  BOOST_TEST(is_program(finder.find(mapping_of(test::program_path(other), no_process), false), other));
}

BOOST_AUTO_TEST_CASE(a_deleted_or_replaced_file_is_found_through_the_process,
                     *boost::unit_test::precondition(test::NeedsRoot())) {
  const test::TemporaryDirectory directory;
  const std::string path = directory / "program";
  std::filesystem::copy_file(test::program_path(pie), path);
  MappedFile mapped(path);

  std::filesystem::remove(path);
  mapped.mapping().path = path + " (deleted)";
  BOOST_TEST(is_program(ModuleFinder(budget_bytes).find(mapped.mapping(), false), pie));

  std::filesystem::copy_file(test::program_path(other), path);
  mapped.mapping().path = path;
  mapped.mapping().build_id = build_id_of(test::program_path(pie));
  BOOST_TEST(is_program(ModuleFinder(budget_bytes).find(mapped.mapping(), false), pie));
}

BOOST_AUTO_TEST_CASE(the_path_is_looked_up_below_the_process_s_root,
                     *boost::unit_test::precondition(test::NeedsRoot())) {
  // A child in a root directory where the same path is another program.
  const test::TemporaryDirectory outside;
  const test::TemporaryDirectory root;
  const std::string path = outside / "program";
  std::filesystem::copy_file(test::program_path(other), path);
  std::filesystem::create_directories(root.path() + outside.path());
  std::filesystem::copy_file(test::program_path(pie), root.path() + path);
  const pid_t child = ::fork();
  if (child == 0) {
    if (::chroot(root.path().c_str()) == 0) ::pause();
    ::_exit(1);
  }
  const std::string link = "/proc/" + std::to_string(child) + "/root";
  while (std::filesystem::read_symlink(link) == "/") ::usleep(1000);
  const auto module =
      ModuleFinder(budget_bytes).find(mapping_of(path, static_cast<std::uint32_t>(child)), false);
  ::kill(child, SIGKILL);
  ::waitpid(child, nullptr, 0);
  BOOST_TEST(is_program(module, pie));
}

BOOST_AUTO_TEST_CASE(the_vdso_is_found_in_memory) {
  ModuleFinder finder(budget_bytes);
  const auto map = parse_memory_map(read_file("/proc/self/maps").value());
  const auto found = std::ranges::find(map.mappings, "[vdso]", &MemoryMapping::path);
  BOOST_REQUIRE(found != map.mappings.end());
  Mapping mapping = mapping_of("[vdso]", 1);
  mapping.start = found->start;
  mapping.limit = found->limit;
  BOOST_TEST(finder.find(mapping, true) == nullptr);
  const auto module = finder.find(mapping, false);
  BOOST_REQUIRE(module != nullptr);
  std::set<std::string> names;
  for (std::uint64_t offset = 0; offset < found->limit - found->start; ++offset)
    if (const auto name = module->lookup(offset)) names.emplace(*name);
  BOOST_TEST((names.contains("__vdso_clock_gettime") || names.contains("clock_gettime")));

  mapping.start = 0xf7f00000;  // of a 32-bit process
  BOOST_TEST(finder.find(mapping, false) == nullptr);
}

BOOST_AUTO_TEST_SUITE_END()
