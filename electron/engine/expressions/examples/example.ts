import type { Json } from '../../../../shared/json.ts'

export type Kind = 'masking' | 'aliasing' | 'text' | 'number' | 'array' | 'json' | 'hash' | 'date'

/** One use of a filter: the result of `expression` for `data`. */
export type Example = {
  readonly filter: string
  readonly kind: Kind
  readonly signature: string
  readonly description: string
  readonly expression: string
  readonly data: Json
  /** The result; `random` if it differs each time, and then it matches the regular expression `like`. */
  readonly result: Json | 'random'
  readonly like?: string
}

type Case = readonly [expression: string, data: Json, result: Json | 'random', like?: string]

/** The examples of one filter. */
export function examplesOf(kind: Kind, signature: string, description: string, ...cases: Case[]): Example[] {
  const filter = signature.replace(/:.*$/, '')
  return cases.map(([expression, data, result, like]) => ({
    ...{ filter, kind, signature, description, expression, data, result },
    ...(like !== undefined && { like }),
  }))
}
