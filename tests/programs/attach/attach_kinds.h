// Kinds of programs that prof attaches to, in which nothing may be different afterwards.
#pragma once

#include <stddef.h>

struct kind {
  const char* name;
  void (*run)(void);
};
extern const struct kind kLimitedWaits[], kEndlessWaits[], kOthers[];  // up to one without a name

enum { kLimitMs = 300 };

// The test has written "ready" and lets the program go on; to be called when the kind is set up.
void say_ready(void);
// The test has closed the standard input.
int has_ended(void);
// Something is different. Printed with errno.
void complain(const char* what, long value);
double now_ms(void);
// A child process that does something when the test ends.
int at_the_end(void (*act)(void));
