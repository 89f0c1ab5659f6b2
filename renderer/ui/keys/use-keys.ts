import { useEffect, useRef } from 'react'

export const isMac = /Mac|iPhone|iPad/.test(navigator.userAgent)

/** A shortcut in this platform's notation: `⌘K` or `Ctrl K`. */
export function formatKey(shortcut: string): string {
  const names: Record<string, string> = {
    mod: isMac ? '⌘' : 'Ctrl',
    ctrl: 'Ctrl',
    shift: isMac ? '⇧' : 'Shift',
    alt: isMac ? '⌥' : 'Alt',
    backspace: '⌫',
    arrowup: '↑',
    arrowdown: '↓',
    arrowleft: '←',
    arrowright: '→',
    escape: 'Esc',
    enter: '↵',
    space: 'Space',
    tab: 'Tab',
    home: 'Home',
    end: 'End',
  }
  const parts = shortcut.split('+').map((part) => names[part.toLowerCase()] ?? part.toUpperCase())
  return parts.join(isMac ? '' : ' ')
}

export function toShortcut(event: KeyboardEvent): string {
  const mod = isMac ? event.metaKey : event.ctrlKey
  return `${mod ? 'mod+' : ''}${event.altKey ? 'alt+' : ''}${event.key.toLowerCase()}`
}

function isMeantForField(event: KeyboardEvent): boolean {
  const target = event.target
  if (!(target instanceof Element)) return false
  const fieldSelector =
    'input:not([type="radio"], [type="checkbox"]), textarea, select, [contenteditable="true"]'
  const layers = '[role="dialog"], [role="menu"], [role="listbox"]'
  // In a drawer's form, Escape also works inside fields, unless it closes a field's dropdown.
  if (event.key === 'Escape' && target.closest('aside form') && !target.closest(layers)) return isListOpen
  if (target.closest(`${fieldSelector}, ${layers}`)) return true
  // While a form is open, plain keys do not trigger shortcuts, wherever the focus is. Only Escape does, and
  // `?` outside of the form.
  if (event.key !== 'Escape' && target.closest('form')) return true
  if (!['Escape', '?'].includes(event.key) && document.querySelector('main form')) return true
  return event.key.startsWith('Arrow') && target.closest('[role="radiogroup"], [role="tablist"]') !== null
}

/**
 * Whether a dialog or dropdown was open on keydown. Recorded before other handlers run, because Escape closes
 * the dialog or dropdown before the shortcuts see the event. Unit tests load this without a window.
 */
let inDialog = false
let isListOpen = false
globalThis.window?.addEventListener(
  'keydown',
  () => {
    inDialog = document.querySelector('[role="dialog"][aria-modal="true"]') !== null
    isListOpen = document.querySelector('[data-expanded]') !== null
  },
  { capture: true },
)

export type KeyHandlers = Readonly<Record<string, (event: KeyboardEvent) => void>>

/**
 * Handles shortcuts such as `mod+k`, `r`, `arrowdown`, `?` while the component is mounted. Plain keys are
 * ignored in fields, forms, menus and dialogs; keys with mod work everywhere except in dialogs.
 */
export function useKeys(keys: KeyHandlers, enabled = true): void {
  const latest = useRef(keys)
  latest.current = keys
  useEffect(() => {
    if (!enabled) return
    function onKeyDown(event: KeyboardEvent) {
      if (event.defaultPrevented || event.isComposing) return
      const shortcut = toShortcut(event)
      const run = latest.current[shortcut]
      if (!run) return
      if (inDialog || (!shortcut.startsWith('mod+') && isMeantForField(event))) return
      event.preventDefault()
      run(event)
    }
    window.addEventListener('keydown', onKeyDown)
    return () => window.removeEventListener('keydown', onKeyDown)
  }, [enabled])
}
