import { useEffect, useId, useState } from 'react'
import { create } from 'zustand'
import { hintOf } from '../../../shared/key-hint.ts'

type Unsaved = {
  /** The forms in which something was typed that would be lost. */
  readonly forms: readonly string[]
  /** The hints of keys that are shown this once and were not copied yet. */
  readonly keys: readonly string[]
  /** What waits for the owner's answer. */
  readonly asked: { readonly leave: () => void; readonly stay: () => void } | null
}

/**
 * What would be lost by leaving: what is typed and stored nowhere yet, keys that nobody has copied. It goes with the
 * components that told of it, also when the vault is locked.
 */
export const useUnsaved = create<Unsaved>(() => ({ forms: [], keys: [], asked: null }))

const { getState, setState } = useUnsaved

/** Runs at once where nothing is lost by it, else when the owner says so. */
export function leaving(leave: () => void, stay: () => void = () => {}): void {
  const { forms, keys } = getState()
  if (forms.length + keys.length > 0) setState({ asked: { leave, stay } })
  else leave()
}

/** Asks no longer: what was typed is still there, or is stored. */
export function stayed(): void {
  setState({ asked: null })
}

/** Stays with what would be lost. */
export function keepTyped(): void {
  const { asked } = getState()
  setState({ asked: null })
  asked?.stay()
}

/** Lets go of it. */
export function discardTyped(): void {
  const { asked } = getState()
  setState({ asked: null, forms: [], keys: [] })
  asked?.leave()
}

function textOf(typed: unknown): string {
  return JSON.stringify(typed, (_name, value) => (value === '' ? undefined : value)) ?? ''
}

/** Asks the owner before what is typed into a form is lost. `stored` says what of it no longer would be. */
export function useTyped(typed: unknown): {
  readonly isTyped: boolean
  readonly stored: (typed: unknown) => void
} {
  const form = useId()
  const text = textOf(typed)
  const [kept, setKept] = useState(text)
  const isTyped = text !== kept
  useEffect(() => {
    // Of every key stroke: what was to be discarded may have stayed after all.
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
 * Has the owner asked before a key that is shown this once is left behind uncopied; null for no key. Gives whether it
 * was copied, and what tells that it was.
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

/** Has the browser ask before the page goes, and what is in it with it. */
export function useKept(enabled: boolean): void {
  useEffect(() => {
    // The desktop's window has no reload, and asks nothing when it is closed.
    if (window.vault || !enabled) return
    const ask = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', ask)
    return () => window.removeEventListener('beforeunload', ask)
  }, [enabled])
}
