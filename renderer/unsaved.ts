import { useEffect, useState } from 'react'
import { vaultStore } from './store.ts'

type Unsaved = {
  /** Whether something was typed that would be lost. */
  readonly changed: boolean
  /** What waits for the owner's answer. */
  readonly asked: { readonly leave: () => void; readonly stay: () => void } | null
}

/** What is typed into the form that is open, and stored nowhere yet. */
export const useUnsaved = vaultStore<Unsaved>(() => ({ changed: false, asked: null }))

const { getState, setState } = useUnsaved

/** Runs at once where nothing typed is lost by it, else when the owner says so. */
export function leaving(leave: () => void, stay: () => void = () => {}): void {
  if (getState().changed) setState({ asked: { leave, stay } })
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
  setState({ asked: null, changed: false })
  asked?.leave()
}

/** Has the owner asked before what is typed into a form is lost. Gives what tells that it is stored. */
export function useTyped(typed: unknown): () => void {
  const text = JSON.stringify(typed, (_name, value) => (value === '' ? undefined : value))
  const [stored, setStored] = useState(text)
  useEffect(() => {
    setState({ changed: text !== stored })
    return () => setState({ changed: false, asked: null })
  }, [text, stored])
  return () => {
    setStored(text)
    setState({ changed: false })
  }
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
