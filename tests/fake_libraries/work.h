#pragma once

// Calls every function of the stand-ins `rounds` times. Returns the number of wrong answers.
int work(int rounds);

// Prints the number of calls of each function for that many rounds in all, as one JSON object by
// library.
void print_answer(int rounds, int wrong);

int run(void);
