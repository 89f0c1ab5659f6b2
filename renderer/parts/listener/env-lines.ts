/** The `.env` lines that point a program at the listener; the key is empty if unknown. */
export function envLines(url: string, key = ''): string {
  return `COFFER_BASE_URL=${url}\nCOFFER_API_KEY=${key}`
}
