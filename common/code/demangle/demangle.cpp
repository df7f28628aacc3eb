#include "common/code/demangle/demangle.hpp"

#include "common/code/demangle/parser.hpp"
#include "common/code/demangle/printer.hpp"

namespace prof::demangle {

KernelName demangle_kernel(std::string_view mangled) {
  KernelName unchanged{std::string(mangled), std::string(mangled)};
  if (!mangled.starts_with("_Z")) return unchanged;
  Tree tree;
  const NodeId root = Parser(mangled, tree).parse();
  if (root == kNoNode) return unchanged;
  auto demangled = Printer(tree).print_symbol(root);
  auto brief = Printer(tree).print_brief(root);
  if (!demangled || !brief) return unchanged;
  return {std::move(*demangled), std::move(*brief)};
}

}  // namespace prof::demangle
