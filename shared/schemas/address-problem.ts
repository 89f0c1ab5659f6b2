const loopback = /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Why the owner may not store an address as one that Coffer calls, whatever its path (rules G-01, G-03, W-01): what it
 * must not be, or undefined. `isLoopback` says whether it is on this machine, where `http:` may be called too.
 */
export function addressProblem(text: string): { readonly problem?: string; readonly isLoopback: boolean } {
  // The parser of URLs leaves these out without a word.
  if (/[\p{Cc} ]/u.test(text)) return refused('must not contain spaces or line breaks')
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return refused('must be an https: address')
  if (url.username || url.password) return refused('must not contain a user or a password')
  if (loopback.test(url.hostname)) return { isLoopback: true }
  return url.protocol === 'http:'
    ? refused('must be an https: address; http: is for this machine alone')
    : { isLoopback: false }
}

function refused(problem: string) {
  return { problem, isLoopback: false }
}
