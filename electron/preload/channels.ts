/** The only channels between window and main process. */
export const channels = {
  operation: 'coffer:operation',
  host: 'coffer:host',
  event: 'coffer:event',
} as const

/** The prefix that distinguishes host commands from operations. */
export const hostPrefix = 'host.'
