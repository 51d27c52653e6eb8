// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <bpf/libbpf.h>

#include <memory>

namespace pilotlight {

template <auto Destroy>
struct BpfDeleter {
  template <class T>
  void operator()(T* object) const {
    Destroy(object);
  }
};

using BpfLink = std::unique_ptr<bpf_link, BpfDeleter<bpf_link__destroy>>;
using BpfRingBuffer = std::unique_ptr<ring_buffer, BpfDeleter<ring_buffer__free>>;

}  // namespace pilotlight
