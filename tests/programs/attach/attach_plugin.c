// Loaded by attach_server after prof has attached.
#include <sched.h>

int plugin_calls(int count) {
  for (int i = 0; i < count; ++i) sched_yield();
  return count;
}
