// Linked into programs that use libzookeeper_mt: it forgets the answer that comes in
// just when its session is closed, which LeakSanitizer would tell of.

extern "C" const char* __lsan_default_suppressions();  // NOLINT: its name

extern "C" const char* __lsan_default_suppressions() {  // NOLINT
  return "leak:libzookeeper_mt";
}
