import { Group, MultiSelect, SegmentedControl, Stack, TextInput } from '@mantine/core'
import type { NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { loadOperations, useOperations } from '../../../parts/api/operations.ts'
import { useLoaded } from '../../../parts/connection/use-loaded.tsx'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { useForm } from '../../../parts/forms/use-form.ts'
import { Problem } from '../../../parts/messages/problem.tsx'
import { DialogButtons } from '../../../ui/dialog-buttons.tsx'
import formStyles from '../../../ui/form.module.css'
import { createFaultDraft, toFaultRule } from './fault-draft.ts'
import { FaultOutcome, IntegerInput } from './fault-outcome.tsx'
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

  return (
    <FormDialog onClose={onClose} title={t.title} size={480}>
      <form onSubmit={form.submit}>
        <Stack gap="sm">
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
          <div>
            <div className={formStyles.label}>{t.kind}</div>
            <SegmentedControl
              aria-label={t.kind}
              data={(['status', 'delay', 'cut'] as const).map((value) => ({ value, label: t.kinds[value] }))}
              value={draft.kind}
              onChange={(kind) => change({ kind })}
            />
          </div>
          <FaultOutcome draft={draft} onChange={change} />
          <Group grow align="start">
            <IntegerInput
              label={t.count}
              help={t.countHelp}
              value={draft.count}
              max={1_000_000}
              onChange={(count) => change({ count })}
            />
            <IntegerInput
              label={t.share}
              value={draft.share}
              max={100}
              onChange={(share) => change({ share })}
            />
          </Group>
          <Problem of={form.problem ?? operationsLoad.problem} />
          <DialogButtons action={t.action} onCancel={onClose} />
        </Stack>
      </form>
    </FormDialog>
  )
}
