#include "common/code/names/short_name.hpp"

#include <gtest/gtest.h>
#include <map>
#include <vector>

namespace prof::names {
namespace {

TEST(ShortNameTest, WithoutParameters) {
  const char* const kNames[][2] = {
      {"work(int)", "work"},
      {"node::crypto::UseExtraCaCerts(std::__cxx11::basic_string<char, std::char_traits<char>, "
       "std::allocator<char> > const&)",
       "node::crypto::UseExtraCaCerts"},
      {"void a::f<int>(int) const", "a::f<int>"},
      {"(anonymous namespace)::count(std::map<int, char>&)", "(anonymous namespace)::count"},
      {"main::{lambda(int)#1}::operator()(int) const", "main::{lambda#1}::operator()"},
      {"A::operator<(A const&) const", "A::operator<"},
      {"std::ostream& operator<< <char>(std::ostream&, char)", "operator<< <char>"},
      {"A::operator unsigned int() const", "A::operator unsigned int"},
      {"f(int) [clone .cold]", "f [clone .cold]"},
      {"f(int)::g(char) &&", "f::g"},
      {"non-virtual thunk to A::f(int)", "non-virtual thunk to A::f"},
      {"bool box<bool (int)>::operator()(int) const", "box<bool (int)>::operator()"},
      {"A::operator*(A)", "A::operator*"},
      {"int app.Main.work(int, java.lang.String)", "app.Main.work"}};
  for (const auto& [name, text] : kNames) EXPECT_EQ(without_parameters(name), text) << name;
}

TEST(ShortNameTest, NamesThatAreNoSignaturesStay) {
  for (const char* name :
       {"", "work", "net/http.(*conn).serve", "<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
        "vtable for A", "a b", "f(", "f)", "f(int", "(x)", "get size", "<lambda>"})
    EXPECT_EQ(without_parameters(name), name) << name;
}

TEST(ShortNameTest, WithoutTemplateArguments) {
  const char* const kNames[][2] = {
      {"std::vector<int, std::allocator<int> >::push_back", "std::vector::push_back"},
      {"A::operator<", "A::operator<"},
      {"A<(1->2)>::operator->", "A::operator->"},
      {"<alloc::vec::Vec<T> as core::fmt::Debug>::fmt",
       "<alloc::vec::Vec as core::fmt::Debug>::fmt"},
      {"f.<locals>.g", "f.<locals>.g"},
      {"f<int", "f<int"}};
  for (const auto& [name, text] : kNames) EXPECT_EQ(without_template_arguments(name), text) << name;
}

TEST(ShortNameTest, OnlyAsMuchAsIsNeeded) {
  const std::string name = "void box<int>::put<char>(int)";
  EXPECT_EQ(short_name(name, 29), name);
  EXPECT_EQ(short_name(name, 28), "box<int>::put<char>");
  EXPECT_EQ(short_name(name, 18), "box::put");
  EXPECT_EQ(short_name(name, 2), "box::put");
}

}  // namespace
}  // namespace prof::names
