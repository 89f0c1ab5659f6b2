import { Autocomplete, Button, Group, SegmentedControl, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { cut } from '../../../shared/characters.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { useApplications } from '../../parts/access/application-names.ts'
import { useSession } from '../../parts/connection/session.ts'
import { host, vault } from '../../parts/connection/vault.ts'
import { freeName } from '../../parts/forms/free-name.ts'
import { useForm } from '../../parts/forms/use-form.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { leaving, useShownOnce } from '../../parts/navigation/unsaved.ts'
import { containerTree } from '../../parts/tokens/counts.ts'
import { useCounts } from '../../parts/tokens/counts-store.ts'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { Panel } from '../../ui/panel.tsx'
import { Connect } from './connect.tsx'
import { type GrantsDraft, rulesOfDraft } from './grants.ts'
import { GrantsEditor } from './grants-editor.tsx'
import { GrantsPreview } from './grants-preview.tsx'
import { KeyOnce } from './key-once.tsx'
import { grantsFor, type Purpose, purposes, type Reads } from './purposes.ts'
import { strings } from './strings.ts'

const t = strings.wizard
/** The members whose messages are shown beside their fields. */
const placed = ['name', 'origins', 'expires_at']
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

type AccessDraft = {
  readonly name: string
  readonly container: string
  readonly reads: Reads
  /** The web origins to allow. */
  readonly wanted: readonly string[]
  readonly expires_at: string
  readonly draft: GrantsDraft
}

function initialOf(purpose: Purpose, origins: readonly string[], taken: readonly string[]): AccessDraft {
  const container = purpose === 'browser' ? '/pci/high/' : '/'
  const reads = 'mask'
  return {
    name: freeName(t.names[purpose], taken),
    container,
    reads,
    wanted: origins,
    expires_at: '',
    draft: grantsFor(purpose, container, reads),
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
        origins,
        applications.map(({ name }) => name),
      ),
    typed: (values) => values,
    async send({ name, draft, wanted, expires_at }) {
      if (purpose === 'browser' && wanted.some((origin) => !origins.includes(origin))) {
        await host.host.updateSettings({ origins: [...wanted] })
      }
      return vault.applications.create({
        name,
        type: draft.type,
        rules: rulesOfDraft(draft.rules),
        ...(draft.permissions.length > 0 && { permissions: [...draft.permissions] }),
        ...(expires_at !== '' && { expires_at }),
      })
    },
    done: onMade,
  })
  const { container, reads, wanted, draft } = form.values
  /** Changes an answer, and with it the grants. */
  const answer = (to: { container?: string; reads?: Reads }) => {
    const next = { container, reads, ...to }
    form.change({ ...next, draft: grantsFor(purpose, next.container, next.reads) })
  }

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
            onChange={(value) => answer({ container: value })}
          />
          {purpose === 'backend' && (
            <div>
              <div className="field-label">{t.reads}</div>
              <SegmentedControl
                aria-label={t.reads}
                fullWidth
                data={readChoices.map((value) => ({ value, label: t.readChoices[value] }))}
                value={reads}
                onChange={(value) => answer({ reads: value })}
              />
            </div>
          )}
        </Group>
      )}
      {purpose === 'browser' && (
        <TagsInput
          label={t.origins}
          description={t.originsHelp}
          value={[...wanted]}
          onChange={(wanted) => form.change({ wanted })}
          error={Object.entries(form.errors).find(([path]) => path.startsWith('origins'))?.[1]}
        />
      )}
      <TextInput label={t.expires} placeholder={t.expiresHelp} {...form.text('expires_at')} />
      <details className="more" open={purpose === 'management'}>
        <summary>{t.rulesAsTheyAre}</summary>
        <GrantsEditor draft={draft} onChange={(draft) => form.change({ draft })} errors={errors} />
      </details>
      <GrantsPreview draft={draft} onErrors={setErrors} />
      <FormProblem of={form.problem} besides={placed} />
    </form>
  )
}
