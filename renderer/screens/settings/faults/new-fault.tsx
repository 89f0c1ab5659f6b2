import { Group, MultiSelect, NumberInput, TextInput } from '@mantine/core'
import type { NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { loadOperations, useOperations } from '../../../parts/api/operations.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { DialogForm } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { LabelledChoice } from '../fields.tsx'
import { createFaultDraft, type FaultDraft, toFaultRule } from './fault-draft.ts'
import { strings } from './strings.ts'

const t = strings.form

type Props = {
  readonly taken: readonly string[]
  readonly onSet: (rule: NewFaultRule) => Promise<void>
  readonly onClose: () => void
}

/** Defines a fault: which requests it affects, how often, and how. */
export function NewFault({ taken, onSet, onClose }: Props) {
  const { operations } = useOperations()
  const form = useForm({
    initial: () => createFaultDraft(taken),
    getUnsavedInput: (values) => values,
    send: (values) => onSet(toFaultRule(values)),
    onDone: onClose,
  })
  const { values: draft, change } = form
  const operationsLoad = useLoaded(loadOperations)
  const getNumber = (name: keyof typeof limits) => ({
    label: t[name],
    allowDecimal: false,
    ...limits[name],
    value: draft[name],
    onChange: (value: number | string) => change({ [name]: value } as Partial<FaultDraft>),
  })

  return (
    <DialogForm
      {...{ form, onClose }}
      title={t.title}
      size={480}
      action={t.action}
      problem={<Problem of={form.problem ?? operationsLoad.problem} />}
    >
      <TextInput
        label={t.name}
        description={t.nameHelp}
        classNames={{ input: 'mono' }}
        spellCheck={false}
        {...form.text('name')}
        data-autofocus
      />
      <MultiSelect
        label={t.operations}
        description={t.operationsHelp}
        searchable
        data={operations.map(({ id }) => id)}
        value={[...draft.operations]}
        onChange={(picked) => change({ operations: picked })}
      />
      <LabelledChoice label={t.kind} of={t.kinds} value={draft.kind} onChange={(kind) => change({ kind })} />
      {draft.kind === 'status' && (
        <Group grow align="start">
          <NumberInput {...getNumber('status')} />
          <NumberInput {...getNumber('retry_after')} />
        </Group>
      )}
      {draft.kind === 'delay' && <NumberInput {...getNumber('delay_ms')} />}
      {draft.kind === 'cut' && (
        <LabelledChoice
          label={t.when}
          of={t.whens}
          value={draft.when}
          onChange={(when) => change({ when })}
        />
      )}
      <Group grow align="start">
        <NumberInput
          {...getNumber('count')}
          description={t.countHelp}
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
