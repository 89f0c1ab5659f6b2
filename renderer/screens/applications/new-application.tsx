import { Autocomplete, Box, Button, Group, TagsInput, TextInput } from '@mantine/core'
import { useState } from 'react'
import { isOrigin } from '../../../shared/origins.ts'
import type { Application } from '../../../shared/schemas/application.ts'
import { loadApplications, useApplications } from '../../parts/access/application-names.ts'
import { newCheckoutHref } from '../../parts/checkouts/checkouts.ts'
import { useSession } from '../../parts/connection/session.ts'
import { vault } from '../../parts/connection/vault.ts'
import { freeName } from '../../parts/forms/free-name.ts'
import { NameInput } from '../../parts/forms/name-input.tsx'
import { useForm } from '../../parts/forms/use-form.ts'
import { allowOrigins } from '../../parts/listener/allow-origins.ts'
import { FormProblem } from '../../parts/messages/problem.tsx'
import { showFailureToast } from '../../parts/messages/toast.tsx'
import { navigate } from '../../parts/navigation/route.ts'
import { confirmLeave, useOneTimeKey } from '../../parts/navigation/unsaved.ts'
import type { FormActions } from '../../parts/resource-screen/resource-list.tsx'
import { buildContainerTree } from '../../parts/tokens/counts.ts'
import { useCounts } from '../../parts/tokens/counts-store.ts'
import { LabelledChoice } from '../../ui/fields/choice.tsx'
import formStyles from '../../ui/form.module.css'
import { Icon, type IconName } from '../../ui/icon.tsx'
import { saveKey } from '../../ui/keys/save-key.ts'
import { Panel } from '../../ui/panel.tsx'
import styles from './applications.module.css'
import { Connect } from './connect.tsx'
import { OneTimeKeyView } from './one-time-key-view.tsx'
import { type AccessAnswers, type ApplicationPurpose, purposes, updateGrants } from './purposes.ts'
import { toRules } from './rules/grants.ts'
import { RuleWorkbench } from './rules/rule-workbench.tsx'
import { strings } from './strings.ts'

const t = strings.wizard
const placed = ['name', 'expires_at']
const icons: Readonly<Record<ApplicationPurpose, IconName>> = {
  backend: 'server',
  browser: 'globe',
  management: 'sliders',
}

/** Creates an application in steps: purpose, access, key. */
export function NewApplication({ onClose, onSaved }: FormActions) {
  const [purpose, setPurpose] = useState<ApplicationPurpose | null>(null)
  const [created, setCreated] = useState<Application | null>(null)
  const once = useOneTimeKey(created?.key ?? null)
  const handleDone = ({ id }: Application) =>
    confirmLeave(async () => {
      await loadApplications()
      await onSaved(id)
    })
  const step = created ? 'key' : purpose ? 'access' : 'purpose'
  return (
    <Panel
      label={t.title}
      title={created ? t.ready(created.name) : t.title}
      wide
      onClose={() => (created ? handleDone(created) : onClose())}
      footer={
        step === 'access' ? (
          <>
            <Button type="submit" form="new-application" {...saveKey}>
              {t.create}
            </Button>
            <Button variant="subtle" color="gray" onClick={() => confirmLeave(() => setPurpose(null))}>
              {t.back}
            </Button>
          </>
        ) : created ? (
          <Button onClick={() => handleDone(created)}>{t.done}</Button>
        ) : undefined
      }
    >
      {step === 'purpose' && <Purposes onPick={setPurpose} />}
      {step === 'access' && purpose && <Access key={purpose} purpose={purpose} onCreated={setCreated} />}
      {created && (
        <div className={formStyles.root}>
          <OneTimeKeyView appKey={created.key ?? ''} isCopied={once.isCopied} onCopied={once.markCopied} />
          <Connect type={created.type} appKey={created.key ?? ''} secret onCopied={once.markCopied} />
        </div>
      )}
    </Panel>
  )
}

function Purposes({ onPick }: { onPick: (purpose: ApplicationPurpose) => void }) {
  return (
    <div className={formStyles.root}>
      <Box component="h2" fz={13}>
        {t.purpose}
      </Box>
      <PurposeButton
        icon="card"
        of={t.checkout}
        onPick={() => navigate(newCheckoutHref, { replace: true })}
        isFirst
      />
      {purposes.map((purpose) => (
        <PurposeButton
          key={purpose}
          icon={icons[purpose]}
          of={t.purposes[purpose]}
          onPick={() => onPick(purpose)}
        />
      ))}
    </div>
  )
}

