// Regular expressions that users write.
#pragma once

#include <regex.h>

#include <memory>
#include <string>

#include "common/base/result.hpp"

namespace prof::base {

// An extended expression of POSIX; upper and lower case are the same. Unlike that of std::regex,
// its stack does not grow with the text.
class RegularExpression {
 public:
  // Fails if the expression is wrong, or would need memory or time without limit.
  static Result<RegularExpression> make(const std::string& pattern);

  // True if a part of the text matches.
  bool matches(const std::string& text) const {
    return regexec(compiled_.get(), text.c_str(), 0, nullptr, 0) == 0;
  }

 private:
  struct Free {
    void operator()(regex_t* compiled) const {
      regfree(compiled);
      delete compiled;
    }
  };
  std::unique_ptr<regex_t, Free> compiled_;
};

}  // namespace prof::base
