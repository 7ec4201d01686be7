/*===- runtime.h - The runtime's C interface
-------------------------------===*\
|* Load a plan file, give its arguments, run steps, take its results. All ranks
*|
|* of the plan are threads of this process. *|
|* *|
|* Functions return 0 or an exit code of the command line (2 bad input, 4 a *|
|* rank failed, 1 counts differ); partopt_last_error() then explains. A session
*|
|* is used by one thread at a time. Arrays are global, row-major, and stay the
*|
|* caller's; the runtime keeps no pointer to them. *|
\*===----------------------------------------------------------------------===*/

#ifndef PARTOPT_RT_RUNTIME_H
#define PARTOPT_RT_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct partopt_session partopt_session;

/** The last failure of this thread; valid until its next call. */
const char *partopt_last_error(void);

/** Loads and verifies a plan; `timeout_seconds` limits each collective, 0 for
    the default of 60. `*session` is the caller's, see partopt_session_free. */
int partopt_session_load(const char *plan_path, double timeout_seconds,
                         partopt_session **session);
void partopt_session_free(partopt_session *session);

/** Number of the entry of that name, or -1. */
int partopt_find_entry(const partopt_session *session, const char *name);

size_t partopt_num_arguments(const partopt_session *session, int entry);
size_t partopt_num_results(const partopt_session *session, int entry);

/** Name ("params['w0']"), bytes of the global array; NULL and 0 when out of
    range. Valid as long as the session. */
const char *partopt_argument_name(const partopt_session *session, int entry,
                                  size_t index);
const char *partopt_result_name(const partopt_session *session, int entry,
                                size_t index);
uint64_t partopt_argument_bytes(const partopt_session *session, int entry,
                                size_t index);
uint64_t partopt_result_bytes(const partopt_session *session, int entry,
                              size_t index);

/** Gives every rank its slice; `bytes` must be the array's size. */
int partopt_set_argument(partopt_session *session, int entry, size_t index,
                         const void *data, uint64_t bytes);
/** Gives arguments from a safetensors file, or "random:SEED". */
int partopt_set_inputs(partopt_session *session, int entry, const char *source);

/** Runs one step on all ranks. */
int partopt_step(partopt_session *session, int entry);

/** Collects a result as the last step left it. */
int partopt_get_result(partopt_session *session, int entry, size_t index,
                       void *data, uint64_t bytes);

/** Bytes that a rank has sent, and memory that it holds, since loading. */
uint64_t partopt_wire_bytes(const partopt_session *session, uint32_t rank);
uint64_t partopt_memory_bytes(const partopt_session *session, uint32_t rank);

/** Fails when counted bytes, collectives or memory are not the plan's. */
int partopt_check_counts(const partopt_session *session);

#ifdef __cplusplus
}
#endif

#endif /* PARTOPT_RT_RUNTIME_H */
