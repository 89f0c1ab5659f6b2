import { Group, MultiSelect, NumberInput } from '@mantine/core'
import { useState } from 'react'
import type { HostStatus } from '../../../../shared/host/status.ts'
import type { FaultReport, NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { useLoadedOperations } from '../../../parts/api/operations.ts'
import { LoadedView, useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { host } from '../../../parts/connection/vault.ts'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { showFailureToast } from '../../../parts/messages/toast.tsx'
import { LabelledChoice } from '../../../ui/fields/choice.tsx'
import { MonoInput } from '../../../ui/fields/mono-fields.tsx'
import { Icon } from '../../../ui/icon.tsx'
import { ActionButton, IconButton } from '../../../ui/icon-buttons.tsx'
import { Lines, Section } from '../fields.tsx'
import { createFaultDraft, type FaultDraft, formatFault, toFaultRule } from './fault-draft.ts'
import { strings as t } from './strings.ts'

const presets = {
  slow: { name: 'slow', delay_ms: 2000 },
  limited: { name: 'limited', status: 429, retry_after: 1, count: 5 },
  broken: { name: 'broken', status: 500, share: 0.2 },
  lost: { name: 'lost', cut: true, when: 'after', count: 1 },
} as const satisfies Record<keyof typeof t.presets, NewFaultRule>
const names = Object.keys(presets) as (keyof typeof presets)[]

type Rules = FaultReport['rules']

async function readRules(): Promise<Rules> {
  return (await host.faults()).rules
}

function withoutHits({ hits: _, ...rule }: Rules[number]): NewFaultRule {
  return rule
}

/** The faults that the listener simulates. */
export function FaultsSection({ status }: { status: HostStatus }) {
  // Another window or a program may change the faults too.
  const faults = useLoaded(readRules, { about: JSON.stringify(status.faults), stays: true, follows: 'log' })
  const { set: setRules } = faults
  const rules = faults.value
  const [making, setMaking] = useState(false)
  const sendRules = async (next: readonly NewFaultRule[]) =>
    setRules((await host.setFaults({ rules: [...next] })).rules)
  const changeRules = (next: readonly NewFaultRule[]) => sendRules(next).catch(showFailureToast)
  const current = rules?.map(withoutHits) ?? []
  return (
    <Section name="faults" text={t.text}>
      <Group gap="xs">
        {names.map((name) => (
          <ActionButton
            label={t.presets[name]}
            key={name}
            disabled={rules === null || rules.some((rule) => rule.name === name)}
            onClick={() => changeRules([...current, presets[name]])}
          />
        ))}
        <ActionButton icon="plus" label={t.own} disabled={rules === null} onClick={() => setMaking(true)} />
      </Group>
      <LoadedView of={faults}>
        {(set) => (
          <Lines none={t.none}>
            {set.map((rule) => (
              <li key={rule.name}>
                <Icon name="alert" size={14} />
                <span className="mono">{rule.name}</span>
                <span className="dim">{formatFault(rule)}</span>
                <span className="faint">{t.hits(rule.hits)}</span>
                <IconButton
                  icon="close"
                  ml="auto"
                  label={t.remove(rule.name)}
                  onClick={() => changeRules(current.filter(({ name }) => name !== rule.name))}
                />
              </li>
            ))}
          </Lines>
        )}
      </LoadedView>
      {making && (
        <NewFault
          taken={current.map(({ name }) => name)}
          onSet={(rule) => sendRules([...current, rule])}
          onClose={() => setMaking(false)}
        />
      )}
    </Section>
  )
}

type Props = {
  readonly taken: readonly string[]
  readonly onSet: (rule: NewFaultRule) => Promise<void>
  readonly onClose: () => void
}

/** Defines a fault: which requests it affects, how often, and how. */
function NewFault({ taken, onSet, onClose }: Props) {
  const { operations, problem } = useLoadedOperations()
  const form = useForm({
    initial: () => createFaultDraft(taken),
    getUnsavedInput: (values) => values,
    send: (values) => onSet(toFaultRule(values)),
    onDone: onClose,
  })
  const { values: draft, change } = form
  const getNumber = (name: keyof typeof limits) => ({
    label: t.form[name],
    allowDecimal: false,
    ...limits[name],
    value: draft[name],
    onChange: (value: number | string) => change({ [name]: value } as Partial<FaultDraft>),
  })

  return (
    <DialogForm
      {...{ form, onClose }}
      title={t.form.title}
      size={480}
      action={t.form.action}
      problem={<Problem of={form.problem ?? problem} />}
    >
      <MonoInput label={t.form.name} description={t.form.nameHelp} {...form.text('name')} data-autofocus />
      <MultiSelect
        label={t.form.operations}
        description={t.form.operationsHelp}
        searchable
        data={operations.map(({ id }) => id)}
        value={[...draft.operations]}
        onChange={(picked) => change({ operations: picked })}
      />
      <LabelledChoice
        label={t.form.kind}
        of={t.form.kinds}
        value={draft.kind}
        onChange={(kind) => change({ kind })}
      />
      {draft.kind === 'status' && (
        <Group grow align="start">
          <NumberInput {...getNumber('status')} />
          <NumberInput {...getNumber('retry_after')} />
        </Group>
      )}
      {draft.kind === 'delay' && <NumberInput {...getNumber('delay_ms')} />}
      {draft.kind === 'cut' && (
        <LabelledChoice
          label={t.form.when}
          of={t.form.whens}
          value={draft.when}
          onChange={(when) => change({ when })}
        />
      )}
      <Group grow align="start">
        <NumberInput
          {...getNumber('count')}
          description={t.form.countHelp}
          inputWrapperOrder={['label', 'input', 'description', 'error']}
        />
        <NumberInput {...getNumber('share')} />
      </Group>
    </DialogForm>
  )
}

const limits = {
  status: { min: 400, max: 599 },
  retry_after: { min: 0, max: 86_400 },
  delay_ms: { min: 1, max: 60_000 },
  count: { min: 1, max: 1_000_000 },
  share: { min: 1, max: 100 },
} as const
