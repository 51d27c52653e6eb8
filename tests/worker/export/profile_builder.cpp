// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/export/profile_builder.h"

#include <algorithm>
#include <numeric>

namespace pilotlight::test {

ProfileBuilder::ProfileBuilder() {
  profile.start = std::chrono::sys_seconds(std::chrono::seconds(1735787045));
  profile.duration = std::chrono::seconds(10);
  profile.frequency = 99;
}

std::uint32_t ProfileBuilder::process(std::uint32_t pid, const std::string& name) {
  profile.processes.push_back({.pid = pid, .name = name});
  return static_cast<std::uint32_t>(profile.processes.size() - 1);
}

std::uint32_t ProfileBuilder::mapping(const std::string& path, bool symbolized) {
  const std::uint64_t start = 0x400000 + 0x100000 * profile.mappings.size();
  profile.mappings.push_back({.start = start,
                              .limit = start + 0x100000,
                              .file_offset = 0x1000,
                              .path = path,
                              .build_id = "c0ffee",
                              .pid = 0,
                              .symbolized = symbolized});
  return static_cast<std::uint32_t>(profile.mappings.size() - 1);
}

std::uint32_t ProfileBuilder::frame(const std::string& name, FrameKind kind, std::uint32_t mapping) {
  const std::uint32_t location = inlined({name}, mapping);
  profile.locations[location].kind = kind;
  return location;
}

std::uint32_t ProfileBuilder::inlined(const std::vector<std::string>& names, std::uint32_t mapping) {
  const std::uint64_t base = mapping == no_mapping ? 0x10000 : profile.mappings[mapping].start;
  const std::uint32_t location = bare(base + 0x10 * profile.locations.size(), mapping);
  for (const std::string& name : names)
    profile.locations[location].lines.push_back({.function = function(name), .line = 7});
  return location;
}

std::uint32_t ProfileBuilder::bare(std::uint64_t address, std::uint32_t mapping) {
  profile.locations.push_back({.kind = FrameKind::user, .mapping = mapping, .address = address, .lines = {}});
  return static_cast<std::uint32_t>(profile.locations.size() - 1);
}

StackSample& ProfileBuilder::sample(std::uint32_t process, const std::vector<std::uint32_t>& root_first,
                                    std::uint64_t count) {
  profile.samples.push_back({.process = process,
                             .thread_name = profile.processes[process].name,
                             .thread_id = 0,
                             .locations = {root_first.rbegin(), root_first.rend()},
                             .count = count});
  profile.accounting.samples += count;
  profile.accounting.frames += count * root_first.size();
  return profile.samples.back();
}

StackSample& ProfileBuilder::stack(std::uint32_t process, const std::vector<std::string>& root_first,
                                   std::uint64_t count) {
  std::vector<std::uint32_t> locations;
  for (const std::string& name : root_first) {
    const auto found = std::ranges::find_if(profile.locations, [&](const Location& location) {
      return location.lines.size() == 1 && profile.functions[location.lines[0].function].name == name;
    });
    locations.push_back(found == profile.locations.end()
                            ? frame(name)
                            : static_cast<std::uint32_t>(found - profile.locations.begin()));
  }
  return sample(process, locations, count);
}

std::uint32_t ProfileBuilder::function(const std::string& name) {
  const auto found = std::ranges::find(profile.functions, name, &Function::name);
  if (found != profile.functions.end()) return static_cast<std::uint32_t>(found - profile.functions.begin());
  profile.functions.push_back({.name = name,
                               .system_name = name.empty() ? "" : "_Z" + name,
                               .file = "/src/" + name + ".cpp",
                               .start_line = 5});
  return static_cast<std::uint32_t>(profile.functions.size() - 1);
}

Profile small_profile() {
  ProfileBuilder builder;
  const auto process = builder.process(4711, "worker");
  const auto library = builder.mapping("/usr/lib/libc.so.6");
  const auto program = builder.mapping("/opt/worker (deleted)");
  const auto kernel = builder.mapping("[kernel.kallsyms]");
  const auto main = builder.frame("main", FrameKind::user, program);
  const auto work = builder.inlined({"leaf", "middle", "work"}, program);
  const auto read = builder.frame("read", FrameKind::user, library);
  const auto system_call = builder.frame("vfs_read", FrameKind::kernel, kernel);
  const auto truncated = builder.frame("[truncated]", FrameKind::marker);
  builder.sample(process, {main, work}, 60);
  builder.sample(process, {main, read, system_call}, 25);
  builder.sample(process, {truncated, work}, 14);
  builder.sample(process, {}, 1);
  builder.profile.comments = {"host: web1", "kernel: 6.18.0"};
  return builder.profile;
}

std::vector<std::string> hostile_names() {
  return {"a<b>&\"c';d", "]]><script>alert(1)</script>", "line\nbreak\r\ttab", "bad \xff\xfe utf-8 \xc3",
          " 12 34 ",     std::string("nul\0byte", 8),    "ünïcödé → 漢字 🔥",  "<!-- -->",
          "%s%n",        std::string(10000, 'x') + "end"};
}

Profile hostile_profile() {
  ProfileBuilder builder;
  const auto names = hostile_names();
  const auto process = builder.process(1, "a;b 9 <c>&\"'\n");
  const auto nameless = builder.process(2, "");
  const auto mapping = builder.mapping("/tmp/a b\xff<&\">\n (deleted)");
  std::uint64_t count = 1;
  for (const std::string& name : names)
    builder.sample(process, {builder.frame(name, FrameKind::user, mapping)}, count++);
  std::vector<std::uint32_t> all(builder.profile.locations.size());
  std::iota(all.begin(), all.end(), 0U);  // NOLINT(modernize-use-ranges): libstdc++ 12 has no other
  builder.sample(process, all, 3);
  builder.sample(nameless, {builder.frame("")}, 2).thread_name = "thread\n;\xff";
  builder.profile.comments = {"host: <&\"'\n\xff>", "]]>"};
  builder.profile.accounting.lost = 12;
  return builder.profile;
}

}  // namespace pilotlight::test
