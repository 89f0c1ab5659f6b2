import './json-view.css'
import type { Json } from '../../../shared/json.ts'
import { Code } from './code.tsx'
import { MarkedText } from './marked-text.tsx'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

type JsonSpan = { readonly at: number; readonly text: string; readonly kind: string }

function splitJson(text: string): JsonSpan[] {
  const parts: JsonSpan[] = []
  let at = 0
  for (const match of text.matchAll(tokens)) {
    if (match.index > at) parts.push({ at, text: text.slice(at, match.index), kind: 'mark' })
    const [token, quoted, colon, word] = match
    const kind = quoted ? (colon ? 'name' : 'string') : word ? 'word' : 'number'
    parts.push({ at: match.index, text: quoted && colon ? quoted : token, kind })
    if (quoted && colon) parts.push({ at: match.index + quoted.length, text: colon, kind: 'mark' })
    at = match.index + token.length
  }
  if (at < text.length) parts.push({ at, text: text.slice(at), kind: 'mark' })
  return parts
}

/** Longer text is shown without colours, because rendering them would be slow. */
const MAX_COLOURED_LENGTH = 40_000

/** JSON with syntax colours. */
export function JsonText({ text }: { text: string }) {
  if (text.length > MAX_COLOURED_LENGTH) return <MarkedText text={text} />
  return splitJson(text).map(({ at, text, kind }) => (
    <span key={at} className={`json-${kind}`}>
      <MarkedText text={text} />
    </span>
  ))
}

/** Indented JSON with a copy button. */
export function JsonView({ value, what }: { value: Json | object; what: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <Code text={text} what={what} wrap>
      <JsonText text={text} />
    </Code>
  )
}
