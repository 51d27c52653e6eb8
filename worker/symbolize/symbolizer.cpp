// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/symbolizer.h"

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "worker/symbolize/function_table.h"
#include "worker/symbolize/mapping_kind.h"

namespace pilotlight {

namespace {

/// What a frame's name came from, or why it has none.
enum class Outcome : std::uint8_t { marker, named, no_symbol, no_file, anonymous, no_mapping };

/// Names one profile.
class Naming {
 public:
  Naming(Profile& profile, bool demangle, ModuleFinder& modules, const KernelSymbols& kernel,
         SymbolizeEffort effort)
      : profile_(profile),
        modules_(modules),
        kernel_(kernel),
        cached_only_(effort == SymbolizeEffort::quick),
        functions_(profile.functions, demangle),
        found_(profile.mappings.size()) {}

  void run() {
    std::vector<Outcome> outcomes;
    outcomes.reserve(profile_.locations.size());
    for (Location& location : profile_.locations) {
      outcomes.push_back(name(location));
      if (outcomes.back() == Outcome::named && has_mapping(location))
        profile_.mappings[location.mapping].symbolized = true;
    }
    count(outcomes);
  }

 private:
  [[nodiscard]] bool has_mapping(const Location& location) const {
    return location.mapping < profile_.mappings.size();
  }

  Outcome name(Location& location) {
    if (location.kind == FrameKind::marker) {
      if (location.lines.empty()) set_placeholder(location, "[unknown]");
      return Outcome::marker;
    }
    if (!location.lines.empty()) return Outcome::named;
    if (location.kind == FrameKind::kernel) return name_kernel(location);
    if (!has_mapping(location)) {
      set_placeholder(location, "[unknown]");
      return Outcome::no_mapping;
    }
    return name_user(location, profile_.mappings[location.mapping]);
  }

  Outcome name_kernel(Location& location) {
    if (const auto symbol = kernel_.lookup(location.address)) {
      location.lines.push_back({.function = functions_.add_symbol(symbol->name)});
      return Outcome::named;
    }
    set_placeholder(location, "[kernel]");
    return Outcome::no_symbol;
  }

  Outcome name_user(Location& location, const Mapping& mapping) {
    const Module* module = module_of(location.mapping);
    if (module != nullptr) {
      if (const auto symbol = module->lookup(location.address - mapping.start + mapping.file_offset)) {
        location.lines.push_back({.function = functions_.add_symbol(*symbol)});
        return Outcome::named;
      }
    }
    const std::string placeholder = placeholder_name(mapping.path);
    set_placeholder(location, placeholder);
    if (module == nullptr && placeholder == "[anon]") return Outcome::anonymous;
    const MappingKind kind = mapping_kind(mapping.path);
    const bool is_file = kind == MappingKind::file || kind == MappingKind::nameless;
    return module == nullptr && is_file ? Outcome::no_file : Outcome::no_symbol;
  }

  /// Looked for once per mapping, and only if it has a frame.
  const Module* module_of(std::uint32_t mapping) {
    auto& found = found_[mapping];
    if (found) return found->get();
    Mapping& looked_for = profile_.mappings[mapping];
    found = modules_.find(looked_for, cached_only_);
    // Memory that was mapped before the kernel's records began comes without one.
    if (*found && looked_for.build_id.empty()) looked_for.build_id = (*found)->build_id();
    return found->get();
  }

  void set_placeholder(Location& location, const std::string& name) {
    location.lines.push_back({.function = functions_.add_placeholder(name)});
  }

  void count(const std::vector<Outcome>& outcomes) const {
    Accounting& accounting = profile_.accounting;
    accounting.frames = 0;
    accounting.unsymbolized_no_symbol = 0;
    accounting.unsymbolized_no_file = 0;
    accounting.unsymbolized_anonymous = 0;
    accounting.unsymbolized_no_mapping = 0;
    for (const StackSample& sample : profile_.samples) {
      for (const std::uint32_t location : sample.locations) {
        const Outcome outcome = location < outcomes.size() ? outcomes[location] : Outcome::marker;
        if (outcome == Outcome::marker) continue;
        accounting.frames += sample.count;
        if (outcome == Outcome::no_symbol) accounting.unsymbolized_no_symbol += sample.count;
        if (outcome == Outcome::no_file) accounting.unsymbolized_no_file += sample.count;
        if (outcome == Outcome::anonymous) accounting.unsymbolized_anonymous += sample.count;
        if (outcome == Outcome::no_mapping) accounting.unsymbolized_no_mapping += sample.count;
      }
    }
  }

  Profile& profile_;
  ModuleFinder& modules_;
  const KernelSymbols& kernel_;
  bool cached_only_;
  FunctionTable functions_;
  std::vector<std::optional<std::shared_ptr<const Module>>> found_;  ///< by mapping
};

}  // namespace

Symbolizer::Symbolizer(SymbolizerOptions options)
    : options_(std::move(options)), modules_(options_.cache_budget_bytes) {}

void Symbolizer::symbolize(Profile& profile, SymbolizeEffort effort) {
  if (effort == SymbolizeEffort::full) refresh_kernel_symbols(profile);
  Naming(profile, options_.demangle, modules_, kernel_, effort).run();
}

void Symbolizer::refresh_kernel_symbols(const Profile& profile) {
  // Modules and BPF programs come and go, and others get their addresses; the kernel proper stays as it is.
  constexpr std::chrono::seconds longest_age{60};
  const auto now = MonotonicClock::now();
  if (kernel_was_read_ && now - kernel_read_at_ < longest_age) return;
  const bool is_needed = std::ranges::any_of(profile.locations, [this](const Location& location) {
    if (location.kind != FrameKind::kernel) return false;
    const auto symbol = kernel_.lookup(location.address);
    return !symbol || !symbol->module.empty();
  });
  if (!is_needed) return;
  if (auto symbols = KernelSymbols::load(options_.kallsyms_path)) kernel_ = std::move(*symbols);
  kernel_was_read_ = true;
  kernel_read_at_ = now;
}

}  // namespace pilotlight
