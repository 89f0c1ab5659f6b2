/** The only channels between window and main process. */
export const channels = {
  operation: 'coffer:operation',
  host: 'coffer:host',
  event: 'coffer:event',
} as const

/** What tells host commands from operations by their name. */
export const hostPrefix = 'host.'
