// SPDX-License-Identifier: Apache-2.0
#include "worker/symbolize/demangle_tree.h"

// Keeps libiberty's header from declaring another basename().
#define HAVE_DECL_BASENAME 1
#include <libiberty/demangle.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <unordered_map>

namespace pilotlight {

namespace {

/// More nodes than any real name has when it is written out.
constexpr std::uint64_t node_limit = 1 << 21;

using Children = std::array<const demangle_component*, 2>;

/// The parts of a node, by its type the right member of the union.
Children children_of(const demangle_component& node) {
  switch (node.type) {
    case DEMANGLE_COMPONENT_NAME:
    case DEMANGLE_COMPONENT_TEMPLATE_PARAM:
    case DEMANGLE_COMPONENT_FUNCTION_PARAM:
    case DEMANGLE_COMPONENT_SUB_STD:
    case DEMANGLE_COMPONENT_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE:
    case DEMANGLE_COMPONENT_OPERATOR:
    case DEMANGLE_COMPONENT_CHARACTER:
    case DEMANGLE_COMPONENT_NUMBER:
    case DEMANGLE_COMPONENT_UNNAMED_TYPE:
      return {};
    case DEMANGLE_COMPONENT_LAMBDA:
    case DEMANGLE_COMPONENT_DEFAULT_ARG:
      return {node.u.s_unary_num.sub};
    case DEMANGLE_COMPONENT_EXTENDED_OPERATOR:
      return {node.u.s_extended_operator.name};
    case DEMANGLE_COMPONENT_FIXED_TYPE:
      return {node.u.s_fixed.length};
    case DEMANGLE_COMPONENT_CTOR:
      return {node.u.s_ctor.name};
    case DEMANGLE_COMPONENT_DTOR:
      return {node.u.s_dtor.name};
    default:
      return {node.u.s_binary.left, node.u.s_binary.right};
  }
}

/// Counts the nodes as they would be walked, each node of the graph only once.
class TreeSize {
 public:
  std::uint64_t of(const demangle_component* node) {
    if (node == nullptr) return 0;
    const auto [known, is_new] = sizes_.try_emplace(node, 1);
    if (!is_new) return known->second;
    has_extended_type_ |= node->type == DEMANGLE_COMPONENT_EXTENDED_BUILTIN_TYPE;
    std::uint64_t size = 1;
    for (const demangle_component* child : children_of(*node)) size += of(child);
    size = std::min(size, node_limit + 1);
    sizes_[node] = size;
    return size;
  }

  [[nodiscard]] bool has_extended_type() const { return has_extended_type_; }

 private:
  std::unordered_map<const demangle_component*, std::uint64_t> sizes_;
  bool has_extended_type_ = false;
};

struct Free {
  void operator()(void* memory) const { std::free(memory); }
};

}  // namespace

bool can_print_packs(const std::string& name) {
  void* memory = nullptr;
  const demangle_component* root =
      ::cplus_demangle_v3_components(name.c_str(), DMGL_PARAMS | DMGL_ANSI, &memory);
  const std::unique_ptr<void, Free> owner(memory);
  if (root == nullptr) return true;  // no C++ name: it will not be printed either
  TreeSize tree;
  return tree.of(root) <= node_limit && !tree.has_extended_type();
}

}  // namespace pilotlight
