/** The most bytes of JSON text that a run may answer with. */
export const MAX_ANSWER_BYTES = 2 * 1024 * 1024
/** The most characters of an error with all it says, and of the headers of an answer, as JSON text. */
export const MAX_HEAD_LENGTH = 64 * 1024
/** How much of what a run prints is kept. */
export const MAX_CONSOLE_BYTES = 64 * 1024
/** The most characters that a process may say at a time, but for the text of an answer. */
export const MAX_MESSAGE_LENGTH = 8 * MAX_CONSOLE_BYTES
/** The most that a process may write for one run: an answer as a JSON string, and a console of single letters. */
export const MAX_OUTPUT_BYTES = 2 * MAX_ANSWER_BYTES + 128 * MAX_CONSOLE_BYTES
/** The largest heap of a process. */
export const MAX_HEAP_MIB = 256
/** The most memory a process may write to, buffers included; held on Linux. */
export const MAX_DATA_KIB = 1024 * 1024
/** Seconds of processor time after which the system ends a process, whoever still knows it. */
export const MAX_CPU_SECONDS = 900
/** The most files and connections a process may have open. */
export const MAX_DESCRIPTORS = 256
/** How long a process may take to start, on a machine with other things to do. */
export const START_TIMEOUT_MS = 20_000
