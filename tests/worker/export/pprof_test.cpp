// SPDX-License-Identifier: Apache-2.0
#include "worker/export/pprof.h"

#include <boost/test/unit_test.hpp>
#include <map>
#include <set>

#include "profile.pb.h"
#include "tests/worker/export/gunzip.h"
#include "tests/worker/export/profile_builder.h"
#include "worker/export/text.h"

using namespace pilotlight;
using namespace pilotlight::test;

namespace {

/// A decoded profile with its references followed.
struct Decoded {
  pprof::Profile message;

  [[nodiscard]] const std::string& string(std::int64_t number) const {
    return message.string_table().at(static_cast<int>(number));
  }

  /// Element with this id; fails the test if there is none or several.
  template <class Elements>
  static const auto& by_id(const Elements& elements, std::uint64_t id) {
    const typename Elements::value_type* found = nullptr;
    for (const auto& element : elements) {
      if (element.id() != id) continue;
      BOOST_REQUIRE_MESSAGE(found == nullptr, "two of id " << id);
      found = &element;
    }
    BOOST_REQUIRE_MESSAGE(found != nullptr && id != 0, "none of id " << id);
    return *found;
  }

  /// Names from the root to the leaf, with inlined functions, joined by " > ".
  [[nodiscard]] std::string stack(const pprof::Sample& sample) const {
    std::string names;
    for (const std::uint64_t location : sample.location_id())
      for (const auto& line : by_id(message.location(), location).line()) {
        const std::string& name = string(by_id(message.function(), line.function_id()).name());
        if (!names.empty()) names.insert(0, " > ");
        names.insert(0, name);
      }
    return names;
  }

  [[nodiscard]] std::map<std::string, std::string> labels(const pprof::Sample& sample) const {
    std::map<std::string, std::string> labels;
    for (const auto& label : sample.label()) {
      const std::string value = label.str() != 0 ? string(label.str()) : std::to_string(label.num());
      const bool is_new = labels.emplace(string(label.key()), value).second;
      BOOST_TEST(is_new);
    }
    return labels;
  }
};

Decoded decode(const Profile& profile) {
  const auto exported = export_pprof(profile);
  BOOST_REQUIRE(exported);
  const Gunzipped gunzipped = gunzip(*exported);
  BOOST_TEST(gunzipped.modification_time == 0U);
  BOOST_TEST(gunzipped.trailing_bytes == 0U);
  Decoded decoded;
  BOOST_REQUIRE(decoded.message.ParseFromString(gunzipped.bytes));
  return decoded;
}

}  // namespace

BOOST_AUTO_TEST_SUITE(pprof_unit)

