import { lazy, Suspense, useId } from 'react'
import { Loading } from '../../loading.tsx'
import { strings } from '../../strings.ts'
import styles from './code-editor.module.css'
import type { JsonEditorProps } from './json-props.ts'

/** The editor's code is large, so it is loaded by the first screen that edits JSON. */
const LazyJsonCore = lazy(async () => ({
  default: (await import('./json-core.tsx')).JsonCore,
}))

/** An editor of JSON that fills the height around it: colours, folding, and suggestions or a search. */
export function JsonEditor(props: JsonEditorProps) {
  const help = useId()
  return (
    <div className={`${styles.root} ${styles.filling}`}>
      {props.onChange && <div className="label">{props.label}</div>}
      <Suspense fallback={<Loading lines={8} />}>
        <LazyJsonCore {...props} describedBy={props.onChange && help} />
      </Suspense>
      {props.onChange && (
        <p id={help} className="help">
          {strings.json.help}
        </p>
      )}
    </div>
  )
}
