// Throws an exception through frames with clean-ups, between two breakpoints.
#include <stdexcept>
#include <string>

namespace {

volatile int g_sum;

struct Cleanup {
  ~Cleanup() { g_sum = g_sum + 1; }
};

__attribute__((noinline, noclone)) int descend(int depth) {
  const Cleanup cleanup;
  volatile int local[3] = {depth};
  if (depth == 0) throw std::runtime_error(std::string(20, 'x'));
  return descend(depth - 1) + local[0];
}

}  // namespace

int main() {
  __asm__ volatile("int3");
  try {
    descend(2);
  } catch (const std::exception& error) {
    g_sum = g_sum + error.what()[0];
  }
  __asm__ volatile("int3");
  return 0;
}
