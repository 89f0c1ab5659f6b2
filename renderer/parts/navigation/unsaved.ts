import { useEffect, useId, useState } from 'react'
import { create } from 'zustand'
import { hintOf } from '../../../shared/key-hint.ts'

type Unsaved = {
  /** The forms with unsaved input. */
  readonly forms: readonly string[]
  /** The hints of keys that are shown only once and have not been copied yet. */
  readonly keys: readonly string[]
  /** The question that awaits the owner's answer. */
  readonly asked: { readonly leave: () => void; readonly stay: () => void } | null
}

/**
 * What leaving would lose: unsaved input, and keys that have not been copied. Entries disappear with the components
 * that registered them, also when the vault is locked.
 */
export const useUnsaved = create<Unsaved>(() => ({ forms: [], keys: [], asked: null }))

const { getState, setState } = useUnsaved

/** Runs `leave` at once if nothing would be lost, otherwise once the owner agrees. */
export function leaving(leave: () => void, stay: () => void = () => {}): void {
  const { forms, keys } = getState()
  if (forms.length + keys.length > 0) setState({ asked: { leave, stay } })
  else leave()
}

/** Withdraws the question, because the input is still there or has been stored. */
export function stayed(): void {
  setState({ asked: null })
}

/** Answers the question with staying. */
export function keepTyped(): void {
  const { asked } = getState()
  setState({ asked: null })
  asked?.stay()
}

/** Answers the question with leaving. */
export function discardTyped(): void {
  const { asked } = getState()
  setState({ asked: null, forms: [], keys: [] })
  asked?.leave()
}

function textOf(typed: unknown): string {
  return JSON.stringify(typed, (_name, value) => (value === '' ? undefined : value)) ?? ''
}

/** Asks the owner before unsaved input is lost. Call `stored` with the input that has been saved. */
export function useTyped(typed: unknown): {
  readonly isTyped: boolean
  readonly stored: (typed: unknown) => void
} {
  const form = useId()
  const text = textOf(typed)
  const [kept, setKept] = useState(text)
  const isTyped = text !== kept
  useEffect(() => {
    // On every keystroke: input that was to be discarded may have been kept after all.
    if (text === kept) return
    setState(({ forms }) => ({ forms: [...forms, form] }))
    return () => forget(form)
  }, [text, kept, form])
  return {
    isTyped,
    stored(typed) {
      setKept(textOf(typed))
      forget(form)
    },
  }
}

function forget(form: string): void {
  setState(({ forms }) => ({ forms: forms.filter((each) => each !== form), asked: null }))
}

/**
 * Asks the owner before a key that is shown only once is lost uncopied; null for no key. Returns whether it was copied,
 * and a function that records that it was.
 */
export function useShownOnce(key: string | null): { readonly isKept: boolean; readonly keep: () => void } {
  const [kept, setKept] = useState<string | null>(null)
  const isKept = key !== null && kept === key
  useEffect(() => {
    if (key === null || isKept) return
    const hint = hintOf(key)
    setState(({ keys }) => ({ keys: [...keys, hint] }))
    return () => forgetKey(hint)
  }, [key, isKept])
  return {
    isKept,
    keep() {
      setKept(key)
      if (key !== null) forgetKey(hintOf(key))
    },
  }
}

function forgetKey(hint: string): void {
  setState(({ keys }) => ({ keys: keys.filter((each) => each !== hint), asked: null }))
}

/** Makes the browser ask before the page, and everything in it, is closed. */
export function useKept(enabled: boolean): void {
  useEffect(() => {
    // The desktop window has no reload and does not ask when it is closed.
    if (window.vault || !enabled) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [enabled])
}
