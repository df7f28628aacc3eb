// A library for a program to load: calls back.
int call_back(int (*function)(int), int value);
int call_back(int (*function)(int), int value) {
  volatile int local[20] = {value};
  return function(local[0]) + local[1];
}
