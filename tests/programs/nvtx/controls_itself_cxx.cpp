#include "controls_itself.c"
