import { Button, Group, NumberInput, Switch, TagsInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../shared/host.ts'
import { ListenerPill } from '../frame/listener-pill.tsx'
import { fieldErrorsOf, sentenceOf } from '../sentence.ts'
import { strings } from '../strings.ts'
import { toastFailure } from '../toast.tsx'
import { Failure } from '../ui/failure.tsx'
import { saveSettings } from './save-settings.ts'
import { Section } from './section.tsx'

const t = strings.settings.listener

/** Port, web pages, host names. */
export function ListenerSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const [port, setPort] = useState<number | string>(settings.port)
  const [origins, setOrigins] = useState(settings.origins)
  const [hosts, setHosts] = useState(settings.hosts)
  const [problem, setProblem] = useState<unknown>(null)
  const errors = fieldErrorsOf(problem)
  const below = (name: string) => Object.entries(errors).find(([path]) => path.startsWith(name))?.[1]
  const wanted = { port: Number(port), origins, hosts }
  const changed = (['port', 'origins', 'hosts'] as const).some(
    (name) => JSON.stringify(wanted[name]) !== JSON.stringify(settings[name]),
  )
  async function save() {
    setProblem(null)
    try {
      await saveSettings(wanted, settings)
    } catch (error) {
      setProblem(error)
    }
  }
  return (
    <Section title={strings.settings.sections.listener} text={t.text}>
      <Group>
        <ListenerPill status={status} />
      </Group>
      <Switch
        label={t.onUnlock}
        checked={settings.listen_on_unlock}
        onChange={(event) =>
          saveSettings({ listen_on_unlock: event.currentTarget.checked }, settings).catch(toastFailure)
        }
      />
      <NumberInput
        label={t.port}
        description={t.portHelp}
        min={0}
        max={65535}
        hideControls
        w={140}
        value={port}
        onChange={setPort}
        error={below('port')}
      />
      <TagsInput
        label={t.origins}
        description={t.originsHelp}
        value={origins}
        onChange={setOrigins}
        error={below('origins')}
      />
      <TagsInput
        label={t.hosts}
        description={t.hostsHelp}
        value={hosts}
        onChange={setHosts}
        error={below('hosts')}
      />
      {problem !== null && <Failure>{sentenceOf(problem)}</Failure>}
      <Group className="settings-save">
        <Button onClick={save} disabled={!changed}>
          {strings.settings.save}
        </Button>
      </Group>
    </Section>
  )
}
