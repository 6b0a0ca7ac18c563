// base/annotations.h - macros for clang's thread-safety analysis.

#pragma once

#if defined(__clang__)
#define HOLDFAST_TSA(x) __attribute__((x))
#else
#define HOLDFAST_TSA(x)
#endif

#define HOLDFAST_CAPABILITY(x) HOLDFAST_TSA(capability(x))
#define HOLDFAST_SCOPED_CAPABILITY HOLDFAST_TSA(scoped_lockable)
#define HOLDFAST_GUARDED_BY(x) HOLDFAST_TSA(guarded_by(x))
#define HOLDFAST_REQUIRES(...) HOLDFAST_TSA(requires_capability(__VA_ARGS__))
#define HOLDFAST_EXCLUDES(...) HOLDFAST_TSA(locks_excluded(__VA_ARGS__))
#define HOLDFAST_ACQUIRE(...) HOLDFAST_TSA(acquire_capability(__VA_ARGS__))
#define HOLDFAST_RELEASE(...) HOLDFAST_TSA(release_capability(__VA_ARGS__))
