import { useEffect, useRef, useState } from 'react'
import { readJson } from '../../../shared/json.ts'
import type { TriedReactor } from '../../../shared/schemas/reactor.ts'
import { vaultStore } from '../../parts/connection/store.ts'
import { host } from '../../parts/connection/vault.ts'
import { useAct } from '../../parts/forms/use-act.ts'
import { mapOf } from '../../ui/fields/pairs-input.tsx'
import { TOKEN } from './gallery.ts'
import type { ReactorDraft } from './reactor-draft.ts'
import { strings } from './strings.ts'

const t = strings.trial
const SAMPLE = '{\n  "name": "Ada Lovelace"\n}'

/** SECURITY: sample args may hold data, so they are kept only until the vault is locked. */
const useSamples = vaultStore<{ readonly samples: Readonly<Record<string, string>> }>(() => ({ samples: {} }))

/** Keeps the sample args of a reactor that has just been created. */
export function moveSample(to: string, args: string): void {
  useSamples.setState(({ samples }) => ({ samples: { ...samples, [to]: args } }))
}

/** A run that has ended, and the code that ran. */
type Ended = { readonly code: string; readonly result: TriedReactor }

export type Trial = {
  readonly args: string
  readonly setArgs: (args: string) => void
  /** What is wrong with the args, once they were to be run. */
  readonly wrong: string | undefined
  readonly ended: Ended | null
  readonly problem: unknown
  readonly isRunning: boolean
  readonly run: () => void
  readonly stop: () => void
}

function problemOf(args: string): string | undefined {
  if (args.includes(TOKEN)) return t.noToken
  try {
    readJson(args)
    return undefined
  } catch {
    return t.notJson
  }
}

/** Ends the run under way. What stopping it fails with, the run itself says. */
function stop(): void {
  host.host.stopReactor().catch(() => undefined)
}

/** Runs what is in the editor with sample args, one run at a time. */
export function useTrial(reactor_id: string | null, draft: ReactorDraft, start: string | undefined): Trial {
  const [typed, setTyped] = useState(start ?? SAMPLE)
  const kept = useSamples(({ samples }) => (reactor_id === null ? undefined : samples[reactor_id]))
  const [isAsked, setAsked] = useState(false)
  const [ended, setEnded] = useState<Ended | null>(null)
  const { act, problem, state, clear } = useAct()
  const args = kept ?? typed
  const isRunning = state === 'running'
  const running = useRef(false)
  running.current = isRunning
  // Nobody waits for a run whose reactor was closed.
  useEffect(
    () => () => {
      if (running.current) stop()
    },
    [],
  )
  return {
    args,
    setArgs(to) {
      setAsked(false)
      clear()
      if (reactor_id === null) setTyped(to)
      else moveSample(reactor_id, to)
    },
    wrong: isAsked ? problemOf(args) : undefined,
    ended,
    problem,
    isRunning,
    stop,
    run() {
      setAsked(true)
      if (problemOf(args) !== undefined) return
      const { code, configuration, application } = draft
      void act(async () => {
        setEnded(null)
        const result = await host.host.tryReactor({
          reactor_id,
          code,
          args,
          configuration: mapOf(configuration),
          application_id: application,
        })
        setEnded({ code, result })
      })
    },
  }
}
