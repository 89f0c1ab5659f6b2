import type { FastifyRequest } from 'fastify'
import { CofferError } from '../../shared/errors.ts'

type KnownRoute = {
  readonly methods: readonly string[]
  readonly url: string
  readonly parts: readonly string[]
}

/** The methods that each path allows, for 404, 405 and the `Allow` header (rule A-04). */
export class AllowedMethods {
  readonly #routes: KnownRoute[] = []

  /** Adds a route; `url` uses Fastify's syntax: `/tokens/:id`. */
  addRoute(method: string | readonly string[], url: string): void {
    this.#routes.push({ methods: [method].flat(), url, parts: url.split('/') })
  }

  /** Returns the methods that can succeed at a path; empty if the path does not exist. */
  #listMethodsAt(path: string): string[] {
    const segments = path
      .replace(/(?<=.)\/$/, '')
      .split('/')
      .map(decodeSegment)
    // A wildcard matches every longer path that can be decoded.
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
    // A fixed path such as /applications/key excludes /applications/:id, because `key` cannot be the id of an
    // application. The id of a token, however, can be any word.
    const possible =
      fixed.length === 0
        ? matching
        : matching.filter(({ url }) => !url.includes(':') || url.startsWith('/tokens/'))
    return [...new Set(possible.flatMap(({ methods }) => methods))].sort()
  }

  createErrorAt(path: string): CofferError {
    const methods = this.#listMethodsAt(path)
    if (methods.length === 0) return new CofferError('not_found', 'This path does not exist.')
    return new CofferError('method_not_allowed', `This path allows only ${methods.join(', ')}.`, {
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

export function getRawPath({ raw }: FastifyRequest): string {
  return (raw.url ?? '').split('?', 1)[0] as string
}
