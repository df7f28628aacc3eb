// memory_habits allocates|reuses: builds many texts, each in new memory or all in the same memory.
// Both ways print the same sum.
#include <cstddef>
#include <cstdio>
#include <cstring>
#include <string>
#include <vector>

namespace {

constexpr int kRounds = 60000;
constexpr std::size_t kTexts = 40;

// Fills a text and adds up what it says.
__attribute__((noinline)) unsigned fill(char* text, std::size_t size, int number) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < size; ++i) {
    text[i] = static_cast<char>('a' + (static_cast<std::size_t>(number) + i) % 26);
    sum += static_cast<unsigned char>(text[i]);
  }
  return sum;
}

std::size_t size_of(std::size_t text) { return 24 + text % 17; }

// Takes memory for each text of each round, and gives it back.
__attribute__((noinline)) unsigned in_new_memory(int round) {
  unsigned sum = 0;
  std::vector<char*> texts;
  for (std::size_t i = 0; i < kTexts; ++i) {
    texts.push_back(new char[size_of(i)]);
    sum += fill(texts.back(), size_of(i), round);
  }
  for (char* each : texts) delete[] each;
  return sum;
}

__attribute__((noinline)) unsigned in_the_same_memory(int round, std::string& text) {
  unsigned sum = 0;
  for (std::size_t i = 0; i < kTexts; ++i) sum += fill(text.data(), size_of(i), round);
  return sum;
}

}  // namespace

int main(int count, char** arguments) {
  const bool allocates = count > 1 && std::strcmp(arguments[1], "allocates") == 0;
  unsigned sum = 0;
  std::string text(64, ' ');
  for (int round = 0; round < kRounds; ++round)
    sum += allocates ? in_new_memory(round) : in_the_same_memory(round, text);
  std::printf("%u\n", sum);
  return 0;
}
