# SPDX-License-Identifier: Apache-2.0
find_program(CLANG_BPF NAMES clang-19 clang REQUIRED)
find_program(BPFTOOL bpftool PATHS /usr/sbin /sbin REQUIRED)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(BPF_TARGET_ARCH x86)
elseif(CMAKE_SYSTEM_PROCESSOR MATCHES "aarch64|arm64")
  set(BPF_TARGET_ARCH arm64)
else()
  message(FATAL_ERROR "no BPF programs for ${CMAKE_SYSTEM_PROCESSOR} yet")
endif()

# bpf_skeleton(target NAME skeleton SOURCES x.bpf.c …)
# Compiles each source, links them into one object, and makes `target`, whose users can include
# "bpf/<NAME>.skel.h" (bpftool's C skeleton with its C++ face). -mcpu=v3: v4 does not load on Linux 6.1.
function(bpf_skeleton target)
  cmake_parse_arguments(PARSE_ARGV 1 arg "" "NAME" "SOURCES")
  set(objects)
  foreach(source ${arg_SOURCES})
    set(object ${CMAKE_CURRENT_BINARY_DIR}/${source}.o)
    add_custom_command(
      OUTPUT ${object}
      COMMAND ${CLANG_BPF} -g -O2 -target bpf -mcpu=v3 -D__TARGET_ARCH_${BPF_TARGET_ARCH} -Wall -Wextra -Werror
              -Wno-unused-parameter -Wno-missing-declarations
              -I${CMAKE_SOURCE_DIR} -MD -MF ${object}.d -c ${CMAKE_CURRENT_SOURCE_DIR}/${source} -o ${object}
      DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/${source}
      DEPFILE ${object}.d
      COMMENT "Building BPF object ${source}.o" VERBATIM)
    list(APPEND objects ${object})
  endforeach()
  set(linked ${CMAKE_CURRENT_BINARY_DIR}/${arg_NAME}.bpf.o)
  set(skeleton ${CMAKE_BINARY_DIR}/generated/bpf/${arg_NAME}.skel.h)
  file(MAKE_DIRECTORY ${CMAKE_BINARY_DIR}/generated/bpf)
  # Linking also drops the debug sections other than BTF.
  add_custom_command(
    OUTPUT ${linked} ${skeleton}
    COMMAND ${BPFTOOL} gen object ${linked} ${objects}
    COMMAND ${BPFTOOL} gen skeleton ${linked} name ${arg_NAME} > ${skeleton}
    DEPENDS ${objects}
    COMMENT "Generating BPF skeleton ${arg_NAME}.skel.h" VERBATIM)
  add_custom_target(${target}_generated DEPENDS ${skeleton})
  add_library(${target} INTERFACE)
  add_dependencies(${target} ${target}_generated)
  # SYSTEM: the generated code is not held to our warnings.
  target_include_directories(${target} SYSTEM INTERFACE ${CMAKE_BINARY_DIR}/generated)
  target_link_libraries(${target} INTERFACE PkgConfig::LIBBPF)
endfunction()
