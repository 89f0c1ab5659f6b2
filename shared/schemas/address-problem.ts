const loopback = /^(localhost|(.+\.)?localhost|127(\.\d+){3}|\[::1\])$/

/**
 * Checks a URL that Coffer will call, with any path (rules G-01, G-03, W-01). Returns the problem, if any, worded to
 * follow the name of the URL's field. `isLoopback` says whether the URL is on this machine, where `http:` is allowed
 * too.
 */
export function checkAddress(text: string): { readonly problem?: string; readonly isLoopback: boolean } {
  const problem = findFormProblem(text)
  if (problem !== undefined) return toRejection(problem)
  const url = new URL(text)
  if (loopback.test(url.hostname)) return { isLoopback: true }
  return url.protocol === 'http:'
    ? toRejection('must be an https: URL; http: is allowed only for this machine')
    : { isLoopback: false }
}

/** Returns why a path and a query cannot be added to a URL (rule G-04), or undefined if they can. */
export function findBaseProblem(text: string): string | undefined {
  // The properties of a URL do not show an empty fragment.
  return findFormProblem(text) ?? (text.includes('#') ? 'must not contain a fragment' : undefined)
}

function findFormProblem(text: string): string | undefined {
  // The URL parser silently drops these characters, so they are checked before parsing.
  if (/[\p{Cc} ]/u.test(text)) return 'must not contain spaces or line breaks'
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (url?.protocol !== 'https:' && url?.protocol !== 'http:') return 'must be an https: URL'
  return url.username || url.password ? 'must not contain a user or a password' : undefined
}

function toRejection(problem: string) {
  return { problem, isLoopback: false }
}
