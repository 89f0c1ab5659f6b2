/** Returns the options with which a package uses Coffer instead of the hosted service. */
export function readAddress(): { apiBaseUrl: string; elementsClientUrl?: string } {
  const url = document.querySelector<HTMLMetaElement>('meta[name="coffer"]')?.content ?? ''
  return {
    // Calls without elements go through the package's own client, which allows plain http only for localhost.
    apiBaseUrl: url.replace('127.0.0.1', 'localhost'),
    ...(!('BasisTheoryElements' in window) && { elementsClientUrl: `${url}/elements.js` }),
  }
}
