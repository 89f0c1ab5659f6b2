import { Button, Group, MultiSelect, SegmentedControl, Stack, TextInput } from '@mantine/core'
import { useEffect, useState } from 'react'
import type { NewFaultRule } from '../../../../shared/schemas/fault.ts'
import { loadOperations, useOperations } from '../../../parts/api/operations.ts'
import { FormDialog } from '../../../parts/forms/form-dialog.tsx'
import { sentenceOf } from '../../../parts/messages/sentence.ts'
import { Failure } from '../../../ui/failure.tsx'
import { strings as ui } from '../../../ui/strings.ts'
import { useOnce } from '../../../ui/use-once.ts'
import { type FaultDraft, newFault, ruleOf } from './fault-draft.ts'
import { FaultOutcome, WholeNumber } from './fault-outcome.tsx'
import { strings } from './strings.ts'

const t = strings.form

type Props = {
  /** Names that are taken. */
  readonly taken: readonly string[]
  readonly onSet: (rule: NewFaultRule) => Promise<void>
  readonly onClose: () => void
}

/** A fault of one's own: which requests it hits, how often, and what becomes of them. */
export function NewFault({ taken, onSet, onClose }: Props) {
  const { operations } = useOperations()
  const [draft, setDraft] = useState<FaultDraft>(() => newFault(taken))
  const [problem, setProblem] = useState<string | null>(null)
  useEffect(() => {
    loadOperations().catch((error) => setProblem(sentenceOf(error)))
  }, [])
  const change = (part: Partial<FaultDraft>) => setDraft((before) => ({ ...before, ...part }))

  const set = useOnce(async () => {
    setProblem(null)
    try {
      await onSet(ruleOf(draft))
      onClose()
    } catch (error) {
      setProblem(sentenceOf(error))
    }
  })

  return (
    <FormDialog typed={draft} onClose={onClose} title={t.title} size={480}>
      <form
        onSubmit={(event) => {
          event.preventDefault()
          set()
        }}
      >
        <Stack gap="sm">
          <TextInput
            label={t.name}
            description={t.nameHelp}
            classNames={{ input: 'mono' }}
            spellCheck={false}
            value={draft.name}
            onChange={(event) => change({ name: event.currentTarget.value })}
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
            <div className="field-label">{t.kind}</div>
            <SegmentedControl
              aria-label={t.kind}
              data={(['status', 'delay', 'cut'] as const).map((value) => ({ value, label: t.kinds[value] }))}
              value={draft.kind}
              onChange={(kind) => change({ kind })}
            />
          </div>
          <FaultOutcome draft={draft} onChange={change} />
          <Group grow align="start">
            <WholeNumber
              label={t.count}
              help={t.countHelp}
              value={draft.count}
              max={1_000_000}
              onChange={(count) => change({ count })}
            />
            <WholeNumber
              label={t.share}
              value={draft.share}
              max={100}
              onChange={(share) => change({ share })}
            />
          </Group>
          {problem !== null && <Failure>{problem}</Failure>}
          <Group justify="flex-end" gap="xs">
            <Button variant="default" onClick={onClose}>
              {ui.cancel}
            </Button>
            <Button type="submit">{t.action}</Button>
          </Group>
        </Stack>
      </form>
    </FormDialog>
  )
}
