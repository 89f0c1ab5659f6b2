import { aliasing } from './examples/aliasing.ts'
import { array } from './examples/array.ts'
import { date } from './examples/date.ts'
import type { Example } from './examples/example.ts'
import { hash } from './examples/hash.ts'
import { json } from './examples/json.ts'
import { masking } from './examples/masking.ts'
import { number } from './examples/number.ts'
import { text } from './examples/text.ts'

/** An example of every filter (rule E-02). Tests run them; docs/expressions.md and the window show them. */
export const examples: readonly Example[] = [
  ...[...masking, ...aliasing, ...json, ...hash],
  ...[...text, ...number, ...array, ...date],
]
