/** The maximum length of a run's result, in bytes of JSON text. */
export const MAX_RESULT_BYTES = 2 * 1024 * 1024
/** The maximum length of an error with its details, or of the headers of a response, in characters of JSON text. */
export const MAX_HEAD_LENGTH = 64 * 1024
/** How much console output of a run is stored, in bytes. */
export const MAX_CONSOLE_BYTES = 64 * 1024
/** The maximum length of one message from a process, in characters, without the text of its result. */
export const MAX_MESSAGE_LENGTH = 8 * MAX_CONSOLE_BYTES
/**
 * The maximum output of a process in one run, in bytes: the result as a JSON string, and console output that the code
 * prints one character at a time.
 */
export const MAX_OUTPUT_BYTES = 2 * MAX_RESULT_BYTES + 128 * MAX_CONSOLE_BYTES
export const MAX_HEAP_MIB = 256
/** The maximum writable memory of a process, buffers included; enforced on Linux only. */
export const MAX_DATA_KIB = 1024 * 1024
/** Processor time in seconds after which the operating system ends a process, even if Coffer is no longer running. */
export const MAX_CPU_SECONDS = 900
/** The maximum number of files and connections that a process may have open. */
export const MAX_DESCRIPTORS = 256
/** How long a process may take to start; generous, for busy machines. */
export const START_TIMEOUT_MS = 20_000
