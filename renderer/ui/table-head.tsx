type Props = {
  readonly labels: readonly string[]
  /** What the buttons of the last column do. */
  readonly action?: string
}

/** The headings of a table. That of a column of buttons is only for screen readers. */
export function TableHead({ labels, action }: Props) {
  return (
    <thead>
      <tr>
        {labels.map((label) => (
          <th key={label} scope="col">
            {label}
          </th>
        ))}
        {action !== undefined && (
          <th scope="col">
            <span className="visually-hidden">{action}</span>
          </th>
        )}
      </tr>
    </thead>
  )
}
