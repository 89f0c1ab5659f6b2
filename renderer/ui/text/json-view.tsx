import type { Json } from '../../../shared/json.ts'
import { Code } from './code.tsx'
import styles from './json-view.module.css'
import { MarkedText } from './marked-text.tsx'

const tokens = /("(?:\\.|[^"\\])*")(\s*:)?|\b(true|false|null)\b|(-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)/g

type JsonSpan = { readonly at: number; readonly text: string; readonly kind: string }

function splitJson(text: string): JsonSpan[] {
  const spans: JsonSpan[] = []
  let at = 0
  const addSpan = (span: string, kind: string) => {
    if (span !== '') spans.push({ at, text: span, kind })
    at += span.length
  }
  for (const match of text.matchAll(tokens)) {
    const [token, quoted, colon = '', word] = match
    addSpan(text.slice(at, match.index), 'mark')
    if (quoted) addSpan(quoted, colon ? 'name' : 'string')
    else addSpan(token, word ? 'word' : 'number')
    addSpan(colon, 'mark')
  }
  addSpan(text.slice(at), 'mark')
  return spans
}

/** Longer text is shown without colours, because rendering them would be slow. */
const MAX_COLOURED_LENGTH = 40_000

/** JSON with syntax colours. */
export function JsonText({ text }: { text: string }) {
  if (text.length > MAX_COLOURED_LENGTH) return <MarkedText text={text} />
  return splitJson(text).map(({ at, text, kind }) => (
    <span key={at} className={styles.json} data-kind={kind}>
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
