// SPDX-License-Identifier: Apache-2.0
#include "worker/export/gzip.h"

#include <zlib.h>

#include <algorithm>
#include <array>
#include <limits>

namespace pilotlight {

namespace {

/// Owner of a deflate stream.
class Deflater {
 public:
  Deflater() {
    constexpr int largest_window_in_gzip_format = MAX_WBITS + 16;
    constexpr int default_memory_level = 8;
    ready_ = ::deflateInit2(&stream_, Z_DEFAULT_COMPRESSION, Z_DEFLATED, largest_window_in_gzip_format,
                            default_memory_level, Z_DEFAULT_STRATEGY) == Z_OK;
  }
  Deflater(const Deflater&) = delete;
  Deflater& operator=(const Deflater&) = delete;
  ~Deflater() {
    if (ready_) ::deflateEnd(&stream_);
  }

  [[nodiscard]] bool ready() const { return ready_; }
  [[nodiscard]] z_stream& stream() { return stream_; }

 private:
  z_stream stream_{};
  bool ready_ = false;
};

}  // namespace

Result<std::string> gzip(std::string_view bytes) {
  Deflater deflater;
  if (!deflater.ready()) return failure("cannot compress the profile: out of memory");
  z_stream& stream = deflater.stream();
  std::string compressed;
  std::array<Bytef, 65536> chunk;
  int state = Z_OK;
  while (state != Z_STREAM_END) {
    if (stream.avail_in == 0) {
      const auto taken = std::min<std::size_t>(bytes.size(), std::numeric_limits<uInt>::max());
      stream.next_in = reinterpret_cast<z_const Bytef*>(const_cast<char*>(bytes.data()));
      stream.avail_in = static_cast<uInt>(taken);
      bytes.remove_prefix(taken);
    }
    stream.next_out = chunk.data();
    stream.avail_out = chunk.size();
    state = ::deflate(&stream, bytes.empty() ? Z_FINISH : Z_NO_FLUSH);
    if (state == Z_STREAM_ERROR) return failure("cannot compress the profile");
    compressed.append(reinterpret_cast<const char*>(chunk.data()), chunk.size() - stream.avail_out);
  }
  return compressed;
}

}  // namespace pilotlight
