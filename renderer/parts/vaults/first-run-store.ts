import { create } from 'zustand'
import { confirmLeave } from '../navigation/unsaved.ts'

export type FirstRunStep = 'create' | 'recovery' | 'request'

type FirstRunKeys = { readonly management: string; readonly private: string; readonly public: string }

type FirstRunState = {
  /** Null while no vault is being created. */
  readonly step: FirstRunStep | null
  readonly name: string
  readonly recovery_key: string | null
  readonly keys: FirstRunKeys | null
}

const nothing: FirstRunState = { step: null, name: '', recovery_key: null, keys: null }

export const useFirstRun = create<FirstRunState>(() => nothing)

/** Starts creating a vault, after asking if unsaved input would be lost. */
export function startFirstRun(): void {
  confirmLeave(() => useFirstRun.setState({ ...nothing, step: 'create' }, true))
}

/** Continues with the first request. SECURITY: removes the recovery key from the window. */
export function confirmRecoveryKey(): void {
  useFirstRun.setState({ step: 'request', recovery_key: null })
}

/** Ends the first run. SECURITY: removes the recovery key and application keys from the window. */
export function endFirstRun(): void {
  useFirstRun.setState(nothing, true)
}
