import { useEffect, useId, useState } from 'react'
import { create } from 'zustand'
import { formatKeyHint } from '../../../shared/key-hint.ts'
import type { Screen } from './screens.ts'

type Question = {
  readonly leave: () => void
  readonly stay: () => void
  /** The screen that is shown after leaving, whose own changes stay. */
  readonly to: Screen | undefined
}

type UnsavedState = {
  /** The ids of forms with unsaved input. */
  readonly forms: readonly string[]
  /** Screens with unsaved changes that stay while the owner moves around in the screen. */
  readonly screens: readonly Screen[]
  /** The hints of one-time keys that have not been copied yet. */
  readonly keys: readonly string[]
  /** The question that the owner has not answered yet. */
  readonly pendingQuestion: Question | null
}

/**
 * Everything that leaving would lose: unsaved input, and keys that have not been copied. Entries disappear
 * with the components that registered them, for example when the vault is locked.
 */
export const useUnsaved = create<UnsavedState>(() => ({
  forms: [],
  screens: [],
  keys: [],
  pendingQuestion: null,
}))

const { getState, setState } = useUnsaved

/**
 * Runs `leave` right away if nothing would be lost, otherwise once the owner agrees. Runs `stay` if the owner declines.
 * `to` is the screen that is shown then.
 */
export function confirmLeave(leave: () => void, stay: () => void = () => {}, to?: Screen): void {
  const { forms, screens, keys } = getState()
  const lost = screens.filter((screen) => screen !== to)
  if (forms.length + lost.length + keys.length > 0) setState({ pendingQuestion: { leave, stay, to } })
  else leave()
}

export function dismissQuestion(): void {
  setState({ pendingQuestion: null })
}

export function chooseStay(): void {
  const { pendingQuestion } = getState()
  setState({ pendingQuestion: null })
  pendingQuestion?.stay()
}

export function chooseLeave(): void {
  const { pendingQuestion, screens } = getState()
  const kept = screens.filter((screen) => screen === pendingQuestion?.to)
  setState({ pendingQuestion: null, forms: [], screens: kept, keys: [] })
  pendingQuestion?.leave()
}

function serializeInput(input: unknown): string {
  return JSON.stringify(input, (_name, value) => (value === '' ? undefined : value)) ?? ''
}

/** Asks the owner before unsaved input is lost. Call `markStored` with the input that has been saved. */
export function useUnsavedInput(input: unknown): {
  readonly isDirty: boolean
  readonly markStored: (typed: unknown) => void
} {
  const form = useId()
  const text = serializeInput(input)
  const [savedText, setSavedText] = useState(text)
  const isDirty = text !== savedText
  useEffect(() => {
    // Register the form on every keystroke: it may stay open although the owner chose to discard its input.
    if (text === savedText) return
    setState(({ forms }) => ({ forms: [...forms, form] }))
    return () => removeForm(form)
  }, [text, savedText, form])
  return {
    isDirty,
    markStored(savedInput) {
      setSavedText(serializeInput(savedInput))
      removeForm(form)
    },
  }
}

/** Asks the owner before the unsaved changes of a screen are lost, but not while the screen stays open. */
export function useUnsavedScreen(screen: Screen, isDirty: boolean): void {
  useEffect(() => {
    if (!isDirty) return
    setState(({ screens }) => ({ screens: [...screens, screen] }))
    return () => setState(({ screens }) => ({ screens: screens.filter((each) => each !== screen) }))
  }, [screen, isDirty])
}

function removeForm(form: string): void {
  setState(({ forms }) => ({ forms: forms.filter((each) => each !== form), pendingQuestion: null }))
}

/**
 * Asks the owner before an uncopied one-time key is lost; pass null for no key. Returns whether the key was
 * copied, and a function that records that the key was copied.
 */
export function useOneTimeKey(key: string | null): {
  readonly isCopied: boolean
  readonly markCopied: () => void
} {
  const [copiedKey, setCopiedKey] = useState<string | null>(null)
  const isCopied = key !== null && copiedKey === key
  useEffect(() => {
    if (key === null || isCopied) return
    const hint = formatKeyHint(key)
    setState(({ keys }) => ({ keys: [...keys, hint] }))
    return () => removeKey(hint)
  }, [key, isCopied])
  return {
    isCopied,
    markCopied() {
      setCopiedKey(key)
      if (key !== null) removeKey(formatKeyHint(key))
    },
  }
}

function removeKey(hint: string): void {
  setState(({ keys }) => ({ keys: keys.filter((each) => each !== hint), pendingQuestion: null }))
}

/** Makes the browser ask before the page is closed. */
export function useCloseWarning(enabled: boolean): void {
  useEffect(() => {
    // The desktop window cannot be reloaded and does not ask when it is closed.
    if (window.vault || !enabled) return
    const preventClose = (event: BeforeUnloadEvent) => event.preventDefault()
    window.addEventListener('beforeunload', preventClose)
    return () => window.removeEventListener('beforeunload', preventClose)
  }, [enabled])
}
