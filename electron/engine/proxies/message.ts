import type { Json } from '../../../shared/json.ts'
import {
  type BodyFormat,
  decodeBody,
  detectBodyFormat,
  parseSegments,
  replaceExpressions,
} from './body-text.ts'
import type { ProxyExpression } from './expressions.ts'
import { findHeader, type Headers } from './headers.ts'
import { fillSegments } from './template-segments.ts'

/** A request or an answer on its way through a proxy. */
export type ProxyMessage = { readonly headers: Headers; readonly body: Buffer | null }

/** The same as a person may read it: values that came from tokens are dots. */
export type RedactedMessage = {
  readonly headers: Headers
  readonly body: string | null
  /** Code that had values of tokens has made it, perhaps in another form: all of it is dots. */
  readonly isCoded?: boolean | undefined
}

/** The form of a message's body. */
export function getMessageFormat({ headers, body }: ProxyMessage): BodyFormat {
  return detectBodyFormat(body ?? Buffer.alloc(0), findHeader(headers, 'content-type'))
}

type EvaluateExpression = (expression: ProxyExpression) => Json

/** Returns a body with the expressions of its pieces replaced. Throws what `evaluate` throws, and `piecesOf`. */
export function fillBody(
  body: Buffer,
  format: BodyFormat,
  evaluate: EvaluateExpression,
  segments = parseSegments(decodeBody(body).text, format, 'body'),
): Buffer {
  const { encodeText, encodeValue } = decodeBody(body)
  return encodeText(
    fillSegments(segments, (expression) => {
      const value = evaluate(expression)
      return typeof value === 'string' ? encodeValue(value) : value
    }),
  )
}

/** Returns headers with the expressions in their values replaced. Throws `invalid`, naming the header. */
export function fillHeaders(
  headers: Headers,
  evaluate: (expression: ProxyExpression, path: string) => Json,
): Headers {
  return headers.map(([name, value]) => {
    if (!value.includes('{{')) return [name, value]
    const path = `headers.${name}`
    return [name, replaceExpressions(value, 'text', path, (expression) => evaluate(expression, path))]
  })
}
