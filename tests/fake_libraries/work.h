#pragma once

// Calls every function of the stand-ins `rounds` times; returns how many answers were wrong.
int work(int rounds);

// Prints how many calls of each function that makes, as one JSON object by library; `rounds` is the
// number of all of them.
void print_answer(int rounds, int wrong);

int run(void);
