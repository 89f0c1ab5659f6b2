import type { Json } from '../../../../shared/json.ts'

export type ExampleGroup = 'masking' | 'aliasing' | 'text' | 'number' | 'array' | 'json' | 'hash' | 'date'

/** One use of a filter: the result of `expression` for `data`. */
export type Example = {
  readonly filter: string
  readonly kind: ExampleGroup
  readonly signature: string
  readonly description: string
  readonly expression: string
  readonly data: Json
  /** The result; `random` if it differs each time, in which case it matches the regular expression `like`. */
  readonly result: Json | 'random'
  readonly like?: string
}

type ExampleCase = readonly [expression: string, data: Json, result: Json | 'random', like?: string]

type FilterExamples = readonly [signature: string, description: string, ...cases: ExampleCase[]]

/** Creates the examples of the filters of a group. */
export function createExamples(kind: ExampleGroup, ...filters: FilterExamples[]): Example[] {
  return filters.flatMap(([signature, description, ...cases]) => {
    const filter = signature.replace(/:.*$/, '')
    return cases.map(([expression, data, result, like]) => ({
      ...{ filter, kind, signature, description, expression, data, result },
      ...(like !== undefined && { like }),
    }))
  })
}
