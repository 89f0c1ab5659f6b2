import type { Json } from '../../../../shared/json.ts'
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

/** A request or a response that passes through a proxy. */
export type ProxyMessage = { readonly headers: Headers; readonly body: Buffer | null }

/** The message with token values redacted, so that a person may read it. */
export type RedactedMessage = {
  readonly headers: Headers
  readonly body: string | null
  /**
   * Set if code with access to token values has produced the body. The code may have reformatted the values, so the
   * whole body is redacted.
   */
  readonly isCoded?: boolean | undefined
}

/** Returns the format of a message's body, from its content type and its bytes. */
export function getMessageFormat({ headers, body }: ProxyMessage): BodyFormat {
  return detectBodyFormat(body ?? Buffer.alloc(0), findHeader(headers, 'content-type'))
}

type EvaluateExpression = (expression: ProxyExpression) => Json

/** Replaces the expressions in a body. Throws like `parseSegments`, and whatever `evaluate` throws. */
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

/** Replaces the expressions in header values. Throws `invalid` at the header's name. */
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
