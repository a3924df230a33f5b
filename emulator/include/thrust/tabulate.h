#pragma once

// In place of Thrust's header of this name.

#include "gemmlab_thrust.h"
