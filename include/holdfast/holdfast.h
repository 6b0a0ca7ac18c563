// holdfast/holdfast.h - all of it. Each header also stands alone.

#pragma once

#include "holdfast/client.h"
#include "holdfast/clock.h"
#include "holdfast/fence.h"
#include "holdfast/hold.h"
#include "holdfast/lease.h"
#include "holdfast/log.h"
#include "holdfast/metrics.h"
#include "holdfast/mutex.h"
#include "holdfast/names.h"
#include "holdfast/recursive_mutex.h"
#include "holdfast/result.h"
#include "holdfast/timeout.h"
