/** Formats epoch milliseconds in the format of the API: ISO 8601, UTC, milliseconds, numeric offset (rule A-13). */
export function formatIsoTime(ms: number): string {
  return new Date(ms).toISOString().replace('Z', '+00:00')
}

/** Formats epoch milliseconds in the format of events: ISO 8601, `Z`, milliseconds (rule W-01). */
export function formatEventTime(ms: number): string {
  return new Date(ms).toISOString()
}
