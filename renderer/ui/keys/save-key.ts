import { useEffect } from 'react'
import { isMac, toShortcut } from './use-keys.ts'

const keys = isMac ? 'Meta+S' : 'Control+S'

/** The properties of a button that Ctrl+S presses. */
export const saveKey = { 'aria-keyshortcuts': keys } as const

/** Lets Ctrl+S press the button that saves the form with the focus, or else the only form in view. */
export function useSaveKey(): void {
  useEffect(() => {
    function onKeyDown(event: KeyboardEvent) {
      const button = toShortcut(event) === 'mod+s' ? findSaveButton() : undefined
      if (!button) return
      event.preventDefault()
      button.click()
    }
    // Before the list, which saves its cells with the same key.
    window.addEventListener('keydown', onKeyDown, { capture: true })
    return () => window.removeEventListener('keydown', onKeyDown, { capture: true })
  }, [])
}

function findSaveButton(): HTMLButtonElement | undefined {
  const focused = document.activeElement
  const layer = [...document.querySelectorAll('[role="dialog"][aria-modal="true"]')].at(-1) ?? document
  const buttons = [...layer.querySelectorAll<HTMLButtonElement>(`button[aria-keyshortcuts="${keys}"]`)]
  const form = focused?.closest('form')
  if (form) return buttons.find((button) => button.form === form)
  return buttons.length === 1 && !focused?.matches('[role="grid"] input') ? buttons[0] : undefined
}
