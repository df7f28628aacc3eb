// The syntax tree of one mangled name. Substitutions make it a DAG: nodes are shared, never copied.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>
#include <vector>

namespace prof::demangle {

// The kinds of nodes. The comments name the fields of Node that each kind uses: a, b, text, number,
// list.
enum class Kind : std::uint8_t {
  kText,  // text
  // Names.
  kAbbreviation,     // text, a = the bare class name (Ss: "basic_string")
  kScoped,           // a::b
  kTemplated,        // a<list>
  kPack,             // list, an argument pack within template arguments
  kAbiTagged,        // a, list = the tags
  kConstructor,      // a = the class, text = what follows the parameters
  kDestructor,       // a = the class, text = what follows the parameters
  kConversion,       // operator a
  kOperator,         // text
  kLambda,           // list = parameters, number = instance
  kUnnamedType,      // number = instance
  kLocal,            // a = enclosing function, b = entity, number = instance (0: not shown)
  kDefaultArgument,  // a = entity, number = position from the end
  kBinding,          // list = the names
  // Encodings.
  kFunction,    // a = name, b = return type or none, list = parameters, qualifiers
  kSpecial,     // text a, and "-in-" b if there is b
  kCallOffset,  // a, b = virtual offset or none
  kNumber,      // text
  kThunk,       // text, list = call offsets, a = target
  kClone,       // a, text = the suffix
  // Types.
  kPointer,          // a, text = "*", "&" or "&&"
  kMemberPointer,    // a = class, b = member type
  kQualified,        // a, qualifiers
  kArray,            // a[b]
  kFunctionType,     // a = return type, list = parameters, qualifiers, b = exception specification
  kVendorQualified,  // a, b = the qualifier
  kComplex,          // a, text
  kVector,           // a, b = number of elements
  kPackExpansion,    // a...
  kTemplateParam,    // number
  kDecltype,         // a, number = parentheses
  kUnspaced,         // a: see Printer::first
  // Expressions.
  kLiteral,        // a = type, text = value
  kEntity,         // a = encoding, shown without return type and parameters
  kPrefix,         // text a
  kPostfix,        // a text
  kBinary,         // a text b
  kConditional,    // list of three
  kSubscript,      // a[b]
  kMember,         // (a text b)
  kCall,           // a(list)
  kCast,           // (a)b
  kBraced,         // a or none, list
  kEnclosed,       // text(a)
  kNamedCast,      // text<a>(b)
  kNew,            // text, list = placement, a = type, b = initializer or none
  kFold,           // a or none, text, b or none; none is the side of the ellipsis
  kTwoSidedFold,   // a, text, b
  kDesignator,     // .a=b
  kIndexRange,     // [list]=b, one or two in list
  kFunctionParam,  // number, qualifiers
  kOuterParam,     // a, number = how many functions further out
};

enum Qualifier : std::uint8_t {
  kConst = 1,
  kVolatile = 2,
  kRestrict = 4,
  kLvalueRef = 8,
  kRvalueRef = 16,
};

using NodeId = std::uint32_t;
inline constexpr NodeId kNoNode = 0;

struct Node {
  Kind kind = Kind::kText;
  std::uint8_t qualifiers = 0;
  std::uint16_t depth = 0;  // filled by Tree::add
  NodeId a = kNoNode;
  NodeId b = kNoNode;
  std::uint32_t number = 0;
  std::uint32_t list_begin = 0;
  std::uint32_t list_size = 0;
  std::string_view text = {};  // within the mangled name or a constant
};

class Tree {
 public:
  // Limits the printer's recursion, because substitutions can nest as deep as the name is long. Of
  // 170,000 names in NVIDIA's libraries, CuPy, ONNX Runtime and LLVM, the deepest has 22 levels.
  static constexpr std::uint16_t kMaxDepth = 256;

  // Returns kNoNode if the tree would get too deep.
  NodeId add(Node node, std::span<const NodeId> list = {}) {
    std::uint16_t below = deeper(nodes_[node.a].depth, nodes_[node.b].depth);
    for (const NodeId child : list) below = deeper(below, nodes_[child].depth);
    if (below >= kMaxDepth) return kNoNode;
    node.depth = static_cast<std::uint16_t>(below + 1);
    node.list_begin = static_cast<std::uint32_t>(lists_.size());
    node.list_size = static_cast<std::uint32_t>(list.size());
    lists_.insert(lists_.end(), list.begin(), list.end());
    nodes_.push_back(node);
    return static_cast<NodeId>(nodes_.size() - 1);
  }

  const Node& operator[](NodeId id) const { return nodes_[id]; }
  std::span<const NodeId> list(const Node& node) const {
    return std::span(lists_).subspan(node.list_begin, node.list_size);
  }

 private:
  static std::uint16_t deeper(std::uint16_t a, std::uint16_t b) { return a > b ? a : b; }

  std::vector<Node> nodes_ = std::vector<Node>(1);  // [kNoNode] is an empty text
  std::vector<NodeId> lists_;
};

// Returns the last component of a name, without template arguments. A constructor repeats this
// name.
NodeId bare_name(const Tree& tree, NodeId name);

}  // namespace prof::demangle
