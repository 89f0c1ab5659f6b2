import { Button, Group, NumberInput, Switch, TagsInput } from '@mantine/core'
import { useState } from 'react'
import type { HostSettings, HostStatus } from '../../../shared/host.ts'
import { ListenerPill } from '../../parts/listener/listener-pill.tsx'
import { fieldErrorsOf, sentenceOf } from '../../parts/messages/sentence.ts'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { useTyped } from '../../parts/navigation/unsaved.ts'
import { Failure } from '../../ui/failure.tsx'
import { useOnce } from '../../ui/use-once.ts'
import { saveSettings } from './save-settings.ts'
import { Section } from './section.tsx'
import { strings } from './strings.ts'

const t = strings.listener
const names = ['port', 'origins', 'hosts'] as const
type Draft = Partial<Pick<HostSettings, (typeof names)[number]>>

/** What was typed and is not so yet. */
function changesOf(draft: Draft, settings: HostSettings): Draft {
  const changed = names.filter(
    (name) => name in draft && JSON.stringify(draft[name]) !== JSON.stringify(settings[name]),
  )
  return Object.fromEntries(changed.map((name) => [name, draft[name]]))
}

/** Port, web pages, host names. */
export function ListenerSection({ status }: { status: HostStatus }) {
  const { settings } = status
  const [draft, setDraft] = useState<Draft>({})
  const [emptied, setEmptied] = useState(false)
  const [problem, setProblem] = useState<unknown>(null)
  const errors = fieldErrorsOf(problem)
  const below = (name: string) => Object.entries(errors).find(([path]) => path.startsWith(name))?.[1]
  const patch = changesOf(draft, settings)
  const changed = Object.keys(patch).length > 0
  useTyped(patch)
  const { port, origins, hosts } = { ...settings, ...draft }
  function change(part: Draft) {
    setDraft({ ...draft, ...part })
    setProblem(null)
  }
  const save = useOnce(async () => {
    if (emptied || !changed) return
    setProblem(null)
    try {
      await saveSettings(patch, settings)
      setDraft({})
    } catch (error) {
      setProblem(error)
    }
  })
  return (
    <Section name="listener" text={t.text}>
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
      <form
        className="form form-inner"
        onSubmit={(event) => {
          event.preventDefault()
          save()
        }}
      >
        <NumberInput
          label={t.port}
          description={t.portHelp}
          min={0}
          max={65535}
          allowDecimal={false}
          hideControls
          classNames={{ wrapper: 'settings-number' }}
          value={emptied ? '' : port}
          onChange={(value) => {
            setEmptied(value === '')
            if (value !== '') change({ port: Number(value) })
          }}
          error={emptied ? t.portNeeded : below('port')}
        />
        <TagsInput
          label={t.origins}
          description={t.originsHelp}
          value={origins}
          onChange={(value) => change({ origins: value })}
          error={below('origins')}
        />
        <TagsInput
          label={t.hosts}
          description={t.hostsHelp}
          value={hosts}
          onChange={(value) => change({ hosts: value })}
          error={below('hosts')}
        />
        {problem !== null && !names.some(below) && <Failure>{sentenceOf(problem)}</Failure>}
        <Group className="settings-save">
          <Button type="submit" disabled={!changed || emptied}>
            {strings.save}
          </Button>
        </Group>
      </form>
    </Section>
  )
}
