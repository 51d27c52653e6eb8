// SPDX-License-Identifier: Apache-2.0
#include "worker/sampling/batch.h"

#include <algorithm>

namespace pilotlight {

void replay(Batch& batch, const std::function<void(const ProcessEvent&)>& on_event,
            const std::function<void(const Sample&)>& on_sample) {
  std::ranges::stable_sort(batch.samples, {}, &Sample::time_ns);
  std::ranges::stable_sort(batch.events, {}, &ProcessEvent::time_ns);
  auto event = batch.events.cbegin();
  for (const Sample& sample : batch.samples) {
    for (; event != batch.events.cend() && event->time_ns <= sample.time_ns; ++event) on_event(*event);
    on_sample(sample);
  }
  for (; event != batch.events.cend(); ++event) on_event(*event);
}

}  // namespace pilotlight
