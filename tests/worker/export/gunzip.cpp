// SPDX-License-Identifier: Apache-2.0
#include "tests/worker/export/gunzip.h"

#include <zlib.h>

#include <stdexcept>

namespace pilotlight::test {

Gunzipped gunzip(const std::string& compressed) {
  std::string input = compressed;
  z_stream stream{};
  gz_header header{};
  Gunzipped result;
  if (::inflateInit2(&stream, MAX_WBITS + 16) != Z_OK || ::inflateGetHeader(&stream, &header) != Z_OK)
    throw std::runtime_error("cannot set up zlib");
  stream.next_in = reinterpret_cast<Bytef*>(input.data());
  stream.avail_in = static_cast<uInt>(input.size());
  int state = Z_OK;
  while (state == Z_OK) {
    std::string chunk(65536, '\0');
    stream.next_out = reinterpret_cast<Bytef*>(chunk.data());
    stream.avail_out = static_cast<uInt>(chunk.size());
    state = ::inflate(&stream, Z_NO_FLUSH);
    result.bytes.append(chunk, 0, chunk.size() - stream.avail_out);
  }
  result.trailing_bytes = stream.avail_in;
  result.modification_time = static_cast<std::uint32_t>(header.time);
  ::inflateEnd(&stream);
  if (state != Z_STREAM_END) throw std::runtime_error("not a whole gzip member");
  return result;
}

}  // namespace pilotlight::test
