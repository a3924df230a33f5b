#pragma once

#include <algorithm>
#include <cmath>

inline int min(int a, int b) { return a < b ? a : b; }
inline int max(int a, int b) { return a < b ? b : a; }
inline float __fmaf_rn(float a, float b, float c) { return std::fma(a, b, c); }
using std::fma;
