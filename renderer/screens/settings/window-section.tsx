import { SegmentedControl, Select } from '@mantine/core'
import type { HostSettings } from '../../../shared/host/settings.ts'
import { LanguageSelect } from '../../parts/api/request-snippet.tsx'
import { setPreference } from '../../parts/connection/preference.ts'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import formStyles from '../../ui/form.module.css'
import { saveSettings } from './save-settings.ts'
import { Section } from './section.tsx'
import { strings } from './strings.ts'

const t = strings.window
const appearances = Object.keys(t.appearances) as HostSettings['appearance'][]
const minutes = [0, 1, 5, 15, 30, 60, 240]

export function WindowSection({ settings }: { settings: HostSettings }) {
  const offered = [...new Set([...minutes, settings.auto_lock_minutes])].sort((a, b) => a - b)
  return (
    <Section name="window">
      <div>
        <div className={formStyles.label}>{t.appearance}</div>
        <SegmentedControl
          aria-label={t.appearance}
          data={appearances.map((value) => ({ value, label: t.appearances[value] }))}
          value={settings.appearance}
          onChange={(appearance) => setPreference({ appearance })}
        />
      </div>
      <LanguageSelect label={t.language} width={240} />
      <Select
        label={t.lock}
        description={t.lockHelp}
        styles={{ wrapper: { maxWidth: 240 } }}
        data={offered.map((each) => ({ value: String(each), label: t.minutes(each) }))}
        value={String(settings.auto_lock_minutes)}
        onChange={(value) =>
          saveSettings({ auto_lock_minutes: Number(value) }, settings).catch(showFailureToast)
        }
      />
    </Section>
  )
}
