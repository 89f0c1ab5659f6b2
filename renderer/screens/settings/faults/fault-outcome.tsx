import { Group, NumberInput, SegmentedControl } from '@mantine/core'
import formStyles from '../../../ui/form.module.css'
import type { FaultDraft, NumberInputValue } from './fault-draft.ts'
import { strings } from './strings.ts'

const t = strings.form

type NumberProps = {
  readonly label: string
  readonly value: NumberInputValue
  readonly min?: number
  readonly max: number
  readonly help?: string
  readonly onChange: (value: NumberInputValue) => void
}

export function IntegerInput({ help, min = 1, ...rest }: NumberProps) {
  return (
    <NumberInput
      description={help}
      inputWrapperOrder={['label', 'input', 'description', 'error']}
      min={min}
      allowDecimal={false}
      {...rest}
    />
  )
}

type Props = { readonly draft: FaultDraft; readonly onChange: (part: Partial<FaultDraft>) => void }

/** Edits the effect of a fault on a request. */
export function FaultOutcome({ draft, onChange }: Props) {
  switch (draft.kind) {
    case 'status':
      return (
        <Group grow align="start">
          <IntegerInput
            label={t.status}
            min={400}
            max={599}
            value={draft.status}
            onChange={(status) => onChange({ status })}
          />
          <IntegerInput
            label={t.retryAfter}
            min={0}
            max={86_400}
            value={draft.retry_after}
            onChange={(retry_after) => onChange({ retry_after })}
          />
        </Group>
      )
    case 'delay':
      return (
        <IntegerInput
          label={t.delay}
          max={60_000}
          value={draft.delay_ms}
          onChange={(delay_ms) => onChange({ delay_ms })}
        />
      )
    case 'cut':
      return (
        <div>
          <div className={formStyles.label}>{t.when}</div>
          <SegmentedControl
            aria-label={t.when}
            data={(['before', 'after'] as const).map((value) => ({ value, label: t.whens[value] }))}
            value={draft.when}
            onChange={(when) => onChange({ when })}
          />
        </div>
      )
  }
}
