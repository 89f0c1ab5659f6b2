import { SegmentedControl, type SegmentedControlProps } from '@mantine/core'

type Props<Value extends string> = Pick<SegmentedControlProps, 'size' | 'fullWidth'> & {
  readonly label: string
  /** The label of each value. */
  readonly of: Readonly<Record<Value, string>>
  /** Null if no value is chosen. */
  readonly value: Value | null
  readonly onChange: (value: Value) => void
}

/** One choice of few, whose label is only for screen readers. */
export function Choice<Value extends string>({ label, of, value, onChange, ...size }: Props<Value>) {
  return (
    <SegmentedControl<Value | ''>
      aria-label={label}
      data={Object.entries<string>(of).map(([each, text]) => ({ value: each as Value, label: text }))}
      value={value ?? ''}
      onChange={(chosen) => chosen !== '' && onChange(chosen)}
      {...size}
    />
  )
}

/** One choice of few, under its label. */
export function LabelledChoice<Value extends string>(props: Props<Value>) {
  return (
    <div>
      <div className="label">{props.label}</div>
      <Choice {...props} />
    </div>
  )
}
