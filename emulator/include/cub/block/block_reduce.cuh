#pragma once

// In place of CUB's header of this name.

#include "../cub.cuh"
