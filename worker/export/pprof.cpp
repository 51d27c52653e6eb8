// SPDX-License-Identifier: Apache-2.0
#include "worker/export/pprof.h"

#include <protozero/pbf_builder.hpp>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "worker/export/accounting_figures.h"
#include "worker/export/frame_name.h"
#include "worker/export/gzip.h"
#include "worker/export/main_mapping.h"
#include "worker/export/pprof_fields.h"
#include "worker/export/profile_facts.h"
#include "worker/export/text.h"

namespace pilotlight {

namespace {

using namespace pprof;
using protozero::pbf_builder;

/// The strings of the message, which refers to them by number. Number 0 must be the empty one.
class StringTable {
 public:
  StringTable() { number_of(""); }

  std::int64_t number_of(std::string_view string) {
    const auto [entry, added] =
        numbers_.try_emplace(valid_utf8(string), static_cast<std::int64_t>(strings_.size()));
    if (added) strings_.push_back(entry->first);
    return entry->second;
  }

  [[nodiscard]] const std::vector<std::string>& strings() const { return strings_; }

 private:
  std::vector<std::string> strings_;
  std::unordered_map<std::string, std::int64_t> numbers_;
};

/// Writes one profile. Ids must not be 0: they are index + 1, with additions of ours after the last.
class Writer {
 public:
  explicit Writer(const Profile& profile)
      : profile_(profile), next_function_(profile.functions.size() + 1), message_(bytes_) {}

  std::string write() {
    write_value_type(ProfileField::sample_type, "samples", "count");
    write_value_type(ProfileField::sample_type, "cpu", "nanoseconds");
    for (const StackSample& sample : profile_.samples) write_sample(sample);
    write_mappings();
    for (std::size_t index = 0; index < profile_.locations.size(); ++index) write_location(index);
    if (frameless_location_needed_) write_frameless_location();
    for (std::size_t index = 0; index < profile_.functions.size(); ++index)
      write_function(index + 1, profile_.functions[index]);
    write_times();
    write_comments();
    for (const std::string& string : strings_.strings())
      message_.add_string(ProfileField::string_table, string);
    return std::move(bytes_);
  }

 private:
  void write_value_type(ProfileField field, std::string_view type, std::string_view unit) {
    pbf_builder<ValueTypeField> value_type(message_, field);
    value_type.add_int64(ValueTypeField::type, strings_.number_of(type));
    value_type.add_int64(ValueTypeField::unit, strings_.number_of(unit));
  }

  void write_sample(const StackSample& sample) {
    std::vector<std::uint64_t> locations;
    locations.reserve(sample.locations.size() + 1);
    for (const std::uint32_t index : sample.locations) locations.push_back(index + std::uint64_t{1});
    if (locations.empty()) {
      locations.push_back(frameless_location());
      frameless_location_needed_ = true;
    }
    const auto count = static_cast<std::int64_t>(sample.count);
    const std::int64_t values[] = {count, count * profile_.period().count()};
    const ProcessLabel& process = profile_.processes[sample.process];
    pbf_builder<SampleField> message(message_, ProfileField::sample);
    message.add_packed_uint64(SampleField::location_id, locations.begin(), locations.end());
    message.add_packed_int64(SampleField::value, std::begin(values), std::end(values));
    write_label(message, "process", name_or_unknown(process.name));
    write_label(message, "thread", name_or_unknown(sample.thread_name));
    write_label(message, "pid", process.pid);
    if (sample.thread_id != 0) write_label(message, "tid", sample.thread_id);
  }

  void write_label(pbf_builder<SampleField>& sample, std::string_view key, std::string_view value) {
    pbf_builder<LabelField> label(sample, SampleField::label);
    label.add_int64(LabelField::key, strings_.number_of(key));
    label.add_int64(LabelField::str, strings_.number_of(value));
  }

  void write_label(pbf_builder<SampleField>& sample, std::string_view key, std::uint32_t value) {
    pbf_builder<LabelField> label(sample, SampleField::label);
    label.add_int64(LabelField::key, strings_.number_of(key));
    label.add_int64(LabelField::num, value);
  }

  void write_mappings() {
    const MainMapping first = main_mapping(profile_);
    const auto& mappings = profile_.mappings;
    if (first.index)
      write_mapping(*first.index + 1, mappings[*first.index]);
    else
      write_synthetic_mapping(mappings.size() + 1, first.synthetic_path);
    for (std::size_t index = 0; index < mappings.size(); ++index)
      if (first.index != index) write_mapping(index + 1, mappings[index]);
  }

  void write_synthetic_mapping(std::uint64_t id, const std::string& path) {
    Mapping mapping;
    mapping.path = path;
    write_mapping(id, mapping);
  }