BOOST_AUTO_TEST_CASE(values_and_stacks_are_the_profiles) {
  const Decoded decoded = decode(small_profile());
  std::map<std::string, std::int64_t> counts;
  for (const auto& sample : decoded.message.sample()) {
    BOOST_REQUIRE(sample.value_size() == 2);
    BOOST_TEST(sample.value(1) == sample.value(0) * (1'000'000'000 / 99));
    counts[decoded.stack(sample)] = sample.value(0);
  }
  const std::map<std::string, std::int64_t> expected{{"main > work > middle > leaf", 60},
                                                     {"main > read > vfs_read", 25},
                                                     {"[truncated] > work > middle > leaf", 14},
                                                     {"[unknown]", 1}};
  BOOST_TEST((counts == expected));
}

BOOST_AUTO_TEST_CASE(types_and_times_are_what_viewers_need) {
  const Decoded decoded = decode(small_profile());
  const auto& message = decoded.message;
  BOOST_TEST(message.string_table(0).empty());
  BOOST_REQUIRE(message.sample_type_size() == 2);
  BOOST_TEST(decoded.string(message.sample_type(0).type()) == "samples");
  BOOST_TEST(decoded.string(message.sample_type(0).unit()) == "count");
  BOOST_TEST(decoded.string(message.sample_type(1).type()) == "cpu");
  BOOST_TEST(decoded.string(message.sample_type(1).unit()) == "nanoseconds");
  BOOST_TEST(decoded.string(message.period_type().type()) == "cpu");
  BOOST_TEST(decoded.string(message.period_type().unit()) == "nanoseconds");
  BOOST_TEST(message.period() == 10101010);
  BOOST_TEST(message.time_nanos() == 1735787045'000'000'000);
  BOOST_TEST(message.duration_nanos() == 10'000'000'000);
  BOOST_TEST(message.default_sample_type() == 0);
}

BOOST_AUTO_TEST_CASE(mappings_come_with_the_program_first) {
  const Profile profile = small_profile();
  const Decoded decoded = decode(profile);
  const auto& mappings = decoded.message.mapping();
  BOOST_REQUIRE(mappings.size() == 3);
  BOOST_TEST(decoded.string(mappings[0].filename()) == "/opt/worker");
  BOOST_TEST(decoded.string(mappings[1].filename()) == "/usr/lib/libc.so.6");
  BOOST_TEST(decoded.string(mappings[2].filename()) == "[kernel.kallsyms]");
  BOOST_TEST(decoded.string(mappings[0].build_id()) == "c0ffee");
  BOOST_TEST(mappings[0].memory_start() == profile.mappings[1].start);
  BOOST_TEST(mappings[0].memory_limit() == profile.mappings[1].limit);
  BOOST_TEST(mappings[0].file_offset() == 0x1000U);
  for (const auto& location : decoded.message.location()) {
    if (location.mapping_id() == 0) continue;  // a marker
    const auto& mapping = Decoded::by_id(mappings, location.mapping_id());
    BOOST_TEST(location.address() >= mapping.memory_start());
    BOOST_TEST(location.address() < mapping.memory_limit());
  }
}

BOOST_AUTO_TEST_CASE(the_whole_machine_has_a_mapping_of_its_own_first) {
  const Decoded decoded = decode(hostile_profile());
  const auto& first = decoded.message.mapping(0);
  BOOST_TEST(decoded.string(first.filename()) == "[system]");
  BOOST_TEST(first.memory_start() == 0U);
  BOOST_TEST(decoded.string(first.build_id()).empty());
  BOOST_TEST(decoded.message.mapping_size() == 2);
  BOOST_TEST(first.id() != decoded.message.mapping(1).id());
}

BOOST_AUTO_TEST_CASE(only_symbolized_mappings_claim_to_have_names) {
  ProfileBuilder builder;
  const auto process = builder.process(9, "program");
  const auto with = builder.mapping("/usr/bin/program", true);
  const auto without = builder.mapping("/usr/lib/stripped.so", false);
  const std::uint64_t address = builder.profile.mappings[without].start + 0x20;
  builder.sample(process, {builder.frame("main", FrameKind::user, with), builder.bare(address, without)}, 1);
  const Decoded decoded = decode(builder.profile);
  for (const auto& mapping : decoded.message.mapping()) {
    const bool named = decoded.string(mapping.filename()) == "/usr/bin/program";
    BOOST_TEST(mapping.has_functions() == named);
    BOOST_TEST(mapping.has_filenames() == named);
    BOOST_TEST(mapping.has_line_numbers() == named);
    BOOST_TEST(mapping.has_inline_frames() == named);
  }
  BOOST_TEST(decoded.stack(decoded.message.sample(0)) == "main > stripped.so+0x1020");
}

BOOST_AUTO_TEST_CASE(functions_keep_file_line_and_symbol) {
  const Decoded decoded = decode(small_profile());
  std::set<std::string> names;
  for (const auto& function : decoded.message.function()) {
    const std::string& name = decoded.string(function.name());
    names.insert(name);
    if (name == "[unknown]") continue;  // not of the profile
    BOOST_TEST(decoded.string(function.system_name()) == "_Z" + name);
    BOOST_TEST(decoded.string(function.filename()) == "/src/" + name + ".cpp");
    BOOST_TEST(function.start_line() == 5);
  }
  BOOST_TEST(names.contains("middle"));
  for (const auto& location : decoded.message.location())
    for (const auto& line : location.line())
      BOOST_TEST((line.line() == 7 || decoded.message.location_size() == static_cast<int>(location.id())));
}

BOOST_AUTO_TEST_CASE(labels_tell_process_and_thread) {
  ProfileBuilder builder;
  const auto process = builder.process(4711, "server");
  builder.stack(process, {"f"}, 1);
  StackSample& threaded = builder.stack(process, {"f"}, 2);
  threaded.thread_name = "pool-3";
  threaded.thread_id = 4713;
  const Decoded decoded = decode(builder.profile);
  const std::map<std::string, std::string> whole{
      {"process", "server"}, {"thread", "server"}, {"pid", "4711"}};
  const std::map<std::string, std::string> apart{
      {"process", "server"}, {"thread", "pool-3"}, {"pid", "4711"}, {"tid", "4713"}};
  BOOST_TEST((decoded.labels(decoded.message.sample(0)) == whole));
  BOOST_TEST((decoded.labels(decoded.message.sample(1)) == apart));
}

BOOST_AUTO_TEST_CASE(comments_are_followed_by_the_accounting) {
  Profile profile = small_profile();
  profile.accounting.lost = 12;
  const Decoded decoded = decode(profile);
  std::vector<std::string> comments;
  for (const std::int64_t number : decoded.message.comment()) comments.push_back(decoded.string(number));
  const std::vector<std::string> expected{"host: web1", "kernel: 6.18.0", "samples: 100", "lost samples: 12",
                                          "frames: " + std::to_string(profile.accounting.frames)};
  BOOST_TEST(comments == expected);
}

BOOST_AUTO_TEST_CASE(hostile_names_arrive_as_valid_utf8) {
  const Profile profile = hostile_profile();
  const Decoded decoded = decode(profile);
  std::int64_t total = 0;
  for (const auto& sample : decoded.message.sample()) total += sample.value(0);
  BOOST_TEST(static_cast<std::uint64_t>(total) == profile.accounting.samples);
  std::set<std::string> names;
  for (const auto& function : decoded.message.function()) names.insert(decoded.string(function.name()));
  for (const std::string& name : hostile_names()) BOOST_TEST(names.contains(valid_utf8(name)));
  BOOST_TEST(names.contains("[unknown]"));
  BOOST_TEST(names.contains(R"(bad \xff\xfe utf-8 \xc3)"));
  BOOST_TEST(decoded.string(decoded.message.mapping(1).filename()) == "/tmp/a b\\xff<&\">\n");
}

BOOST_AUTO_TEST_CASE(equal_profiles_give_equal_bytes) {
  BOOST_TEST((export_pprof(small_profile()).value() == export_pprof(small_profile()).value()));
}

BOOST_AUTO_TEST_CASE(a_profile_without_samples_is_an_error) { BOOST_TEST(!export_pprof(Profile{})); }

BOOST_AUTO_TEST_SUITE_END()
