// The signatures of opengl.def: for each the parameters, their types, and the arguments. Types and
// arguments begin with the comma after those before them.
#pragma once

#define PARAMETERS_W0
#define PARAMETERS_W1 W a
#define PARAMETERS_W2 W a, W b
#define PARAMETERS_W3 W a, W b, W c
#define PARAMETERS_W4 W a, W b, W c, W d
#define PARAMETERS_W5 W a, W b, W c, W d, W e
#define PARAMETERS_W6 W a, W b, W c, W d, W e, W f
#define PARAMETERS_W7 W a, W b, W c, W d, W e, W f, W g
#define PARAMETERS_W8 W a, W b, W c, W d, W e, W f, W g, W h
#define PARAMETERS_W11 W a, W b, W c, W d, W e, W f, W g, W h, W i, W j, W k
#define PARAMETERS_F1 F a
#define PARAMETERS_F4 F a, F b, F c, F d
#define PARAMETERS_F5 F a, F b, F c, F d, F e
#define PARAMETERS_D1 D a
#define PARAMETERS_WWFW W a, W b, F c, W d
#define PARAMETERS_WWWFW W a, W b, W c, F d, W e
#define PARAMETERS_W2F9 W a, W b, F c, F d, F e, F f, F g, F h, F i, F j, F k

#define TYPES_W0
#define TYPES_W1 , W
#define TYPES_W2 , W, W
#define TYPES_W3 , W, W, W
#define TYPES_W4 , W, W, W, W
#define TYPES_W5 , W, W, W, W, W
#define TYPES_W6 , W, W, W, W, W, W
#define TYPES_W7 , W, W, W, W, W, W, W
#define TYPES_W8 , W, W, W, W, W, W, W, W
#define TYPES_W11 , W, W, W, W, W, W, W, W, W, W, W
#define TYPES_F1 , F
#define TYPES_F4 , F, F, F, F
#define TYPES_F5 , F, F, F, F, F
#define TYPES_D1 , D
#define TYPES_WWFW , W, W, F, W
#define TYPES_WWWFW , W, W, W, F, W
#define TYPES_W2F9 , W, W, F, F, F, F, F, F, F, F, F

#define ARGUMENTS_W0
#define ARGUMENTS_W1 , a
#define ARGUMENTS_W2 , a, b
#define ARGUMENTS_W3 , a, b, c
#define ARGUMENTS_W4 , a, b, c, d
#define ARGUMENTS_W5 , a, b, c, d, e
#define ARGUMENTS_W6 , a, b, c, d, e, f
#define ARGUMENTS_W7 , a, b, c, d, e, f, g
#define ARGUMENTS_W8 , a, b, c, d, e, f, g, h
#define ARGUMENTS_W11 , a, b, c, d, e, f, g, h, i, j, k
#define ARGUMENTS_F1 , a
#define ARGUMENTS_F4 , a, b, c, d
#define ARGUMENTS_F5 , a, b, c, d, e
#define ARGUMENTS_D1 , a
#define ARGUMENTS_WWFW , a, b, c, d
#define ARGUMENTS_WWWFW , a, b, c, d, e
#define ARGUMENTS_W2F9 , a, b, c, d, e, f, g, h, i, j, k
