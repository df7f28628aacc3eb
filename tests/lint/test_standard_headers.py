"""A name of the standard library needs its header, in the file or in one that it includes. libstdc++ 12 includes many by
itself, libstdc++ 13 and 14 fewer."""
import functools
import os
import re
from pathlib import Path

import rooms

ROOT = Path(os.environ["PROF_SOURCE"])

NAMES = {
    "algorithm": r"\b(?:std|ranges)::(?:sort|stable_sort|min|max|clamp|find|find_if|any_of|all_of|none_of|copy|copy_n|fill|fill_n|"
                 r"count|count_if|transform|unique|reverse|lower_bound|upper_bound|equal|max_element|min_element|minmax|search|"
                 r"rotate|partition|remove_if|adjacent_find|for_each|set_difference|binary_search|nth_element|mismatch|merge)\(",
    "bit": r"std::(?:bit_cast|bit_ceil|countr_zero|popcount|bit_width)\b",
    "cmath": r"std::(?:sqrt|floor|ceil|round|log|isnan|isfinite|llround|pow)\(",
    "cstdint": r"std::u?int(?:8|16|32|64|ptr)_t",
    "cstring": r"std::(?:mem\w+|str(?:len|cmp|ncmp|error|chr|rchr|str))\(",
    "functional": r"std::function<",
    "initializer_list": r"std::initializer_list",
    "limits": r"std::numeric_limits",
    "map": r"std::(?:multi)?map<",
    "memory": r"std::(?:unique_ptr|shared_ptr|weak_ptr|make_unique|make_shared)<",
    "numeric": r"std::(?:accumulate|iota|reduce|gcd)\(",
    "optional": r"std::(?:optional<|nullopt)",
    "set": r"std::(?:multi)?set<",
    "span": r"std::span<",
    "sstream": r"std::[io]?stringstream",
    "string": r"std::(?:string\b|to_string\()",
    "string_view": r"std::string_view\b",
    "thread": r"std::(?:jthread|thread)\b",
    "tuple": r"std::(?:tuple<|tie\()",
    "unordered_map": r"std::unordered_map<",
    "unordered_set": r"std::unordered_set<",
    "variant": r"std::(?:variant<|visit\()",
    "vector": r"std::vector<",
}


def test_names_have_their_headers():
    texts = {path: path.read_text() for folder in (*rooms.TOPS, "tests")
             for path in sorted((ROOT / folder).rglob("*.[ch]pp"))}
    includes = {path: re.findall(r'^#include [<"]([^>"]+)', text, re.M) for path, text in texts.items()}

    @functools.cache
    def reached(path):
        found, left = set(), [path]
        while left:
            here = left.pop()
            for include in includes.get(here, ()):
                found.add(include)
                for target in (ROOT / include, here.parent / include):
                    if target in texts and target not in found:
                        found.add(target)
                        left.append(target)
        return found

    wrong = [f"{path.relative_to(ROOT)} lacks <{header}> for {used.group()}"
             for path, text in texts.items() for header, name in NAMES.items()
             if (used := re.search(name, re.sub("//.*", "", text))) and header not in reached(path)]
    assert not wrong, "\n".join(wrong)
