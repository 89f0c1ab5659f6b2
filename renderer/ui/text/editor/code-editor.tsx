import { lazy, Suspense, useId, useState } from 'react'
import formStyles from '../../form.module.css'
import { Loading } from '../../loading.tsx'
import { strings } from '../../strings.ts'
import styles from './code-editor.module.css'
import type { CodeProblem } from './code-problem.ts'
import type { Editor } from './editor.tsx'
import type { SourceLocation } from './error-location.ts'
import { type Compile, useCompiled } from './use-compiled.ts'

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
      <div className={formStyles.label}>{label}</div>
      <Suspense fallback={<Loading lines={8} />}>
        <LazyEditor
          label={label}
          describedBy={onChange ? `${help} ${wrong}` : undefined}
          value={value}
          onChange={onChange}
          onRun={onRun}
          location={problem ? problem.place : (uncompiled ?? unparsed)}
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
        <p id={help} className={formStyles.help}>
          {strings.editorHelp}
        </p>
      )}
    </div>
  )
}
