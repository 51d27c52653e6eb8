// SPDX-License-Identifier: Apache-2.0
//
// Opening files that others chose. Anything but a regular file is refused without being opened: opening a
// device can have effects, and opening a pipe can block.
#pragma once

#include <string>

#include "common/error.h"
#include "common/unique_handle.h"

namespace pilotlight {

/// Opens a regular file for reading.
Result<UniqueFd> open_regular_file(const std::string& path);

/// The same for an absolute path as a process with this root directory sees it: symbolic links never lead out
/// of it. Needs openat2(2) (Linux 5.6).
Result<UniqueFd> open_regular_file_under(int root_directory_fd, const std::string& path);

}  // namespace pilotlight
