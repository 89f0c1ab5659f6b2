import { CofferError } from '../../shared/errors.ts'

type KnownRoute = {
  readonly methods: readonly string[]
  readonly url: string
  readonly parts: readonly string[]
}

/** Which methods each path of a listener takes, for 404, 405 and `Allow` (rule A-04). */
export class AllowedMethods {
  readonly #routes: KnownRoute[] = []

  /** Notes a route; `url` is spelled as Fastify has it: `/tokens/:id`. */
  addRoute(method: string | readonly string[], url: string): void {
    this.#routes.push({ methods: [method].flat(), url, parts: url.split('/') })
  }

  /** The methods that can succeed at the path of a request; none if there is no such path. */
  #methodsAt(path: string): string[] {
    const segments = path
      .replace(/(?<=.)\/$/, '')
      .split('/')
      .map(decodeSegment)
    // A wildcard takes whatever can be decoded.
    const matchesLength = (parts: readonly string[]) =>
      parts.length === segments.length || (parts.at(-1) === '*' && segments.length > parts.length)
    const matching = this.#routes.filter(
      ({ parts }) =>
        matchesLength(parts) &&
        parts.every((part, at) => {
          if (part === '*') return isDecodable(path)
          return part === segments[at] || (part.startsWith(':') && segments[at] !== '')
        }),
    )
    const fixed = matching.filter(({ url }) => !url.includes(':'))
    // `key` in /applications/key is the id of no application; only a token may have any word as its id.
    const possible =
      fixed.length === 0
        ? matching
        : matching.filter(({ url }) => !url.includes(':') || url.startsWith('/tokens/'))
    return [...new Set(possible.flatMap(({ methods }) => methods))].sort()
  }

  /** The refusal of a request that no route takes: 405, or 404 if there is no such path. */
  errorAt(path: string): CofferError {
    const methods = this.#methodsAt(path)
    if (methods.length === 0) return new CofferError('not_found', 'There is no such path.')
    return new CofferError('method_not_allowed', `This path answers to ${methods.join(', ')}.`, {
      headers: { Allow: methods.join(', ') },
    })
  }
}

function isDecodable(path: string): boolean {
  try {
    decodeURIComponent(path)
    return true
  } catch {
    return false
  }
}

function decodeSegment(segment: string): string {
  try {
    return decodeURIComponent(segment)
  } catch {
    return segment
  }
}
