import { Box, Button, Group, Stack, TextInput } from '@mantine/core'
import { type ReactNode, useState } from 'react'
import { readOrigin } from '../../../../shared/origins.ts'
import type { CreatedCheckout } from '../../../../shared/schemas/checkout.ts'
import { loadProxies } from '../../../parts/access/resource-lists.ts'
import { checkoutList, createCheckout, removeCheckout } from '../../../parts/checkouts/checkouts.ts'
import { FormPanel } from '../../../parts/forms/form-panel.tsx'
import { freeName } from '../../../parts/forms/free-name.ts'
import { NameInput } from '../../../parts/forms/name-input.tsx'
import { useAction } from '../../../parts/forms/use-action.ts'
import { type FormState, useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showToast } from '../../../parts/messages/toast.tsx'
import { confirmLeave, useOneTimeKey } from '../../../parts/navigation/unsaved.ts'
import type { FormActions } from '../../../parts/resource-screen/resource-list.tsx'
import { Icon, type IconName } from '../../../ui/icon.tsx'
import { Panel } from '../../../ui/panel.tsx'
import { CheckoutPage } from './checkout-page.tsx'
import { strings } from './strings.ts'

const t = strings.form
const partNames = ['page_name', 'server_name', 'proxy_name', 'webhook_name'] as const
const placed = ['name', 'origin', 'destination_url', 'webhook_url', ...partNames]

/** Creates a checkout after showing what will be created, and shows its keys and its code. */
export function NewCheckout({ onClose, onSaved }: FormActions) {
  const [created, setCreated] = useState<CreatedCheckout | null>(null)
  const page = useOneTimeKey(created?.page_key ?? null)
  const server = useOneTimeKey(created?.server_key ?? null)
  const { runAction, problem } = useAction()
  const markCopied = () => {
    page.markCopied()
    server.markCopied()
  }
  if (!created) return <NewCheckoutForm onClose={onClose} onCreated={setCreated} />
  const { page_key, server_key, ...checkout } = created
  const finishNew = () => confirmLeave(() => onSaved(checkout.id))
  const undoCreation = () =>
    runAction(async () => {
      await removeCheckout(checkout)
      markCopied()
      await checkoutList.load()
      onClose()
      showToast(strings.undone(checkout.name))
    })
  return (
    <Panel
      label={t.title}
      title={strings.ready(checkout.name)}
      wide
      onClose={finishNew}
      footer={
        <>
          <Button onClick={finishNew}>{strings.done}</Button>
          <Button variant="subtle" color="gray" onClick={undoCreation}>
            {strings.undo}
          </Button>
          <Problem of={problem} />
        </>
      }
    >
      <CheckoutPage
        checkout={checkout}
        keys={{ page: page_key, server: server_key }}
        isCopied={page.isCopied}
        onCopied={markCopied}
      />
    </Panel>
  )
}

type CheckoutDraft = {
  readonly name: string
  readonly origin: string
  readonly destination_url: string
  /** Null while they follow the name and the origin. */
  readonly webhook_url: string | null
} & Readonly<Record<(typeof partNames)[number], string | null>>

const createCheckoutDraft = (taken: readonly string[]): CheckoutDraft => ({
  name: freeName(t.defaultName, taken),
  origin: 'http://localhost:3000',
  destination_url: 'https://echo.coffer.test',
  webhook_url: null,
  page_name: null,
  server_name: null,
  proxy_name: null,
  webhook_name: null,
})

/** Fills in what the owner has not changed. */
function completeCheckoutDraft({ name, origin: typed, ...draft }: CheckoutDraft) {
  const origin = readOrigin(typed) ?? typed
  return {
    ...draft,
    name,
    origin,
    page_name: draft.page_name ?? t.pageName(name),
    server_name: draft.server_name ?? t.serverName(name),
    proxy_name: draft.proxy_name ?? name,
    webhook_name: draft.webhook_name ?? name,
    webhook_url: draft.webhook_url ?? `${origin}/webhook`,
  }
}

type FormProps = {
  readonly onClose: () => void
  readonly onCreated: (created: CreatedCheckout) => void
}

function NewCheckoutForm({ onClose, onCreated }: FormProps) {
  const { rows } = checkoutList.useList()
  const form = useForm({
    initial: () => createCheckoutDraft(rows.map(({ name }) => name)),
    getUnsavedInput: (values) => values,
    check: ({ origin }): Record<string, string> =>
      readOrigin(origin) === null ? { origin: t.originWrong } : {},
    send: (values) => createCheckout(completeCheckoutDraft(values)),
    async onDone(created) {
      await Promise.all([checkoutList.load(), loadProxies()])
      onCreated(created)
    },
  })
  return (
    <FormPanel {...{ form, onClose }} title={t.title} action={t.act} placedFields={placed}>
      <Fields form={form} />
    </FormPanel>
  )
}

function Fields({ form }: { form: FormState<CheckoutDraft> }) {
  const values = completeCheckoutDraft(form.values)
  /** The props of a field that has a value of its own only once the owner changes it. */
  const getField = (name: (typeof partNames)[number] | 'webhook_url') => ({
    value: values[name],
    onChange: (event: { readonly currentTarget: { readonly value: string } }) =>
      form.change({ [name]: event.currentTarget.value }),
    error: form.errors[name],
  })
  return (
    <>
      <NameInput
        label={t.name}
        {...form.text('name')}
        autoFocus
        onFocus={(event) => event.currentTarget.select()}
      />
      <TextInput label={t.origin} description={t.originHelp} {...form.text('origin')} />
      <Box component="h2" fz={13}>
        {t.will}
      </Box>
      <Part icon="globe">
        <TextInput label={t.page} description={t.pageHelp} {...getField('page_name')} />
      </Part>
      <Part icon="server">
        <TextInput label={t.server} description={t.serverHelp} {...getField('server_name')} />
      </Part>
      <Part icon="proxy">
        <TextInput label={t.proxy} {...getField('proxy_name')} />
        <TextInput label={t.destination} description={t.destinationHelp} {...form.text('destination_url')} />
      </Part>
      <Part icon="bell">
        <TextInput label={t.webhook} {...getField('webhook_name')} />
        <TextInput label={t.url} description={t.urlHelp} {...getField('webhook_url')} />
      </Part>
      <p className="note">{t.allowed(values.origin)}</p>
    </>
  )
}

function Part({ icon, children }: { icon: IconName; children: ReactNode }) {
  return (
    <Group wrap="nowrap" align="start" gap={12} c="dimmed">
      <Icon name={icon} size={18} />
      <Stack flex={1} gap={8} c="var(--text)">
        {children}
      </Stack>
    </Group>
  )
}
