import {
  paletteAnswer,
  paletteExpression,
  paletteQuery,
  paletteResult,
} from '../../../../shared/schemas/palette.ts'
import { defineOperation } from '../../pipeline/operation.ts'
import { evaluateMasked } from './evaluate-masked.ts'
import { findHits } from './find-hits.ts'
import { findTokenHits } from './find-token-hits.ts'
import { findViewer } from './viewer.ts'

// SECURITY: what is typed in the palette may be a key or a card number. Both operations are the owner's reads, which
// are not logged, and neither repeats the text in an error.

export const search = defineOperation({
  summary: 'Find what a typed text names, in every resource, as the palette shows it',
  entity: 'vault',
  input: paletteQuery,
  output: paletteAnswer,
  handler(context, { text, as, start }) {
    const viewer = findViewer(context, as)
    const { next, ...tokens } = findTokenHits(context, viewer, text, start)
    const others = start === undefined ? findHits(context, viewer, text) : []
    return { groups: [tokens, ...others].filter(({ hits }) => hits.length > 0), next }
  },
})

export const evaluate = defineOperation({
  summary: 'Evaluate an expression, in which a token stands for its masked data; nothing is stored',
  entity: 'vault',
  input: paletteExpression,
  output: paletteResult,
  handler(context, { expression, as }) {
    const { result, isMasked } = evaluateMasked(context, findViewer(context, as), expression)
    return { result, is_masked: isMasked }
  },
})