  void write_mapping(std::uint64_t id, const Mapping& mapping) {
    pbf_builder<MappingField> message(message_, ProfileField::mapping);
    message.add_uint64(MappingField::id, id);
    message.add_uint64(MappingField::memory_start, mapping.start);
    message.add_uint64(MappingField::memory_limit, mapping.limit);
    message.add_uint64(MappingField::file_offset, mapping.file_offset);
    message.add_int64(MappingField::filename, strings_.number_of(file_path(mapping)));
    message.add_int64(MappingField::build_id, strings_.number_of(mapping.build_id));
    message.add_bool(MappingField::has_functions, mapping.symbolized);
    message.add_bool(MappingField::has_filenames, mapping.symbolized);
    message.add_bool(MappingField::has_line_numbers, mapping.symbolized);
    message.add_bool(MappingField::has_inline_frames, mapping.symbolized);
  }

  void write_location(std::size_t index) {
    const Location& location = profile_.locations[index];
    const std::uint64_t function_of_ours =
        location.lines.empty() ? add_function(unsymbolized_name(profile_, location)) : 0;
    pbf_builder<LocationField> message(message_, ProfileField::location);
    message.add_uint64(LocationField::id, index + 1);
    if (location.mapping != no_mapping)
      message.add_uint64(LocationField::mapping_id, location.mapping + std::uint64_t{1});
    message.add_uint64(LocationField::address, location.address);
    for (const Line& line : location.lines) write_line(message, line.function + std::uint64_t{1}, line.line);
    // A location without any line is dropped by some viewers (speedscope).
    if (function_of_ours != 0) write_line(message, function_of_ours, 0);
  }

  /// Where samples without a recorded frame are.
  void write_frameless_location() {
    const std::uint64_t function = add_function(unknown_name);
    pbf_builder<LocationField> message(message_, ProfileField::location);
    message.add_uint64(LocationField::id, frameless_location());
    write_line(message, function, 0);
  }

  [[nodiscard]] std::uint64_t frameless_location() const { return profile_.locations.size() + 1; }

  static void write_line(pbf_builder<LocationField>& location, std::uint64_t function, std::uint32_t number) {
    pbf_builder<LineField> line(location, LocationField::line);
    line.add_uint64(LineField::function_id, function);
    line.add_int64(LineField::line, number);
  }

  /// A function that the profile does not have, once for each name.
  std::uint64_t add_function(std::string_view name) {
    const auto [entry, added] = own_functions_.try_emplace(std::string(name), next_function_);
    if (added) {
      Function function;
      function.name = name;
      write_function(next_function_++, function);
    }
    return entry->second;
  }

  void write_function(std::uint64_t id, const Function& function) {
    const std::string_view symbol = function.system_name;
    pbf_builder<FunctionField> message(message_, ProfileField::function);
    message.add_uint64(FunctionField::id, id);
    message.add_int64(FunctionField::name, strings_.number_of(name_of(function)));
    message.add_int64(FunctionField::system_name,
                      strings_.number_of(symbol.empty() ? name_of(function) : symbol));
    message.add_int64(FunctionField::filename, strings_.number_of(function.file));
    message.add_int64(FunctionField::start_line, function.start_line);
  }

  void write_times() {
    const auto since_epoch = profile_.start.time_since_epoch();
    message_.add_int64(ProfileField::time_nanos, std::chrono::nanoseconds(since_epoch).count());
    message_.add_int64(ProfileField::duration_nanos, profile_.duration.count());
    write_value_type(ProfileField::period_type, "cpu", "nanoseconds");
    message_.add_int64(ProfileField::period, profile_.period().count());
  }

  void write_comments() {
    std::vector<std::int64_t> comments;
    comments.reserve(profile_.comments.size());
    for (const std::string& comment : profile_.comments) comments.push_back(strings_.number_of(comment));
    for (const AccountingFigure& figure : accounting_figures(profile_.accounting))
      comments.push_back(strings_.number_of(std::string(figure.name) + ": " + std::to_string(figure.value)));
    message_.add_packed_int64(ProfileField::comment, comments.begin(), comments.end());
  }

  const Profile& profile_;
  StringTable strings_;
  std::unordered_map<std::string, std::uint64_t> own_functions_;
  std::uint64_t next_function_;
  bool frameless_location_needed_ = false;
  std::string bytes_;
  pbf_builder<ProfileField> message_;
};

}  // namespace

Result<std::string> export_pprof(const Profile& profile) {
  if (auto total = total_samples_or_failure(profile); !total) return std::unexpected(total.error());
  return gzip(Writer(profile).write());
}

}  // namespace pilotlight
