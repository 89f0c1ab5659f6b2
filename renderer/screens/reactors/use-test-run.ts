import { useEffect, useRef, useState } from 'react'
import { readJson } from '../../../shared/json.ts'
import type { ReactorTestResult } from '../../../shared/schemas/reactor.ts'
import { createVaultStore } from '../../parts/connection/store.ts'
import { host } from '../../parts/connection/vault.ts'
import { useAction } from '../../parts/forms/use-action.ts'
import { toRuntime } from '../../parts/reactors/runtime-draft.ts'
import { toMap } from '../../ui/fields/pairs-input.tsx'
import { TOKEN } from './gallery.ts'
import type { ReactorDraft } from './reactor-draft.ts'
import { strings } from './strings.ts'

const t = strings.testRun
const SAMPLE = '{\n  "name": "Ada Lovelace"\n}'

/** SECURITY: sample args may hold data, so they are held in memory only until the vault is locked. */
const useSamples = createVaultStore<{ readonly samples: Readonly<Record<string, string>> }>(() => ({
  samples: {},
}))

/** Stores sample args for a reactor, such as those typed before the reactor was created. */
export function setSample(to: string, args: string): void {
  useSamples.setState(({ samples }) => ({ samples: { ...samples, [to]: args } }))
}

type FinishedRun = { readonly code: string; readonly result: ReactorTestResult }

export type TestRun = {
  readonly args: string
  readonly setArgs: (args: string) => void
  /** The error in the args; undefined until the user tries to run the code. */
  readonly wrong: string | undefined
  readonly finished: FinishedRun | null
  readonly problem: unknown
  readonly isRunning: boolean
  readonly run: () => void
  readonly stop: () => void
}

function findArgsProblem(args: string): string | undefined {
  if (args.includes(TOKEN)) return t.noToken
  try {
    readJson(args)
    return undefined
  } catch {
    return t.notJson
  }
}

/** Stops the current run, and ignores a failure to stop it. */
function stopReactor(): void {
  host.stopReactor().catch(() => undefined)
}

/** Runs the code in the editor with sample args, one run at a time. */
export function useTestRun(
  reactor_id: string | null,
  draft: ReactorDraft,
  start: string | undefined,
): TestRun {
  const [argsInput, setArgsInput] = useState(start ?? SAMPLE)
  const storedArgs = useSamples(({ samples }) => (reactor_id === null ? undefined : samples[reactor_id]))
  const [isSubmitted, setSubmitted] = useState(false)
  const [finished, setFinished] = useState<FinishedRun | null>(null)
  const { runAction, problem, state, clear } = useAction()
  const args = storedArgs ?? argsInput
  const isRunning = state === 'running'
  const running = useRef(false)
  running.current = isRunning
  // Stops the run when its reactor is closed, because its result would not be shown.
  useEffect(
    () => () => {
      if (running.current) stopReactor()
    },
    [],
  )
  return {
    args,
    setArgs(to) {
      setSubmitted(false)
      clear()
      if (reactor_id === null) setArgsInput(to)
      else setSample(reactor_id, to)
    },
    wrong: isSubmitted ? findArgsProblem(args) : undefined,
    finished,
    problem,
    isRunning,
    stop: stopReactor,
    run() {
      setSubmitted(true)
      if (findArgsProblem(args) !== undefined) return
      const { code, configuration, application } = draft
      const runtime = toRuntime(draft.runtime)
      void runAction(async () => {
        setFinished(null)
        const result = await host.tryReactor({
          reactor_id,
          code,
          args,
          configuration: toMap(configuration),
          application_id: application,
          ...(runtime && { runtime }),
        })
        setFinished({ code, result })
      })
    },
  }
}
