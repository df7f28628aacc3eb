// Shortens names of functions for texts.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace prof::names {

// Returns the name without parameters and return type: "a::f<int>" for "void a::f<int>(int) const".
// Names that are not C++ signatures stay as they are.
std::string without_parameters(std::string_view name);

// Returns the name without template arguments: "std::vector::push_back".
std::string without_template_arguments(std::string_view name);

// Leaves out parameters of a name that has more than `most` characters, and then its template
// arguments if it is still longer. The result can still be longer than `most`.
std::string short_name(std::string_view name, std::size_t most);

}  // namespace prof::names