type PurposeButtonProps = {
  readonly icon: IconName
  readonly of: { readonly name: string; readonly text: string }
  readonly onPick: () => void
  readonly isFirst?: boolean
}

function PurposeButton({ icon, of: { name, text }, onPick, isFirst = false }: PurposeButtonProps) {
  return (
    <button
      type="button"
      className={styles.purpose}
      onClick={onPick}
      ref={(button) => {
        if (isFirst) button?.focus()
      }}
    >
      <Icon name={icon} size={20} />
      <span>
        <strong>{name}</strong>
        <span className="dim">{text}</span>
      </span>
      <Icon name="right" size={14} />
    </button>
  )
}

type AccessDraft = AccessAnswers & {
  readonly name: string
  /** Web origins to allow in addition to the current ones. */
  readonly addedOrigins: readonly string[]
  readonly expires_at: string
}

function createAccessDraft(purpose: ApplicationPurpose, taken: readonly string[]): AccessDraft {
  return {
    name: freeName(t.names[purpose], taken),
    container: purpose === 'browser' ? '/pci/high/' : '/',
    reads: 'mask',
    byHand: null,
    addedOrigins: [],
    expires_at: '',
  }
}

function validateAccess({ addedOrigins }: AccessDraft): Record<string, string> {
  const wrong = addedOrigins.filter((each) => !isOrigin(each))
  return wrong.length > 0 ? { origins: t.originWrong(wrong.join(', ')) } : {}
}

function Access({
  purpose,
  onCreated,
}: {
  purpose: ApplicationPurpose
  onCreated: (application: Application) => void
}) {
  const origins = useSession((session) => session.status?.settings.origins) ?? []
  const { rows: applications } = useApplications()
  const { counts } = useCounts()
  const form = useForm({
    initial: () =>
      createAccessDraft(
        purpose,
        applications.map(({ name }) => name),
      ),
    getUnsavedInput: (values) => values,
    check: validateAccess,
    async send({ name, addedOrigins, expires_at, ...answers }) {
      const draft = updateGrants(purpose, answers)
      const created = await vault.applications.create({
        name,
        type: draft.type,
        rules: toRules(draft.rules),
        ...(draft.permissions.length > 0 && { permissions: [...draft.permissions] }),
        ...(expires_at !== '' && { expires_at }),
      })
      // The application exists already, so a failure is only reported.
      await allowOrigins(addedOrigins).catch(showFailureToast)
      return created
    },
    onDone: onCreated,
  })
  const { container, reads, addedOrigins } = form.values
  const draft = updateGrants(purpose, form.values)

  return (
    <form id="new-application" className={formStyles.root} onSubmit={form.submit}>
      <NameInput
        label={t.name}
        {...form.text('name')}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
      />
      {purpose !== 'management' && (
        <Group grow align="start" gap="sm">
          <Autocomplete
            label={t.container}
            description={t.containerHelp}
            classNames={{ input: 'mono' }}
            data={buildContainerTree(counts).map(({ scope }) => scope)}
            value={container}
            onChange={(value) => form.change({ container: value })}
          />
          {purpose === 'backend' && (
            <LabelledChoice
              label={t.reads}
              fullWidth
              of={t.readChoices}
              value={reads}
              onChange={(reads) => form.change({ reads })}
            />
          )}
        </Group>
      )}
      {purpose === 'browser' && (
        <TagsInput
          label={t.origins}
          description={t.originsHelp(origins)}
          value={[...addedOrigins]}
          onChange={(addedOrigins) => form.change({ addedOrigins })}
          error={form.errors.origins}
        />
      )}
      <TextInput label={t.expires} placeholder={t.expiresHelp} {...form.text('expires_at')} />
      <RuleWorkbench
        draft={draft}
        before={null}
        onChange={(draft) => form.change({ byHand: { container, reads, draft } })}
      />
      <FormProblem of={form.problem} placedFields={placed} />
    </form>
  )
}
