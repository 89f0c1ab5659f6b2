import type { Json } from '../../../../shared/json.ts'

export type Kind = 'masking' | 'aliasing' | 'text' | 'number' | 'array' | 'json' | 'hash' | 'date'

/** One use of a filter: what `expression` gives for `data`. */
export type Example = {
  readonly filter: string
  readonly kind: Kind
  readonly signature: string
  readonly description: string
  readonly expression: string
  readonly data: Json
  /** What it gives; `random` where it differs each time, and then `like` is a regular expression it matches. */
  readonly result: Json | 'random'
  readonly like?: string
}

type Case = readonly [expression: string, data: Json, result: Json | 'random', like?: string]

/** The examples of one filter, told once. */
export function examplesOf(kind: Kind, signature: string, description: string, ...cases: Case[]): Example[] {
  const filter = signature.replace(/:.*$/, '')
  return cases.map(([expression, data, result, like]) => ({
    ...{ filter, kind, signature, description, expression, data, result },
    ...(like !== undefined && { like }),
  }))
}
