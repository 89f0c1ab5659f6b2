import { z } from '../zod.ts'
import {
  optionalField,
  page,
  pageMember,
  repeatable,
  size,
  sizeMember,
  start,
  unusedStart,
} from './common.ts'
import { metadataPairs } from './token-list.ts'

const query = optionalField(z.string().max(10_000))

/** The query of List Tokens v1 (rule L-06). */
export const tokenListV1Query = z.strictObject({
  id: repeatable.describe('Only these tokens; may be repeated'),
  metadata: metadataPairs,
  page,
  size,
  start: unusedStart,
})

/** The body of Search Tokens v1 (rule L-07). */
export const tokenSearchV1 = z.strictObject({
  query: query.describe('`id:…`, `data:…`, or `metadata.<key>:…` terms joined by AND'),
  page: pageMember.transform((value) => value ?? 1),
  size: sizeMember.transform((value) => value ?? 20),
})

/** The body of Search Tokens v2 (rule L-08). */
export const tokenSearch = z.strictObject({
  query: query.describe(
    '`type:…`, `fingerprint:…`, `metadata.<key>:…` or `data:…`, optionally with `AND container:"/…/"`',
  ),
  start: start.nullable().transform((value) => value ?? undefined),
  size: sizeMember.transform((value) => value ?? 20),
})
