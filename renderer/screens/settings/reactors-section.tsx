import { Switch } from '@mantine/core'
import type { HostSettings } from '../../../shared/host.ts'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { saveSettings } from './save-settings.ts'
import { Section } from './section.tsx'
import { strings } from './strings.ts'

const t = strings.reactors

/** Whether the code of reactors and transforms may run (rule F-02). */
export function ReactorsSection({ settings }: { settings: HostSettings }) {
  return (
    <Section name="reactors" text={t.text}>
      <Switch
        label={t.run}
        description={t.off}
        checked={settings.reactors}
        onChange={(event) =>
          saveSettings({ reactors: event.currentTarget.checked }, settings).catch(toastFailure)
        }
      />
    </Section>
  )
}
