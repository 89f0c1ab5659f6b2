import styles from './marked-text.module.css'

type TextSpan = { readonly at: number; readonly text: string; readonly isMatch: boolean }

/** Splits text into the matches of a global pattern and the text between them. */
export function splitMatches(text: string, pattern: RegExp): TextSpan[] {
  const spans: TextSpan[] = []
  let at = 0
  for (const { 0: match, index } of text.matchAll(pattern)) {
    spans.push({ at, text: text.slice(at, index), isMatch: false }, { at: index, text: match, isMatch: true })
    at = index + match.length
  }
  return [...spans, { at, text: text.slice(at), isMatch: false }].filter((span) => span.text !== '')
}

/** Splits text at characters that change the text direction. Each of those becomes its code, such as `U+202E`. */
export function splitDirectionMarks(text: string): TextSpan[] {
  return splitMatches(text, /[\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g).map((span) =>
    span.isMatch
      ? { ...span, text: `U+${span.text.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}` }
      : span,
  )
}

/** Replaces each direction character with its code, for places that render only plain text, such as a select. */
export function markText(text: string): string {
  return splitDirectionMarks(text)
    .map((part) => part.text)
    .join('')
}

/** Letters of right-to-left scripts, such as Hebrew and Arabic. */
const fromTheRight = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc\u{10800}-\u{10fff}\u{1e800}-\u{1efff}]/u

/**
 * Renders untrusted text. Direction characters appear as codes, so that they cannot make text look like other
 * text. Right-to-left text is isolated from its surroundings, and truncated at its end.
 */
export function MarkedText({ text }: { text: string }) {
  const parts = splitDirectionMarks(text).map(({ at, text, isMatch }) =>
    isMatch ? (
      <span key={at} className={styles.mark}>
        {text}
      </span>
    ) : (
      text
    ),
  )
  return fromTheRight.test(text) ? <bdi className={styles.ownDirection}>{parts}</bdi> : parts
}
