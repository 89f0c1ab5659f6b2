/** The `.env` lines that point a program at the listener. The key is empty if it is unknown. */
export function formatEnvLines(url: string, key = ''): string {
  return `COFFER_BASE_URL=${url}\nCOFFER_API_KEY=${key}`
}
