# SPDX-License-Identifier: Apache-2.0
# Writes the text file INPUT as the C++ header OUTPUT with one constant VARIABLE.
cmake_minimum_required(VERSION 3.25)
file(READ "${INPUT}" text)
foreach(forbidden "]]>" ")embedded\"")
  string(FIND "${text}" "${forbidden}" found)
  if(NOT found EQUAL -1)
    message(FATAL_ERROR "${INPUT} holds ${forbidden}, which would end the CDATA section or the string literal")
  endif()
endforeach()
file(CONFIGURE OUTPUT "${OUTPUT}" @ONLY CONTENT [=[
// Generated from @INPUT@.
#pragma once

#include <string_view>

namespace pilotlight {

inline constexpr std::string_view @VARIABLE@ = R"embedded(@text@)embedded";

}  // namespace pilotlight
]=])
