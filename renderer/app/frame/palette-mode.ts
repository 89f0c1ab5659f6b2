import { redactKeys } from '../../../shared/key-hint.ts'

type Mode = {
  readonly mode: 'find' | 'act' | 'evaluate'
  /** What is typed after the sign of the mode. */
  readonly text: string
  /** What is searched for in the vault; empty for nothing. */
  readonly found: string
  /** SECURITY: an API key is sent nowhere. */
  readonly isSecret: boolean
}

/** `> rotate backend` acts, `= "4242" | last4` evaluates, and any other text is searched for. */
export function readMode(query: string): Mode {
  const typed = query.trim()
  const text = /^[>=]/.test(typed) ? typed.slice(1).trim() : typed
  if (typed.startsWith('=')) return { mode: 'evaluate', text, found: '', isSecret: redactKeys(text) !== text }
  const isAct = typed.startsWith('>')
  const found = isAct ? (/^(?:delete|remove)\s+(.+)$/i.exec(text)?.[1] ?? '') : text
  const isKey = /key_[a-z]+_/.test(found)
  return { mode: isAct ? 'act' : 'find', text, found: isKey ? '' : found.slice(0, 500), isSecret: isKey }
}
