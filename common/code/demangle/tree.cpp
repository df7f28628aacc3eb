#include "common/code/demangle/tree.hpp"

namespace prof::demangle {

NodeId bare_name(const Tree& tree, NodeId name) {
  for (;;) {
    const Node& node = tree[name];
    switch (node.kind) {
      case Kind::kScoped:
      case Kind::kLocal:
        name = node.b;
        break;
      case Kind::kAbbreviation:
      case Kind::kClone:
      case Kind::kDefaultArgument:
      case Kind::kFunction:
      case Kind::kTemplated:
      case Kind::kUnspaced:
        name = node.a;
        break;
      default:
        return name;
    }
  }
}

}  // namespace prof::demangle
