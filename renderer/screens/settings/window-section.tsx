import { Select } from '@mantine/core'
import type { HostSettings } from '../../../shared/host/settings.ts'
import { LanguageSelect } from '../../parts/api/request-snippet.tsx'
import { setPreference } from '../../parts/connection/preference.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { LabelledChoice } from '../../ui/fields/choice.tsx'
import { Section } from './fields.tsx'
import { saveSettings } from './save-settings.ts'
import { strings } from './strings.ts'

const t = strings.window
const minutes = [0, 1, 5, 15, 30, 60, 240]

export function WindowSection({ settings }: { settings: HostSettings }) {
  const offered = [...new Set([...minutes, settings.auto_lock_minutes])].sort((a, b) => a - b)
  return (
    <Section name="window">
      <LabelledChoice
        label={t.appearance}
        of={t.appearances}
        value={settings.appearance}
        onChange={(appearance) => setPreference({ appearance })}
      />
      <LanguageSelect label={t.language} width={240} />
      <Select
        label={t.lock}
        description={t.lockHelp}
        styles={{ wrapper: { maxWidth: 240 } }}
        data={offered.map((each) => ({ value: String(each), label: t.minutes(each) }))}
        value={String(settings.auto_lock_minutes)}
        onChange={(value) => saveSettings({ auto_lock_minutes: Number(value) }).catch(showFailureToast)}
      />
    </Section>
  )
}
