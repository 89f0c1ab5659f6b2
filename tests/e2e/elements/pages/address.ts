/** The options that point a package that takes addresses to Coffer. */
export function readAddress(): { apiBaseUrl: string; elementsClientUrl?: string } {
  const url = document.querySelector<HTMLMetaElement>('meta[name="coffer"]')?.content ?? ''
  return {
    // What has no element in it goes to the interface by the package's own client, which calls by http only localhost.
    apiBaseUrl: url.replace('127.0.0.1', 'localhost'),
    ...(!('BasisTheoryElements' in window) && { elementsClientUrl: `${url}/elements.js` }),
  }
}
