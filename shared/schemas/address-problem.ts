const loopback = /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Why the owner may not store an address as one that Coffer calls, whatever its path (rules G-01, G-03, W-01): what it
 * must not be, or undefined. `isLoopback` says whether it is on this machine, where `http:` may be called too.
 */
export function checkAddress(text: string): { readonly problem?: string; readonly isLoopback: boolean } {
  const problem = findFormProblem(text)
  if (problem !== undefined) return toRejection(problem)
  const url = new URL(text)
  if (loopback.test(url.hostname)) return { isLoopback: true }
  return url.protocol === 'http:'
    ? toRejection('must be an https: address; http: is for this machine alone')
    : { isLoopback: false }
}

/** Why a path cannot be appended to an address to call the result, wherever that is (rule G-04), or undefined. */
export function findBaseProblem(text: string): string | undefined {
  // A query or a fragment that is empty is in none of the parts of a URL.
  return findFormProblem(text) ?? (/[?#]/.test(text) ? 'must not contain a query or a fragment' : undefined)
}

function findFormProblem(text: string): string | undefined {
  // The parser of URLs leaves these out without a word.
  if (/[\p{Cc} ]/u.test(text)) return 'must not contain spaces or line breaks'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be an https: address'
  return url.username || url.password ? 'must not contain a user or a password' : undefined
}

function toRejection(problem: string) {
  return { problem, isLoopback: false }
}
