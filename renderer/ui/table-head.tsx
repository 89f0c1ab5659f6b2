import type { ReactNode } from 'react'

/** The headings of a table. The children are further ones. */
export function TableHead({ labels, children }: { labels: readonly string[]; children?: ReactNode }) {
  return (
    <thead>
      <tr>
        {labels.map((label) => (
          <th key={label} scope="col">
            {label}
          </th>
        ))}
        {children}
      </tr>
    </thead>
  )
}
