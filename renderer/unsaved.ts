import { useEffect, useId, useState } from 'react'
import { vaultStore } from './store.ts'

type Unsaved = {
  /** The forms in which something was typed that would be lost. */
  readonly forms: readonly string[]
  /** What waits for the owner's answer. */
  readonly asked: { readonly leave: () => void; readonly stay: () => void } | null
}

/** What is typed into the forms that are open, and stored nowhere yet. */
export const useUnsaved = vaultStore<Unsaved>(() => ({ forms: [], asked: null }))

const { getState, setState } = useUnsaved

/** Runs at once where nothing typed is lost by it, else when the owner says so. */
export function leaving(leave: () => void, stay: () => void = () => {}): void {
  if (getState().forms.length > 0) setState({ asked: { leave, stay } })
  else leave()
}

/** Asks no longer: what was typed is still there, or is stored. */
export function stayed(): void {
  setState({ asked: null })
}

/** Goes on typing. */
export function keepTyped(): void {
  const { asked } = getState()
  setState({ asked: null })
  asked?.stay()
}

/** Lets go of what was typed. */
export function discardTyped(): void {
  const { asked } = getState()
  setState({ asked: null, forms: [] })
  asked?.leave()
}

/** Has the owner asked before what is typed into a form is lost. Gives what tells that it is stored. */
export function useTyped(typed: unknown): () => void {
  const form = useId()
  const text = JSON.stringify(typed, (_name, value) => (value === '' ? undefined : value))
  const [stored, setStored] = useState(text)
  useEffect(() => {
    if (text === stored) return
    setState(({ forms }) => ({ forms: [...forms, form] }))
    return () => forget(form)
  }, [text, stored, form])
  return () => {
    setStored(text)
    forget(form)
  }
}

function forget(form: string): void {
  setState(({ forms }) => ({ forms: forms.filter((each) => each !== form), asked: null }))
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
