# Sourced by the scripts that run tests under AddressSanitizer and
# UndefinedBehaviorSanitizer.
# libMLIR and libLLVM are not instrumented, so containers that cross that border,
# and their bump allocators that headers poison here and the libraries use there,
# would be reported falsely; one-time allocations of LLVM are not leaks.
export ASAN_OPTIONS=detect_container_overflow=0:allow_user_poisoning=0:detect_leaks=0:${ASAN_OPTIONS:-}
export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1:${UBSAN_OPTIONS:-}
