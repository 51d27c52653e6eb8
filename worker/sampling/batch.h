// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <functional>
#include <vector>

#include "worker/process/process_event.h"
#include "worker/sampling/sample.h"

namespace pilotlight {

/// What was collected since the last look.
struct Batch {
  std::vector<Sample> samples;
  std::vector<ProcessEvent> events;
};

/// Goes through a batch in the order of time, so that each sample meets the memory map that was in force. An
/// event and a sample of the same nanosecond: the event first.
void replay(Batch& batch, const std::function<void(const ProcessEvent&)>& on_event,
            const std::function<void(const Sample&)>& on_sample);

}  // namespace pilotlight
