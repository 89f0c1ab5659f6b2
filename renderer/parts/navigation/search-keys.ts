import { type RefObject, useEffect, useRef } from 'react'
import { useKeys } from '../../ui/keys/use-keys.ts'
import { createVaultState } from '../connection/store.ts'

/** The text typed for a search field that is about to appear. SECURITY: it may be data of a token. */
const typedAhead = createVaultState<string | null>(() => null)

function takeTyped(): string | null {
  const typed = typedAhead.current
  typedAhead.current = null
  return typed
}

/** Lets `/` and Ctrl+F select a search field. `onType` receives the text that was typed before the field appeared. */
export function useSearchKeys(
  field: RefObject<HTMLInputElement | null>,
  onType: (text: string) => void,
): void {
  const selectText = () => field.current?.select()
  useKeys({ 'mod+f': selectText, '/': selectText })
  const receive = useRef(onType)
  receive.current = onType
  useEffect(() => {
    const typed = takeTyped()
    if (typed === null) return
    field.current?.focus()
    receive.current(typed)
  }, [field])
}

/** Renders in place of a list that is loading: what is typed after `/` goes to its search field once it appears. */
export function TypeAhead(): null {
  const typed = useRef<string | null>(null)
  const startTyping = () => {
    typed.current = ''
  }
  useKeys({ 'mod+f': startTyping, '/': startTyping })
  useEffect(() => {
    typed.current = takeTyped()
    function collectText(event: KeyboardEvent) {
      if (typed.current === null) return
      const next = addKey(typed.current, event)
      if (next === undefined) return
      typed.current = next
      if (next !== null) event.preventDefault()
    }
    // Before the shortcuts, which ignore what is taken.
    window.addEventListener('keydown', collectText, { capture: true })
    return () => {
      window.removeEventListener('keydown', collectText, { capture: true })
      typedAhead.current = typed.current
      // The field takes the text when it appears in the same commit. Otherwise nothing does.
      queueMicrotask(takeTyped)
    }
  }, [])
  return null
}

/** The text after one more key. Null if the key ends it, and undefined if it is not a key of text. */
function addKey(typed: string, { key, ctrlKey, metaKey, altKey }: KeyboardEvent): string | null | undefined {
  if (key === 'Escape' || ctrlKey || metaKey || altKey) return null
  if (key === 'Backspace') return typed.slice(0, -1)
  return key.length === 1 ? typed + key : undefined
}
