// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// What the CUDA samples include for timers, flags, files and comparing arrays. A stand-in, used when the program does
// not bring its own.
#pragma once

#include <assert.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <algorithm>
#include <fstream>
#include <iostream>
#include <string>
#include <vector>

#include "helper_image.h"
#include "helper_string.h"
#include "helper_timer.h"
