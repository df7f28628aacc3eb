// A library that a program loads. It calls a function of the program.
int call_back(int (*function)(int), int value);
int call_back(int (*function)(int), int value) {
  volatile int local[20] = {value};
  return function(local[0]) + local[1];
}
