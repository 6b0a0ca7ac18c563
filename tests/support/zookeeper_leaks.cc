// Linked into programs that use libzookeeper_mt: it forgets the answer that comes in
// just when its session is closed, which LeakSanitizer would tell of.

extern "C" {

const char* __lsan_default_suppressions();  // NOLINT: these are its names
const char* __lsan_default_options();       // NOLINT

const char* __lsan_default_suppressions() { return "leak:libzookeeper_mt"; }  // NOLINT
const char* __lsan_default_options() { return "print_suppressions=0"; }       // NOLINT
}
