import { Failure } from './failure.tsx'
import formStyles from './form.module.css'
import { Panel } from './panel.tsx'

type Props = { readonly label: string; readonly text: string; readonly onClose: () => void }

/** The drawer of an item that does not exist or no longer exists. */
export function NotFoundPanel({ label, text, onClose }: Props) {
  return (
    <Panel label={label} title={label} onClose={onClose}>
      <div className={formStyles.root}>
        <Failure>{text}</Failure>
      </div>
    </Panel>
  )
}
