// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/demangle.h"

// Keeps libiberty's header from declaring another basename().
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <csetjmp>
#include <cstdlib>
#include <cstring>
#include <memory>

#include "worker/symbolize/demangle_limits.h"

namespace pilotlight {

namespace {

/// Where libiberty's streaming functions write. They cannot be told to stop, hence the jump: between it and
/// its target lie only C frames, which own nothing, and ours, which have no destructors.
struct Output {
  std::array<char, longest_name_for_people_bytes> text;
  std::size_t size;
  std::jmp_buf overflow;
};

void append(const char* text, std::size_t size, void* argument) {
  auto& output = *static_cast<Output*>(argument);
  if (size > output.text.size() - output.size) std::longjmp(output.overflow, 1);  // NOLINT(*-err52-cpp)
  std::memcpy(output.text.data() + output.size, text, size);
  output.size += size;
}

using Demangler = int (*)(const char* name, int options, demangle_callbackref callback, void* argument);

/// False if this is no name of that language, or too much would come out.
bool run(Demangler demangler, const char* name, int options, Output& output) {
  output.size = 0;
  if (setjmp(output.overflow) != 0) return false;  // NOLINT(*-err52-cpp)
  return demangler(name, options, append, &output) != 0 && output.size != 0;
}

std::string demangle_d(const std::string& name) {
  if (!is_safe_d_name(name)) return {};
  struct Free {
    void operator()(char* text) const { std::free(text); }
  };
  const std::unique_ptr<char, Free> text(
      ::dlang_demangle(name.c_str(), DMGL_PARAMS | DMGL_ANSI | DMGL_DLANG));
  if (!text) return {};
  const std::string_view view = text.get();
  return view.size() > longest_name_for_people_bytes ? std::string() : std::string(view);
}

/// Empty if it cannot be demangled.
std::string demangled(const std::string& name) {
  if (name.starts_with("_D")) return demangle_d(name);
  constexpr int options = DMGL_PARAMS | DMGL_ANSI;
  Output output;  // NOLINT(*-member-init): 16 KiB that need no zeros
  const char* text = name.c_str();
  if (name.starts_with("__Z")) ++text;  // an object format's own underscore
  // The older of Rust's schemes looks like C++, with a hash as the last part.
  if (is_safe_rust_name(text) && run(::rust_demangle_callback, text, options, output))
    return {output.text.data(), output.size};
  const CppNameSafety safety = cpp_name_safety(text);
  if (safety == CppNameSafety::unsafe || name.starts_with("_R")) return {};
  const int limit = safety == CppNameSafety::safe_without_limit ? DMGL_NO_RECURSE_LIMIT : 0;
  if (run(::cplus_demangle_v3_callback, text, options | limit, output))
    return {output.text.data(), output.size};
  return {};
}

bool looks_mangled(std::string_view name) {
  constexpr std::array<std::string_view, 4> beginnings = {"_Z", "_R", "__Z", "_D"};
  return std::ranges::any_of(beginnings,
                             [&](std::string_view beginning) { return name.starts_with(beginning); });
}

}  // namespace

std::string demangle(std::string_view name) {
  constexpr std::string_view plt = "@plt";
  if (name.size() > longest_demangled_name_bytes) return std::string(name);
  const std::string_view suffix = name.ends_with(plt) ? plt : std::string_view();
  std::string bare(name.substr(0, name.find('@', 1)));
  if (looks_mangled(bare))
    if (std::string text = demangled(bare); !text.empty()) return text.append(suffix);
  return bare.append(suffix);
}

}  // namespace pilotlight
