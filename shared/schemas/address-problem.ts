const loopback = /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Checks an address that Coffer is to call, whatever its path (rules G-01, G-03, W-01). Returns what the address must
 * not be, if anything. `isLoopback` says whether it is on this machine, where `http:` is allowed too.
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

/** Returns why a path cannot be appended to an address (rule G-04), or undefined. */
export function findBaseProblem(text: string): string | undefined {
  // The properties of a URL do not show an empty query or fragment.
  return findFormProblem(text) ?? (/[?#]/.test(text) ? 'must not contain a query or a fragment' : undefined)
}

function findFormProblem(text: string): string | undefined {
  // The URL parser silently drops these characters.
  if (/[\p{Cc} ]/u.test(text)) return 'must not contain spaces or line breaks'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be an https: address'
  return url.username || url.password ? 'must not contain a user or a password' : undefined
}

function toRejection(problem: string) {
  return { problem, isLoopback: false }
}
