import { createContext, use, useRef } from 'react'
import { Caution } from '../../ui/failure.tsx'
import { CopyButton } from '../../ui/text/copy-button.tsx'
import { useUnsaved } from '../navigation/unsaved.ts'
import { strings as t } from './strings.ts'

/** Whether what a form edits was deleted while the form had unsaved input. */
export const FormGone = createContext(false)

/** Returns what a form edits, or what it was if it was deleted elsewhere while the form has unsaved input. */
export function useEdited<T extends { readonly id: string }>(stored: T | null, id: string | null): T | null {
  const hasInput = useUnsaved(({ forms }) => forms.length > 0)
  const last = useRef(stored)
  if (stored || last.current?.id !== id) last.current = stored
  return stored ?? (hasInput ? last.current : null)
}

type Props = {
  /** The input as text, for what cannot be created again from the form. */
  readonly input?: string | undefined
}

/** Says in the footer of a form that what it edits was deleted elsewhere, and what can be done with the input. */
export function GoneNotice({ input }: Props) {
  if (!use(FormGone)) return null
  return (
    <div role="alert">
      <Caution>
        {input === undefined ? t.goneAgain : t.gone}{' '}
        {input !== undefined && <CopyButton value={input} what={t.input} label={t.copyInput} secret />}
      </Caution>
    </div>
  )
}
