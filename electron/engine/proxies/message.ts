import type { Json } from '../../../shared/json.ts'
import { bodyText, type Form, formOfBytes, piecesOf, replaceExpressions } from './body-text.ts'
import type { ProxyExpression } from './expressions.ts'
import { type Headers, headerOf } from './headers.ts'
import { filledIn } from './pieces.ts'

/** A request or an answer on its way through a proxy. */
export type Message = { readonly headers: Headers; readonly body: Buffer | null }

/** The same as a person may read it: values that came from tokens are dots. */
export type Shown = {
  readonly headers: Headers
  readonly body: string | null
  /** Code that had values of tokens has made it, perhaps in another form: all of it is dots. */
  readonly isCoded?: boolean | undefined
}

/** The form of a message's body. */
export function formOfMessage({ headers, body }: Message): Form {
  return formOfBytes(body ?? Buffer.alloc(0), headerOf(headers, 'content-type'))
}

type Evaluate = (expression: ProxyExpression) => Json

/** Returns a body with the expressions of its pieces replaced. Throws what `evaluate` throws, and `piecesOf`. */
export function bodyWith(
  body: Buffer,
  form: Form,
  evaluate: Evaluate,
  pieces = piecesOf(bodyText(body).text, form, 'body'),
): Buffer {
  const { bytesOf, inserted } = bodyText(body)
  return bytesOf(
    filledIn(pieces, (expression) => {
      const value = evaluate(expression)
      return typeof value === 'string' ? inserted(value) : value
    }),
  )
}

/** Returns headers with the expressions in their values replaced. Throws `invalid`, naming the header. */
export function headersWith(
  headers: Headers,
  evaluate: (expression: ProxyExpression, path: string) => Json,
): Headers {
  return headers.map(([name, value]) => {
    if (!value.includes('{{')) return [name, value]
    const path = `headers.${name}`
    return [name, replaceExpressions(value, 'text', path, (expression) => evaluate(expression, path))]
  })
}
