import './json-view.css'
import type { Json } from '../../../shared/json.ts'
import { Code } from './code.tsx'
import { MarkedText } from './marked-text.tsx'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

type Part = { readonly at: number; readonly text: string; readonly kind: string }

function partsOf(text: string): Part[] {
  const parts: Part[] = []
  let at = 0
  for (const found of text.matchAll(tokens)) {
    if (found.index > at) parts.push({ at, text: text.slice(at, found.index), kind: 'mark' })
    const [whole, quoted, colon, word] = found
    const kind = quoted ? (colon ? 'name' : 'string') : word ? 'word' : 'number'
    parts.push({ at: found.index, text: quoted && colon ? quoted : whole, kind })
    if (quoted && colon) parts.push({ at: found.index + quoted.length, text: colon, kind: 'mark' })
    at = found.index + whole.length
  }
  if (at < text.length) parts.push({ at, text: text.slice(at), kind: 'mark' })
  return parts
}

/** Above this many characters, colours would cost more than they help. */
const MOST_COLOURED = 40_000

/** JSON with syntax colours. */
export function JsonText({ text }: { text: string }) {
  if (text.length > MOST_COLOURED) return <MarkedText text={text} />
  return partsOf(text).map(({ at, text, kind }) => (
    <span key={at} className={`json-${kind}`}>
      <MarkedText text={text} />
    </span>
  ))
}

/** An indented JSON value with a copy button. */
export function JsonView({ value, what }: { value: Json | object; what: string }) {
  const text = JSON.stringify(value, null, 2)
  return (
    <Code text={text} what={what} wrap>
      <JsonText text={text} />
    </Code>
  )
}
