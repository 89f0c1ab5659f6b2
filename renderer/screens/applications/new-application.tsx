import { Autocomplete, Button, Group, SegmentedControl, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import { isOrigin } from '../../../shared/origins.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { useSession } from '../../parts/connection/session.ts'
import { host, vault } from '../../parts/connection/vault.ts'
import { freeName } from '../../parts/forms/free-name.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { toastFailure } from '../../parts/messages/toast.tsx'
import { leaving, useShownOnce } from '../../parts/navigation/unsaved.ts'
import { containerTree } from '../../parts/tokens/counts.ts'
import { useCounts } from '../../parts/tokens/counts-store.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Connect } from './connect.tsx'
import { rulesOfDraft } from './grants.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { GrantsPreview } from './grants-preview.tsx'
import { KeyOnce } from './key-once.tsx'
import { newOrigins } from './new-origins.ts'
import { type Answers, grantsAfter, type Purpose, purposes, type Reads } from './purposes.ts'
import { strings } from './strings.ts'

const t = strings.wizard
/** The members whose messages are shown beside their fields. */
const placed = ['name', 'expires_at']
const icons: Readonly<Record<Purpose, IconName>> = {
  backend: 'server',
  browser: 'globe',
  management: 'sliders',
}
const readChoices: readonly Reads[] = ['none', 'redact', 'mask', 'reveal']

type Props = { readonly onClose: () => void; readonly onCreated: (application: Application) => void }

/** Creates an application in steps: purpose, access, key. */
export function NewApplication({ onClose, onCreated }: Props) {
  const [purpose, setPurpose] = useState<Purpose | null>(null)
  const [made, setMade] = useState<Application | null>(null)
  const once = useShownOnce(made?.key ?? null)
  const done = (application: Application) => leaving(() => onCreated(application))
  const step = made ? 'key' : purpose ? 'access' : 'purpose'
  return (
    <Panel
      label={t.title}
      title={made ? t.ready(made.name) : t.title}
      wide
      onClose={() => (made ? done(made) : onClose())}
      footer={
        step === 'access' ? (
          <>
            <Button type="submit" form="new-application">
              {t.create}
            </Button>
            <Button variant="subtle" color="gray" onClick={() => leaving(() => setPurpose(null))}>
              {t.back}
            </Button>
          </>
        ) : made ? (
          <Button onClick={() => done(made)}>{t.done}</Button>
        ) : undefined
      }
    >
      {step === 'purpose' && <Purposes onPick={setPurpose} />}
      {step === 'access' && purpose && <Access key={purpose} purpose={purpose} onMade={setMade} />}
      {made && (
        <div className="form">
          <KeyOnce appKey={made.key ?? ''} isKept={once.isKept} onKept={once.keep} />
          <Connect type={made.type} appKey={made.key ?? ''} secret onCopied={once.keep} />
        </div>
      )}
    </Panel>
  )
}

function Purposes({ onPick }: { onPick: (purpose: Purpose) => void }) {
  return (
    <div className="form">
      <h2 className="question">{t.purpose}</h2>
      {purposes.map((purpose, index) => (
        <button
          key={purpose}
          type="button"
          className="purpose"
          onClick={() => onPick(purpose)}
          ref={(button) => {
            if (index === 0) button?.focus()
          }}
        >
          <Icon name={icons[purpose]} size={20} />
          <span>
            <strong>{t.purposes[purpose].name}</strong>
            <span className="dim">{t.purposes[purpose].text}</span>
          </span>
          <Icon name="right" size={14} />
        </button>
      ))}
    </div>
  )
}

type AccessDraft = Answers & {
  readonly name: string
  /** The web origins to allow besides those that are allowed already. */
  readonly wanted: readonly string[]
  readonly expires_at: string
}

function initialOf(purpose: Purpose, taken: readonly string[]): AccessDraft {
  return {
    name: freeName(t.names[purpose], taken),
    container: purpose === 'browser' ? '/pci/high/' : '/',
    reads: 'mask',
    byHand: null,
    wanted: [],
    expires_at: '',
  }
}

function problemsOf({ wanted }: AccessDraft): Record<string, string> {
  const wrong = wanted.filter((each) => !isOrigin(each))
  return wrong.length > 0 ? { origins: t.originWrong(wrong.join(', ')) } : {}
}

/** Lets pages of these origins call the listener too. The application is made by now, so a failure is only told. */
async function allow(wanted: readonly string[]): Promise<void> {
  if (wanted.length === 0) return
  try {
    const { settings } = await host.host.status()
    const origins = newOrigins(settings.origins, wanted)
    if (origins) await host.host.updateSettings({ origins })
  } catch (error) {
    toastFailure(error)
  }
}

function Access({ purpose, onMade }: { purpose: Purpose; onMade: (application: Application) => void }) {
  const origins = useSession((session) => session.status?.settings.origins) ?? []
  const { applications } = useApplications()
  const { counts } = useCounts()
  const [errors, setErrors] = useState<Readonly<Record<string, string>>>({})
  const form = useForm({
    initial: () =>
      initialOf(
        purpose,
        applications.map(({ name }) => name),
      ),
    typed: (values) => values,
    check: problemsOf,
    async send({ name, wanted, expires_at, ...answers }) {
      const draft = grantsAfter(purpose, answers)
      const made = await vault.applications.create({
        name,
        type: draft.type,
        rules: rulesOfDraft(draft.rules),
        ...(draft.permissions.length > 0 && { permissions: [...draft.permissions] }),
        ...(expires_at !== '' && { expires_at }),
      })
      await allow(wanted)
      return made
    },
    done: onMade,
  })
  const { container, reads, wanted } = form.values
  const draft = grantsAfter(purpose, form.values)

  return (
    <form id="new-application" className="form" onSubmit={form.submit}>
      <TextInput
        label={t.name}
        value={form.values.name}
        onChange={(event) => form.change({ name: cut(event.currentTarget.value, 200)[0] })}
        error={form.errors.name}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
      />
      {purpose !== 'management' && (
        <Group grow align="start" gap="sm">
          <Autocomplete
            label={t.container}
            description={strings.rule.containerHelp}
            classNames={{ input: 'mono' }}
            data={containerTree(counts).map(({ scope }) => scope)}
            value={container}
            onChange={(value) => form.change({ container: value })}
          />
          {purpose === 'backend' && (
            <div>
              <div className="field-label">{t.reads}</div>
              <SegmentedControl
                aria-label={t.reads}
                fullWidth
                data={readChoices.map((value) => ({ value, label: t.readChoices[value] }))}
                value={reads}
                onChange={(value) => form.change({ reads: value })}
              />
            </div>
          )}
        </Group>
      )}
      {purpose === 'browser' && (
        <TagsInput
          label={t.origins}
          description={t.originsHelp(origins)}
          value={[...wanted]}
          onChange={(wanted) => form.change({ wanted })}
          error={form.errors.origins}
        />
      )}
      <TextInput label={t.expires} placeholder={t.expiresHelp} {...form.text('expires_at')} />
      <details className="more" open={purpose === 'management'}>
        <summary>{t.rulesAsTheyAre}</summary>
        <GrantsEditor
          draft={draft}
          onChange={(draft) => form.change({ byHand: { container, reads, draft } })}
          errors={errors}
        />
      </details>
      <GrantsPreview draft={draft} onErrors={setErrors} />
      <FormProblem of={form.problem} besides={placed} />
    </form>
  )
}
