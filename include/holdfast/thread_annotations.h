// SPDX-License-Identifier: Apache-2.0

// holdfast/thread_annotations.h - clang's thread-safety analysis for Holdfast's locks.
//
//   class Ledger {
//     holdfast::Mutex mutex_;
//     int sum_ HOLDFAST_GUARDED_BY(mutex_) = 0;
//
//    public:
//     void add(int by) {
//       holdfast::LockGuard guard(mutex_);        // holdfast/lock_guard.h
//       sum_ += by;
//     }
//   };
//
// With -Wthread-safety, clang then warns where `sum_` is used without the lock. The
// macros expand to nothing for other compilers. The analysis sees what one function
// does with one object: it knows nothing of leases that are lost, of other objects of
// the same name, or of a `Hold`. It knows LockGuard and SharedLockGuard, but not
// std::scoped_lock of libstdc++, which has no annotations. It warns about a second
// lock() of one RecursiveMutex in one function, although that is allowed: lock it again
// in a function of its own that the first one calls.

#pragma once

#include "holdfast/export.h"

#if defined(__clang__)
#define HOLDFAST_TSA(x) __attribute__((x))
#else
#define HOLDFAST_TSA(x)
#endif

// For data: the lock that has to be held where the data is used.
#define HOLDFAST_GUARDED_BY(x) HOLDFAST_TSA(guarded_by(x))
#define HOLDFAST_PT_GUARDED_BY(x) HOLDFAST_TSA(pt_guarded_by(x))

// For functions: the locks that the caller has to hold, or must not hold.
#define HOLDFAST_REQUIRES(...) HOLDFAST_TSA(requires_capability(__VA_ARGS__))
#define HOLDFAST_REQUIRES_SHARED(...) \
  HOLDFAST_TSA(requires_shared_capability(__VA_ARGS__))
#define HOLDFAST_EXCLUDES(...) HOLDFAST_TSA(locks_excluded(__VA_ARGS__))

// For locks, guards and functions that take or release a lock for their caller.
#define HOLDFAST_CAPABILITY(x) HOLDFAST_TSA(capability(x))
#define HOLDFAST_SCOPED_CAPABILITY HOLDFAST_TSA(scoped_lockable)
#define HOLDFAST_ACQUIRE(...) HOLDFAST_TSA(acquire_capability(__VA_ARGS__))
#define HOLDFAST_ACQUIRE_SHARED(...) \
  HOLDFAST_TSA(acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE(...) HOLDFAST_TSA(try_acquire_capability(__VA_ARGS__))
#define HOLDFAST_TRY_ACQUIRE_SHARED(...) \
  HOLDFAST_TSA(try_acquire_shared_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE(...) HOLDFAST_TSA(release_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE_SHARED(...) \
  HOLDFAST_TSA(release_shared_capability(__VA_ARGS__))

// For a function that does what the analysis cannot follow.
#define HOLDFAST_NO_THREAD_SAFETY_ANALYSIS HOLDFAST_TSA(no_thread_safety_analysis)
