import { lazy, Suspense, useEffect, useId, useState } from 'react'
import { Loading } from '../../loading.tsx'
import { strings } from '../../strings.ts'
import styles from './code-editor.module.css'
import type { CodeProblem } from './code-problem.ts'
import type { Editor } from './editor.tsx'
import type { SourceLocation } from './error-location.ts'

/** The editor's code is large, so it is loaded by the first screen that shows code. */
const LazyEditor = lazy(async () => ({ default: (await import('./editor.tsx')).Editor })) as typeof Editor

type Props = {
  readonly label: string
  readonly value: string
  /** Omit it to make the editor read-only. */
  readonly onChange?: (value: string) => void
  /** Called on Ctrl+Enter or ⌘+Enter. */
  readonly onRun?: () => void
  readonly problem?: CodeProblem | null
  /** Compiles the code once typing pauses, and returns its error. */
  readonly compile?: Compile
}

/** A JavaScript editor with syntax colours and line numbers, which marks errors at their line. */
export function CodeEditor({ label, value, onChange, onRun, problem = null, compile }: Props) {
  const [unparsed, setUnparsed] = useState<SourceLocation | null>(null)
  const uncompiled = useCompiled(value, compile)
  const help = useId()
  const wrong = useId()
  return (
    <div className={styles.root}>
      <div className="label">{label}</div>
      <Suspense fallback={<Loading lines={8} />}>
        <LazyEditor
          label={label}
          describedBy={onChange ? `${help} ${wrong}` : undefined}
          value={value}
          onChange={onChange}
          onRun={onRun}
          errors={[problem ? problem.place : (uncompiled ?? unparsed)].filter((place) => place !== null)}
          reveal={problem !== null}
          onParsed={setUnparsed}
        />
      </Suspense>
      <p id={wrong} className={styles.problem} role="status">
        {problem?.message ??
          (uncompiled && strings.uncompiled(uncompiled)) ??
          (unparsed && strings.unparsed(unparsed.line, unparsed.column))}
      </p>
      {onChange && (
        <p id={help} className="help">
          {strings.editorHelp}
        </p>
      )}
    </div>
  )
}

/** A compile error. Lines and columns count from 1. */
type CompileProblem = { readonly line: number; readonly column: number; readonly message: string }
type Compile = (code: string) => Promise<CompileProblem | null>

/** The pause in typing before the code is compiled, longer than the one before the window parses it. */
const PAUSE_MS = 600

/** The compile error of the code; null if there is none or it is not known yet. */
function useCompiled(code: string, compile: Compile | undefined): CompileProblem | null {
  const [result, setResult] = useState<{
    readonly code: string
    readonly problem: CompileProblem | null
  } | null>(null)
  useEffect(() => {
    if (!compile) return
    let isCurrent = true
    const pause = setTimeout(() => {
      compile(code).then(
        (problem) => isCurrent && setResult({ code, problem }),
        // If compiling fails for a reason other than the code, show no error.
        () => undefined,
      )
    }, PAUSE_MS)
    return () => {
      isCurrent = false
      clearTimeout(pause)
    }
  }, [code, compile])
  return result?.code === code ? result.problem : null
}
