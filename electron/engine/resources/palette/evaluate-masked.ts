import { createInvalidError } from '../../../../shared/errors.ts'
import { type Json, readJson } from '../../../../shared/json.ts'
import { createPermissionError } from '../../access/access.ts'
import { createEvaluationBudget, MAX_VALUE, measureSize } from '../../expressions/bounds.ts'
import { splitAtExpressions } from '../../expressions/split-at-expressions.ts'
import { compileExpression, evaluateWithin, withErrorPath } from '../../expressions/template.ts'
import { formatValue } from '../../expressions/value.ts'
import type { Context } from '../../pipeline/context.ts'
import { getStoredSize } from '../tokens/read/answer-budget.ts'
import { toToken } from '../tokens/read/present.ts'
import { findToken, type TokenRow } from '../tokens/store.ts'
import { decideView, type Viewer } from './viewer.ts'

const PATH = 'expression'
/** The maximum number of expressions in one text. */
const MAX_EXPRESSIONS = 20
/** The maximum stored size of the tokens that one text names, in bytes (rule R-03). */
const MAX_TOKEN_BYTES = 128 * 1024

/** A part of the text between `{{` and `}}`: what it evaluates, and the data of the token that it names. */
type Part = { readonly source: string; readonly data: Json; readonly isToken: boolean }

/**
 * Evaluates `{{ "4242" | last4 }}`, or the same without braces. `{{ <id> }}` and `{{ token: <id> }}` stand for a token,
 * as in rule O-02. SECURITY: for what its mask shows. Throws `invalid` for what cannot be evaluated, and `forbidden`
 * for a token that the viewer may not read.
 */
export function evaluateMasked(
  context: Context,
  viewer: Viewer,
  typed: string,
): { readonly result: Json; readonly isMasked: boolean } {
  const text = typed.includes('{{') ? typed : `{{ ${typed} }}`
  let expressions = 0
  let bytes = 0
  const readRow = (id: string) => {
    const row = /\s/.test(id) ? undefined : findToken(context.db, id, context.now)
    bytes += row ? getStoredSize(row) : 0
    if (bytes > MAX_TOKEN_BYTES) {
      const kib = MAX_TOKEN_BYTES / 1024
      throw createInvalidError(PATH, `names more than ${kib} KiB of tokens; open them in Tokens instead`)
    }
    return row
  }
  const parts = splitAtExpressions(text, PATH, (inner) => {
    if (++expressions > MAX_EXPRESSIONS)
      throw createInvalidError(PATH, `must have at most ${MAX_EXPRESSIONS} parts`)
    return readPart(context, viewer, inner, readRow)
  })
  const budget = createEvaluationBudget(context.work)
  let size = 0
  const results = parts.map((part): Json => {
    if (typeof part === 'string') return part
    const { source, data } = part
    const result = withErrorPath(
      () => PATH,
      () => evaluateWithin(budget, compileExpression(context.work, source, ''), { data }),
    )
    size += measureSize(result, MAX_VALUE)
    if (size > MAX_VALUE) throw createInvalidError(PATH, 'makes a value that is too long')
    return result
  })
  const [only = null] = results
  return {
    result: results.length === 1 ? only : results.map(formatValue).join(''),
    isMasked: parts.some((part) => typeof part !== 'string' && part.isToken),
  }
}

function readPart(
  context: Context,
  viewer: Viewer,
  inner: string,
  readRow: (id: string) => TokenRow | undefined,
): Part {
  // An id cannot contain `|`, so the first one starts the filters.
  const bar = inner.indexOf('|')
  const reference = (bar < 0 ? inner : inner.slice(0, bar)).trim()
  const [, prefix, id = reference] = /^(token\s*:)\s*(\S+)$/.exec(reference) ?? []
  const row = readRow(id)
  if (!row) {
    if (prefix !== undefined || /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id))
      throw createInvalidError(PATH, 'names a token that does not exist')
    return { source: `{{${inner}}}`, data: null, isToken: false }
  }
  const view = decideView(viewer, row)
  if (view === null) throw createPermissionError(['token:read'])
  const token = toToken(context, row, view)
  const filters = bar < 0 ? '' : inner.slice(bar)
  return {
    source: `{{ data ${filters}}}`,
    data: prefix === undefined ? (token.data ?? null) : readJson(JSON.stringify(token)),
    isToken: true,
  }
}
