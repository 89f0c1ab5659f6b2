import type { ReactorObject } from '../../../shared/schemas/reactor.ts'
import { PanelTitle } from '../../parts/resource-screen/drawer-sections.tsx'
import formStyles from '../../ui/form.module.css'
import { Panel } from '../../ui/panel.tsx'
import { CodeEditor } from '../../ui/text/editor/code-editor.tsx'
import { About } from './about.tsx'
import { strings } from './strings.ts'

const t = strings.drawer

/** A read-only reactor, shown while the owner views the vault as an application. */
export function ReactorDrawer({ reactor, onClose }: { reactor: ReactorObject; onClose: () => void }) {
  return (
    <Panel label={t.label} title={<PanelTitle icon="bolt" name={reactor.name} />} onClose={onClose}>
      <div className={formStyles.root}>
        <CodeEditor label={t.code} value={reactor.code} />
      </div>
      <About reactor={reactor} />
    </Panel>
  )
}
