/** The only channels between window and main process. */
export const channels = { call: 'coffer:call', event: 'coffer:event' } as const
