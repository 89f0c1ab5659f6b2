import { create } from 'zustand'
import { leaving } from '../navigation/unsaved.ts'

export type Step = 'create' | 'recovery' | 'request'

type Keys = { readonly management: string; readonly private: string; readonly public: string }

type FirstRunState = {
  /** Null while no vault is being made. */
  readonly step: Step | null
  readonly name: string
  readonly recovery_key: string | null
  readonly keys: Keys | null
}

const nothing: FirstRunState = { step: null, name: '', recovery_key: null, keys: null }

export const useFirstRun = create<FirstRunState>(() => nothing)

/** Begins making a vault, after asking where something would be lost by it. */
export function beginFirstRun(): void {
  leaving(() => useFirstRun.setState({ ...nothing, step: 'create' }, true))
}

/** Goes on to the first request. SECURITY: the recovery key leaves the window. */
export function keptRecoveryKey(): void {
  useFirstRun.setState({ step: 'request', recovery_key: null })
}

/** Ends it. SECURITY: recovery key and application keys leave the window with it. */
export function endFirstRun(): void {
  useFirstRun.setState(nothing, true)
}
